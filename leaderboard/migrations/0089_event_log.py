"""Each challenge has a log of events. Those that are shown already begin theirs now."""

import os

import django.db.models.deletion
from django.db import migrations, models
from django.utils import timezone


def begin(apps, schema_editor):
    logs = apps.get_model("leaderboard", "EventLog").objects
    shown = apps.get_model("leaderboard", "Challenge").objects.filter(is_draft=False)
    fields = {"at": timezone.now(), "link": bytes(32)}
    for pk in shown.values_list("pk", flat=True):
        logs.create(challenge_id=pk, key=os.urandom(32), **fields)


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0077_runs_of_programs"),
    ]

    operations = [
        migrations.CreateModel(
            name="LogAnchor",
            fields=[
                ("day", models.DateField(primary_key=True, serialize=False)),
                ("at", models.DateTimeField()),
                ("heads", models.JSONField()),
                ("leaves", models.JSONField()),
                ("root", models.CharField(max_length=64)),
            ],
        ),
        migrations.CreateModel(
            name="EventLog",
            fields=[
                (
                    "challenge",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="event_log",
                        serialize=False,
                        to="leaderboard.challenge",
                    ),
                ),
                ("seq", models.PositiveBigIntegerField(default=0)),
                ("at", models.DateTimeField()),
                ("link", models.BinaryField()),
                ("key", models.BinaryField()),
            ],
        ),
        migrations.AddField(
            model_name="attempt",
            name="received_at",
            field=models.DateTimeField(
                editable=False,
                help_text="When the server received it; empty: before this was recorded.",
                null=True,
                verbose_name="received at",
            ),
        ),
        migrations.AddField(
            model_name="scoringconfig",
            name="shown_from",
            field=models.DateTimeField(
                editable=False,
                help_text="Since when the board has shown it; empty: never, or before this was recorded.",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="scoringconfig",
            name="shown_until",
            field=models.DateTimeField(
                editable=False, help_text="When the board began to show another config.", null=True
            ),
        ),
        migrations.CreateModel(
            name="Event",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "challenge_id",
                        "seq",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("seq", models.PositiveBigIntegerField()),
                ("at", models.DateTimeField()),
                ("kind", models.PositiveSmallIntegerField()),
                ("body", models.TextField()),
                ("secret", models.TextField(blank=True, default="")),
                ("salt", models.BinaryField(null=True)),
                ("blind", models.BinaryField()),
                ("link", models.BinaryField()),
                (
                    "challenge",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="events",
                        to="leaderboard.challenge",
                    ),
                ),
                (
                    "participant",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        to="leaderboard.participant",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("secret", ""), _negated=True),
                        fields=["participant"],
                        name="events_with_a_secret",
                    )
                ],
            },
        ),
        migrations.RunPython(begin, migrations.RunPython.noop),
    ]
