"""Which attempts of a participant count, for each phase; a row may be a participant's or an attempt's.

SQLite makes the table of standings anew for its new column and constraint, without the indexes on
values, so these are dropped before and created again.
"""

import uuid

from django.db import migrations, models

import leaderboard.schemas.choices

FACTS = ("score", "elapsed_ms", "tokens_total", "rating", "cost_usd")
ONE_ROW = uuid.UUID(int=0)
COUNTING = [("best", "Best"), ("latest", "Latest"), ("first", "First"), ("chosen", "Chosen"), ("mean", "Mean"), ("all", "All")]


def drop_indexes(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        for name in _values():
            schema_editor.execute(f"DROP INDEX IF EXISTS {name}")


def create_indexes(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        for name, value in _values().items():
            schema_editor.execute(
                f"CREATE INDEX {name} ON leaderboard_standing (board_id, {value}, sort_key)"
            )


def _values():
    value = "json_extract(\"values\", '$.{}')"
    by_fact = {f"standings_by_{name}": value.format(name) for name in FACTS}
    return by_fact | {"standings_by_time": "reached_at"}


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0043_samples"),
    ]

    operations = [
        migrations.RunPython(drop_indexes, create_indexes),
        migrations.RemoveConstraint("standing", "one_standing_per_participant"),
        migrations.AddField("standing", "slot", models.UUIDField(db_default=ONE_ROW, default=ONE_ROW, editable=False)),
        migrations.AddConstraint("standing", models.UniqueConstraint(fields=("board", "participant", "slot"), name="one_standing_per_slot")),
        migrations.RunPython(create_indexes, drop_indexes),
        migrations.AddField("attempt", "chosen_at", models.DateTimeField(editable=False, help_text="When the participant chose it to count; empty: it is not chosen.", null=True, verbose_name="chosen at")),
        migrations.AddField("phase", "counting", models.CharField(blank=True, choices=COUNTING, db_default="", default="", help_text="Which attempts count; empty: as the scoring of the challenge says.", max_length=6, verbose_name="counting")),
        migrations.AddField("phase", "counted", models.PositiveSmallIntegerField(blank=True, help_text="How many attempts a participant may choose, or of how many the mean counts.", null=True, verbose_name="counted")),
        migrations.AddField("phase", "choose_until", models.DateTimeField(blank=True, help_text="Until when participants choose attempts; empty: until the phase closes.", null=True, verbose_name="choose until")),
        migrations.AlterField("scoringconfig", "counting", models.CharField(choices=COUNTING, default=leaderboard.schemas.choices.Counting["BEST"], max_length=6)),
    ]
