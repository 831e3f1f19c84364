from django.db import migrations, models

from leaderboard.rules.texts.skeletons import skeleton

ROWS = 5000


def fill_skeletons(apps, schema_editor):
    """What each participant's shown name looks like, some thousand rows at a time."""
    connection = schema_editor.connection
    model = apps.get_model("leaderboard", "Participant")
    participants = model.objects.using(connection.alias).order_by("pk")
    table = connection.ops.quote_name(model._meta.db_table)
    last = 0
    while rows := list(participants.filter(pk__gt=last).values_list("pk", "name", "handle")[:ROWS]):
        found = [(skeleton(name or handle), pk) for pk, name, handle in rows]
        with connection.cursor() as cursor:
            # One UPDATE of many rows by CASE takes twenty times as long.
            cursor.executemany(f"UPDATE {table} SET skeleton = %s WHERE id = %s", found)  # noqa: S608
        last = rows[-1][0]


class Migration(migrations.Migration):

    dependencies = [
        ("leaderboard", "0004_metric_rules"),
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
