"""Which phase a challenge shows. Challenges with several phases go on showing the current one."""

from django.db import migrations, models
from django.db.models import Count


def name_all_phases(apps, schema_editor):
    Phase = apps.get_model("leaderboard", "Phase")
    several = Phase.objects.order_by().values("challenge").annotate(phases=Count("pk"))
    ids = [row["challenge"] for row in several.filter(phases__gt=1)]
    for start in range(0, len(ids), 500):
        Phase.objects.filter(challenge__in=ids[start : start + 500]).update(face=True)


class Migration(migrations.Migration):

    dependencies = [
        ("leaderboard", "0076_held_back_ends"),
    ]

    operations = [
        migrations.AddField(
            model_name="phase",
            name="face",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="Whether the challenge shows this phase where none is named.",
                verbose_name="face",
            ),
        ),
        migrations.RunPython(name_all_phases, migrations.RunPython.noop),
    ]
