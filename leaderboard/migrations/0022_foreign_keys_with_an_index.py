"""An index for each foreign key that a deletion follows.

Values of large boards in order are derived data: their table is made anew with the other primary
key, and workers fill it again.
"""

import django.db.models.deletion
from django.db import migrations, models


def keep_visible(apps, schema_editor):
    """As migration 0019 does: PostgreSQL counts by an index alone where rows are vacuumed."""
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(
            "ALTER TABLE leaderboard_sortedvalue SET (autovacuum_vacuum_scale_factor = 0.02)"
        )


def build_again(apps, schema_editor):
    apps.get_model("leaderboard", "SortedColumn").objects.exclude(state="dropped").update(
        state="building", done_to=0
    )


class Migration(migrations.Migration):

    dependencies = [
        ('leaderboard', '0021_columns_know_who_writes_them'),
    ]

    operations = [
        migrations.AlterField(
            model_name='attempt',
            name='tenant',
            field=models.ForeignKey(db_constraint=False, db_index=False, editable=False, help_text='That of the challenge, kept here for the order of the queue.', on_delete=django.db.models.deletion.DO_NOTHING, related_name='attempts', to='leaderboard.tenant'),
        ),
        migrations.AddIndex(
            model_name='attempt',
            index=models.Index(fields=['scoring_config'], name='attempts_of_config'),
        ),
        migrations.AlterField(
            model_name='score',
            name='config',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='scores', to='leaderboard.scoringconfig'),
        ),
        migrations.AddIndex(
            model_name='standing',
            index=models.Index(fields=['attempt'], name='standings_of_attempt'),
        ),
        migrations.DeleteModel(
            name='SortedValue',
        ),
        migrations.CreateModel(
            name='SortedValue',
            fields=[
                ('pk', models.CompositePrimaryKey('participant_id', 'column_id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('up', models.FloatField(editable=False)),
                ('down', models.FloatField(editable=False)),
                ('sort_key', models.BinaryField()),
                ('column', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='leaderboard.sortedcolumn')),
                ('participant', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='leaderboard.participant')),
            ],
            options={
                'indexes': [
                    models.Index(fields=['column', 'up', 'sort_key', 'participant'], name='values_upwards'),
                    models.Index(fields=['column', 'down', 'sort_key', 'participant'], name='values_downwards'),
                ],
            },
        ),
        migrations.RunPython(keep_visible, migrations.RunPython.noop),
        migrations.RunPython(build_again, build_again),
    ]
