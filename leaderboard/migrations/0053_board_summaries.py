from typing import Any

from django.db import migrations, models


def judge_again(apps: Any, schema_editor: Any) -> None:
    """Let workers compute what is stored of each board again, because they store more now."""
    apps.get_model("leaderboard", "Board").objects.update(judged_version=None)


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0052_movements")]

    operations = [
        migrations.AddField(
            model_name="boardcertainty",
            name="in_a_week",
            field=models.PositiveIntegerField(db_default=0, default=0, editable=False),
        ),
        migrations.AddField(
            model_name="boardcertainty",
            name="summary",
            field=models.BinaryField(null=True),
        ),
        migrations.RunPython(judge_again, migrations.RunPython.noop),
    ]
