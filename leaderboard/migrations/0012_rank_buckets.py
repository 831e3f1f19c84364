"""Buckets of sort keys, and those of the boards that are shown."""

import django.db.models.deletion
from django.db import migrations, models

SIZE = 256
FENCES = """
    SELECT sort_key, place - 1 FROM (
        SELECT sort_key, row_number() OVER (ORDER BY sort_key) AS place
        FROM leaderboard_standing WHERE config_id = %s
    ) k WHERE (place - 1) %% 256 = 0 ORDER BY place"""


def keep_room(apps, schema_editor):
    """Counts change with each score: with room in the page PostgreSQL leaves the index alone."""
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("ALTER TABLE leaderboard_bucket SET (fillfactor = 50)")


def build(apps, schema_editor):
    challenges = apps.get_model("leaderboard", "Challenge").objects
    bucket, standing = (apps.get_model("leaderboard", name) for name in ("Bucket", "Standing"))
    for config in challenges.exclude(shown_config=None).values_list("shown_config", flat=True):
        total = standing.objects.filter(config=config).count()
        with schema_editor.connection.cursor() as cursor:
            cursor.execute(FENCES, [config])
            fences = [(bytes(key), start) for key, start in cursor.fetchall()]
        fences[:1] = [(b"", 0)]
        ends = [*(start for _, start in fences[1:]), total]
        bucket.objects.bulk_create(
            bucket(config_id=config, low=low, n=end - start)
            for (low, start), end in zip(fences, ends, strict=True)
        )


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0011_private_participants"),
    ]

    operations = [
        migrations.CreateModel(
            name="Bucket",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("low", models.BinaryField()),
                ("n", models.PositiveIntegerField(editable=False)),
                (
                    "config",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="buckets",
                        to="leaderboard.scoringconfig",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("config", "low"), name="one_bucket_per_key")
                ],
            },
        ),
        migrations.RunPython(keep_room, migrations.RunPython.noop),
        migrations.RunPython(build, migrations.RunPython.noop),
    ]
