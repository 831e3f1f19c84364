from django.db import migrations


def compute_again(apps, schema_editor):
    """Let workers compute what is stored of boards again: strips follow declared bounds now."""
    apps.get_model("leaderboard", "Board").objects.exclude(judged_version=None).update(
        judged_version=None
    )


class Migration(migrations.Migration):

    dependencies = [
        ("leaderboard", "0079_answers_of_members"),
    ]

    operations = [
        migrations.RunPython(compute_again, migrations.RunPython.noop, elidable=True),
    ]
