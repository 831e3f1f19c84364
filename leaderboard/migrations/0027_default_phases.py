"""Every challenge has a phase, and every attempt belongs to it.

The phase has neither dates nor limits, so that nothing changes for challenges without phases.
"""

from django.db import migrations, models


def make_phases(apps, schema_editor):
    Challenge = apps.get_model("leaderboard", "Challenge")
    Phase = apps.get_model("leaderboard", "Phase")
    without = Challenge.objects.filter(phases__isnull=True)
    Phase.objects.bulk_create([Phase(challenge=each) for each in without])


def fill_phases(apps, schema_editor):
    Attempt = apps.get_model("leaderboard", "Attempt")
    Phase = apps.get_model("leaderboard", "Phase")
    phase = Phase.objects.filter(challenge=models.OuterRef("challenge")).order_by("position", "pk")
    Attempt.objects.filter(phase=None).update(phase=models.Subquery(phase.values("pk")[:1]))


class Migration(migrations.Migration):

    dependencies = [
        ('leaderboard', '0026_phases'),
    ]

    operations = [
        migrations.RunPython(make_phases, migrations.RunPython.noop),
        migrations.RunPython(fill_phases, migrations.RunPython.noop),
    ]
