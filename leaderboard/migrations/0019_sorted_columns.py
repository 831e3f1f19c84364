"""Values of large boards in order. Workers fill the tables: see `services.sorted_columns`."""

import django.db.models.deletion
from django.db import migrations, models


def keep_visible(apps, schema_editor):
    """PostgreSQL counts by an index alone as long as rows are vacuumed: after one in fifty."""
    if schema_editor.connection.vendor == "postgresql":
        for table in ("leaderboard_standing", "leaderboard_sortedvalue"):
            schema_editor.execute(
                f"ALTER TABLE {table} SET (autovacuum_vacuum_scale_factor = 0.02)"
            )


def as_before(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(
            "ALTER TABLE leaderboard_standing RESET (autovacuum_vacuum_scale_factor)"
        )


class Migration(migrations.Migration):

    dependencies = [
        ('leaderboard', '0018_strategies_are_files'),
    ]

    operations = [
        migrations.CreateModel(
            name='SortedColumn',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.TextField(editable=False)),
                ('config', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='sorted_columns', to='leaderboard.scoringconfig')),
            ],
        ),
        migrations.CreateModel(
            name='SortedValue',
            fields=[
                ('pk', models.CompositePrimaryKey('column_id', 'participant_id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('up', models.FloatField(editable=False)),
                ('down', models.FloatField(editable=False)),
                ('sort_key', models.BinaryField()),
                ('column', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='leaderboard.sortedcolumn')),
                ('participant', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='leaderboard.participant')),
            ],
        ),
        migrations.AddConstraint(
            model_name='sortedcolumn',
            constraint=models.UniqueConstraint(fields=('config', 'key'), name='one_sorted_column_per_key'),
        ),
        migrations.AddIndex(
            model_name='sortedvalue',
            index=models.Index(fields=['column', 'up', 'sort_key', 'participant'], name='values_upwards'),
        ),
        migrations.AddIndex(
            model_name='sortedvalue',
            index=models.Index(fields=['column', 'down', 'sort_key', 'participant'], name='values_downwards'),
        ),
        migrations.RunPython(keep_visible, as_before),
    ]
