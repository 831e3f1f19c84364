"""Which scoring versions a board has begun to show after a rescore.

A rescore that another one replaced ended at the moment when that one began.
"""

from datetime import timedelta

from django.db import migrations, models
from django.db.models import F

AT_ONCE = timedelta(milliseconds=100)


def find_switched(apps, schema_editor):
    configs = apps.get_model("leaderboard", "ScoringConfig").objects
    began = {}
    for challenge, pk, at in configs.filter(rescore_started_at__isnull=False).values_list(
        "challenge", "pk", "rescore_started_at"
    ):
        began.setdefault(challenge, []).append((pk, at))
    ended = configs.filter(
        rescore_finished_at__isnull=False, number__lte=F("challenge__shown_config__number")
    )
    switched = [
        pk
        for pk, challenge, at in ended.values_list("pk", "challenge", "rescore_finished_at")
        if not any(other != pk and abs(at - each) < AT_ONCE for other, each in began[challenge])
    ]
    configs.filter(pk__in=switched).update(switched_at=F("rescore_finished_at"))


class Migration(migrations.Migration):

    dependencies = [
        ("leaderboard", "0067_least_improvement"),
    ]

    operations = [
        migrations.AddField(
            model_name="scoringconfig",
            name="switched_at",
            field=models.DateTimeField(
                editable=False,
                help_text="When the board switched to it, because all attempts were scored under it.",
                null=True,
            ),
        ),
        migrations.RunPython(find_switched, migrations.RunPython.noop),
    ]
