"""How far a board has moved with its columns, which a release before them leaves as it is."""

from django.db import migrations, models


def as_their_boards(apps, schema_editor):
    """Columns that are there already are right."""
    versions = apps.get_model("leaderboard", "Challenge").objects.filter(
        configs=models.OuterRef("config")
    )
    apps.get_model("leaderboard", "SortedColumn").objects.update(
        unwritten=models.Subquery(versions.values("board_version")[:1])
    )


class Migration(migrations.Migration):

    dependencies = [
        ('leaderboard', '0020_columns_are_built_in_pieces'),
    ]

    operations = [
        migrations.AddField(
            model_name='challenge',
            name='version_with_columns',
            field=models.PositiveBigIntegerField(db_default=0, default=0, editable=False, help_text="Moves with the board's version, unless a release before sorted columns writes."),
        ),
        migrations.AddField(
            model_name='sortedcolumn',
            name='unwritten',
            field=models.BigIntegerField(db_default=0, default=0, editable=False),
        ),
        migrations.RunPython(as_their_boards, migrations.RunPython.noop),
    ]
