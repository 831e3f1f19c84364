"""Organisers may keep how a challenge is set to themselves, and secrets leave the configs.

Secrets of configs that are there stay in them until they are sent again: which values are secret
is said by scorers, which a migration cannot ask.
"""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('leaderboard', '0009_tallies'),
    ]

    operations = [
        migrations.AddField(
            model_name='challenge',
            name='config_visibility',
            field=models.CharField(choices=[('public', 'Public'), ('organiser', 'Organiser')], db_default='public', default='public', help_text='Who sees the settings of the scorer and of metrics, and the text of scripts.', max_length=9),
        ),
        migrations.AddField(
            model_name='scoringconfig',
            name='secrets',
            field=models.JSONField(blank=True, db_default=models.Value({}, output_field=models.JSONField()), default=dict, editable=False, help_text='Values that the config has a mask for, by their place in it.'),
        ),
    ]
