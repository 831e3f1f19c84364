"""Names of participants that have only attempted private challenges are free elsewhere."""

from django.db import migrations, models
from django.db.models import Exists, OuterRef


def find_private_ones(apps, schema_editor):
    """Those with attempts, all of them at private challenges."""
    attempts = apps.get_model("leaderboard", "Attempt").objects.filter(participant=OuterRef("pk"))
    participants = apps.get_model("leaderboard", "Participant").objects
    private = participants.filter(
        Exists(attempts), ~Exists(attempts.exclude(challenge__visibility="private"))
    )
    participants.filter(pk__in=list(private.values_list("pk", flat=True))).update(is_private=True)


class Migration(migrations.Migration):

    dependencies = [
        ('leaderboard', '0010_private_configs'),
    ]

    operations = [
        migrations.AddField(
            model_name='participant',
            name='is_private',
            field=models.BooleanField(db_default=False, default=False, editable=False, help_text='Made at a private challenge: elsewhere its name is free, and tells nothing.'),
        ),
        migrations.RunPython(find_private_ones, migrations.RunPython.noop),
        migrations.RemoveConstraint(
            model_name='participant',
            name='one_participant_per_handle',
        ),
        migrations.RemoveConstraint(
            model_name='participant',
            name='one_participant_per_slug',
        ),
        migrations.AddConstraint(
            model_name='participant',
            constraint=models.UniqueConstraint(fields=('tenant', 'handle_key', 'is_private'), name='one_participant_per_handle'),
        ),
        migrations.AddConstraint(
            model_name='participant',
            constraint=models.UniqueConstraint(fields=('tenant', 'slug', 'is_private'), name='one_participant_per_slug'),
        ),
    ]
