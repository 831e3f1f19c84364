from django.db import migrations, models

from leaderboard.rules.skeletons import skeleton

ROWS = 500


def fill_skeletons(apps, schema_editor):
    """What each participant's shown name looks like, some hundred rows at a time."""
    participants = apps.get_model("leaderboard", "Participant").objects.using(
        schema_editor.connection.alias
    )
    last = 0
    while rows := list(participants.filter(pk__gt=last).order_by("pk")[:ROWS]):
        for row in rows:
            row.skeleton = skeleton(row.name or row.handle)
        participants.bulk_update(rows, ["skeleton"])
        last = rows[-1].pk


class Migration(migrations.Migration):

    dependencies = [
        ("leaderboard", "0002_text_evaluation"),
    ]

    operations = [
        migrations.AddField(
            model_name="participant",
            name="skeleton",
            field=models.CharField(
                blank=True,
                default="",
                editable=False,
                help_text="Equal for names that are drawn alike: `rules.skeletons` of the shown name.",
                max_length=400,
            ),
            preserve_default=False,
        ),
        migrations.AddIndex(
            model_name="participant",
            index=models.Index(fields=["tenant", "skeleton"], name="participants_alike"),
        ),
        migrations.RunPython(fill_skeletons, migrations.RunPython.noop),
    ]
