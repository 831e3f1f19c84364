"""Boards have no sorted columns and no indexes of facts: one statement sorts a board."""

from django.db import migrations

FACTS = ("score", "elapsed_ms", "tokens_total", "rating", "cost_usd")


def remove(apps, schema_editor):
    for name in (*FACTS, "time"):
        schema_editor.execute(f"DROP INDEX IF EXISTS standings_by_{name}")


def create(apps, schema_editor):
    value = "json_extract(\"values\", '$.{}')"
    if schema_editor.connection.vendor == "postgresql":
        value = "((\"values\" ->> '{}')::double precision)"
    by_fact = {f"standings_by_{name}": value.format(name) for name in FACTS}
    for name, expression in (by_fact | {"standings_by_time": "reached_at"}).items():
        schema_editor.execute(
            f"CREATE INDEX {name} ON leaderboard_standing (board_id, {expression}, sort_key)"
        )


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0066_columns_from_schemas"),
    ]

    operations = [
        migrations.RunPython(remove, create),
        migrations.DeleteModel(name="SortedValue"),
        migrations.DeleteModel(name="SortedColumn"),
    ]
