"""Nothing of a cancelled attempt is readable, also of one that was cancelled before."""

from django.db import migrations, models


def forget_runs_of_cancelled(apps, schema_editor):
    scores = apps.get_model("leaderboard", "Score").objects.filter(error_code="cancelled")
    runs = apps.get_model("leaderboard", "MetricRun").objects
    runs.filter(evaluation__in=scores.values("attempt")).delete()


class Migration(migrations.Migration):

    dependencies = [
        ("leaderboard", "0065_directions_of_win_rates"),
    ]

    operations = [
        migrations.AddField(
            model_name="attempt",
            name="retried_at",
            field=models.DateTimeField(
                editable=False,
                help_text="When it was last queued again after it had ended.",
                null=True,
                verbose_name="retried at",
            ),
        ),
        migrations.RunPython(forget_runs_of_cancelled, migrations.RunPython.noop),
    ]
