"""After a bulk with many new participants, a search by name read a long list of unsorted entries.

PostgreSQL collects new entries of such an index in a list, up to 4 MB, until autovacuum sorts them
in. Every search reads the whole list.
"""

from django.db import migrations

INDEXES = ("participants_handle_part", "participants_name_part")
KILOBYTES = 256


def limit_pending_entries(apps, schema_editor):
    if schema_editor.connection.vendor != "postgresql":
        return
    for name in INDEXES:  # They are absent if the database has no extension `pg_trgm`.
        schema_editor.execute(
            f"ALTER INDEX IF EXISTS {name} SET (gin_pending_list_limit = {KILOBYTES})"
        )


def reset_limit(apps, schema_editor):
    if schema_editor.connection.vendor != "postgresql":
        return
    for name in INDEXES:
        schema_editor.execute(f"ALTER INDEX IF EXISTS {name} RESET (gin_pending_list_limit)")


class Migration(migrations.Migration):

    dependencies = [
        ("leaderboard", "0061_places_of_new_owners"),
    ]

    operations = [migrations.RunPython(limit_pending_entries, reset_limit)]
