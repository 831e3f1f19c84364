"""Indexes of standings by the facts that every board shows."""

from django.db import migrations

FACTS = ("score", "elapsed_ms", "tokens_total", "rating", "cost_usd")


def create(apps, schema_editor):
    for name, value in _values(schema_editor.connection.vendor).items():
        schema_editor.execute(
            f"CREATE INDEX {name} ON leaderboard_standing (config_id, {value}, sort_key)"
        )


def remove(apps, schema_editor):
    for name in _values(schema_editor.connection.vendor):
        schema_editor.execute(f"DROP INDEX IF EXISTS {name}")


def _values(vendor):
    value = "json_extract(\"values\", '$.{}')"
    if vendor == "postgresql":
        value = "((\"values\" ->> '{}')::double precision)"
    by_fact = {f"standings_by_{name}": value.format(name) for name in FACTS}
    return by_fact | {"standings_by_time": "reached_at"}


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0013_search_by_name"),
    ]

    operations = [
        migrations.RunPython(create, remove),
    ]
