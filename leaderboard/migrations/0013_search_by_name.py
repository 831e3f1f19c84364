"""Indexes of three characters over names, where PostgreSQL has them to offer."""

import logging

from django.db import DatabaseError, migrations, transaction

logger = logging.getLogger(__name__)

INDEXES = {
    "participants_handle_part": "USING gin (handle_key gin_trgm_ops)",
    "participants_name_part": "USING gin (upper(name) gin_trgm_ops) WHERE name <> ''",
}


def create(apps, schema_editor):
    """Without the extension a search reads all names of a tenant; docs/deploy.md says how to have
    it later."""
    connection = schema_editor.connection
    if connection.vendor != "postgresql":
        return
    try:
        with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
            cursor.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
            for name, what in INDEXES.items():
                cursor.execute(f"CREATE INDEX IF NOT EXISTS {name} ON leaderboard_participant {what}")
    except DatabaseError as error:
        logger.warning("search by name goes without an index: %s", str(error).strip())


def remove(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        for name in INDEXES:
            schema_editor.execute(f"DROP INDEX IF EXISTS {name}")


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0012_rank_buckets"),
    ]

    operations = [
        migrations.RunPython(create, remove),
    ]
