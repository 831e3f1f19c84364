"""Columns that are being built or dropped, and how far. Those that are there already are ready."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('leaderboard', '0019_sorted_columns'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='sortedcolumn',
            name='one_sorted_column_per_key',
        ),
        migrations.AddField(
            model_name='sortedcolumn',
            name='done_to',
            field=models.BigIntegerField(db_default=0, default=0, editable=False),
        ),
        migrations.AddField(
            model_name='sortedcolumn',
            name='state',
            field=models.CharField(choices=[('building', 'Building'), ('ready', 'Ready'), ('dropped', 'Dropped')], db_default='ready', default='building', editable=False, max_length=8),
        ),
        migrations.AlterField(
            model_name='sortedcolumn',
            name='config',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='sorted_columns', to='leaderboard.scoringconfig'),
        ),
        migrations.AddConstraint(
            model_name='sortedcolumn',
            constraint=models.UniqueConstraint(condition=models.Q(('state', 'dropped'), _negated=True), fields=('config', 'key'), name='one_sorted_column_per_key'),
        ),
    ]
