"""Standings belong to a board: of one phase, under one scoring config.

Until now a challenge had one board, whatever its phases. It becomes the board of the first phase,
with the id of its config, so that no standing is written again. If the challenge has several
phases, their boards are filled anew by the workers.
"""

import django.db.models.deletion
from django.db import migrations, models

FACTS = ("score", "elapsed_ms", "tokens_total", "rating", "cost_usd")


def add_boards(apps, schema_editor):
    board, challenges, phase, config = (
        apps.get_model("leaderboard", name).objects
        for name in ("Board", "Challenge", "Phase", "ScoringConfig")
    )
    for challenge in challenges.exclude(shown_config=None):
        phases = list(phase.filter(challenge=challenge).order_by("position", "pk"))
        if not phases:
            phases = [phase.create(challenge=challenge)]
        for each in config.filter(challenge=challenge).order_by("pk"):
            is_shown = each.pk == challenge.shown_config_id
            board.create(
                pk=each.pk,
                config=each,
                phase=phases[0],
                changed_at=challenge.board_changed_at if is_shown else None,
                filled_to=0 if len(phases) > 1 else None,
            )


def move_sequence(apps, schema_editor):
    """Later boards get ids behind those of the configs."""
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(
            "SELECT setval(pg_get_serial_sequence('leaderboard_board', 'id'),"
            " (SELECT coalesce(max(id), 0) + 1 FROM leaderboard_board), false)"
        )


def empty_shared_boards(apps, schema_editor):
    """Delete what the boards of challenges with several phases have, and add those that lack."""
    board, bucket, column, phase, score, standing = (
        apps.get_model("leaderboard", name).objects
        for name in ("Board", "Bucket", "SortedColumn", "Phase", "Score", "Standing")
    )
    shared = board.filter(filled_to=0)
    bucket.filter(board__in=shared).delete()
    column.filter(board__in=shared).update(state="dropped", done_to=0)
    standing.filter(board__in=shared).delete()
    for first in list(shared.select_related("config__challenge__shown_config")):
        config, challenge = first.config, first.config.challenge
        if config.number < challenge.shown_config.number:
            continue
        for each in phase.filter(challenge=challenge).exclude(pk=first.phase_id):
            scored = score.filter(config=config, attempt__phase=each).exists()
            added = board.create(config=config, phase=each, filled_to=0 if scored else None)
            if not scored and config.pk == challenge.shown_config_id:
                bucket.create(board=added, low=b"", n=0)


def drop_indexes(apps, schema_editor):
    for name in _values(schema_editor.connection.vendor):
        schema_editor.execute(f"DROP INDEX IF EXISTS {name}")


def create_indexes(apps, schema_editor):
    for name, value in _values(schema_editor.connection.vendor).items():
        schema_editor.execute(
            f"CREATE INDEX {name} ON leaderboard_standing (board_id, {value}, sort_key)"
        )


def keep_room(apps, schema_editor):
    """Versions change with each score: with room in the page PostgreSQL leaves indexes alone."""
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("ALTER TABLE leaderboard_board SET (fillfactor = 50)")


def _values(vendor):
    value = "json_extract(\"values\", '$.{}')"
    if vendor == "postgresql":
        value = "((\"values\" ->> '{}')::double precision)"
    by_fact = {f"standings_by_{name}": value.format(name) for name in FACTS}
    return by_fact | {"standings_by_time": "reached_at"}


def on_board(model, related_name, **options):
    """Let rows that name a config name the board with the same id."""
    return [
        migrations.RenameField(model, "config", "board"),
        migrations.AlterField(
            model,
            "board",
            models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name=related_name,
                to="leaderboard.board",
                **options,
            ),
        ),
    ]


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0034_announcements"),
    ]

    operations = [
        migrations.CreateModel(
            name="Board",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("until", models.DateTimeField(editable=False, null=True)),
                ("version", models.PositiveBigIntegerField(db_default=0, default=0, editable=False)),
                ("changed_at", models.DateTimeField(editable=False, null=True)),
                ("filled_to", models.BigIntegerField(editable=False, null=True)),
                ("config", models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name="boards", to="leaderboard.scoringconfig")),
                ("phase", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="boards", to="leaderboard.phase")),
            ],
            options={
                "indexes": [models.Index(fields=["config", "phase"], name="boards_of_a_config")],
                "constraints": [
                    models.UniqueConstraint(condition=models.Q(("until__isnull", True)), fields=("config", "phase"), name="one_board_of_a_phase"),
                    models.UniqueConstraint(condition=models.Q(("until__isnull", False)), fields=("config", "phase", "until"), name="one_board_of_a_phase_until"),
                ],
            },
        ),
        migrations.RunPython(add_boards, migrations.RunPython.noop),
        migrations.RunPython(move_sequence, migrations.RunPython.noop),
        migrations.RunPython(drop_indexes, migrations.RunPython.noop),
        migrations.RemoveConstraint("standing", "one_standing_per_participant"),
        migrations.RemoveIndex("standing", "standings_in_order"),
        *on_board("standing", "standings", db_index=False),
        migrations.AddConstraint("standing", models.UniqueConstraint(fields=("board", "participant"), name="one_standing_per_participant")),
        migrations.AddIndex("standing", models.Index(fields=["board", "sort_key"], name="standings_in_order")),
        migrations.RunPython(create_indexes, migrations.RunPython.noop),
        migrations.RemoveConstraint("bucket", "one_bucket_per_key"),
        *on_board("bucket", "buckets", db_index=False),
        migrations.AddConstraint("bucket", models.UniqueConstraint(fields=("board", "low"), name="one_bucket_per_key")),
        migrations.RemoveConstraint("sortedcolumn", "one_sorted_column_per_key"),
        migrations.RemoveField("sortedcolumn", "unwritten"),
        *on_board("sortedcolumn", "sorted_columns"),
        migrations.AddConstraint("sortedcolumn", models.UniqueConstraint(condition=models.Q(("state", "dropped"), _negated=True), fields=("board", "key"), name="one_sorted_column_per_key")),
        migrations.RunPython(empty_shared_boards, migrations.RunPython.noop),
        migrations.RunPython(keep_room, migrations.RunPython.noop),
        migrations.RemoveField("challenge", "version_with_columns"),
        migrations.RemoveField("challenge", "board_changed_at"),
        migrations.AlterField("challenge", "board_version", models.PositiveBigIntegerField(default=0, editable=False, help_text="How often its boards have changed, other than by scores.", verbose_name="board version")),
    ]
