"""Attempts carry what the order of the queue needs: tenant, priority, `queued_at` and `due_at`.

Until now the queue was ordered by `submitted_at`. What waits keeps that order.
"""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models


def take_places(apps, schema_editor):
    Attempt = apps.get_model("leaderboard", "Attempt")
    Challenge = apps.get_model("leaderboard", "Challenge")
    tenant = Challenge.objects.filter(pk=models.OuterRef("challenge")).values("tenant")
    Attempt.objects.update(
        tenant=models.Subquery(tenant),
        queued_at=models.F("submitted_at"),
        due_at=models.F("submitted_at"),
    )
    if schema_editor.connection.vendor == "postgresql":
        # A table cannot be altered while checks of its rows are put off.
        schema_editor.execute("SET CONSTRAINTS ALL IMMEDIATE")


class Migration(migrations.Migration):

    dependencies = [
        ('leaderboard', '0014_standings_by_facts'),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name='attempt',
            name='attempts_by_status',
        ),
        migrations.AddField(
            model_name='attempt',
            name='due_at',
            field=models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, help_text='Its place among the attempts of its tenant that wait.'),
        ),
        migrations.AddField(
            model_name='attempt',
            name='priority',
            field=models.PositiveSmallIntegerField(choices=[(0, 'Fresh'), (1, 'History')], db_default=0, editable=False),
        ),
        migrations.AddField(
            model_name='attempt',
            name='queued_at',
            field=models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, help_text="When it began to wait, by the database's clock."),
        ),
        migrations.AddField(
            model_name='attempt',
            name='tenant',
            field=models.ForeignKey(null=True, db_index=False, editable=False, help_text='That of the challenge, kept here for the order of the queue.', on_delete=django.db.models.deletion.PROTECT, related_name='attempts', to='leaderboard.tenant'),
        ),
        migrations.RunPython(take_places, migrations.RunPython.noop),
        migrations.AlterField(
            model_name='attempt',
            name='tenant',
            field=models.ForeignKey(db_index=False, editable=False, help_text='That of the challenge, kept here for the order of the queue.', on_delete=django.db.models.deletion.PROTECT, related_name='attempts', to='leaderboard.tenant'),
        ),
        migrations.AddField(
            model_name='tenant',
            name='served_at',
            field=models.DateTimeField(editable=False, help_text='When a worker last took one of its attempts.', null=True),
        ),
        migrations.AddIndex(
            model_name='attempt',
            index=models.Index(condition=models.Q(('instance_count__isnull', True), ('status__in', ('queued', 'scoring'))), fields=['tenant', 'priority', 'due_at'], name='attempts_short'),
        ),
        migrations.AddIndex(
            model_name='attempt',
            index=models.Index(condition=models.Q(('instance_count__isnull', False), ('status__in', ('queued', 'scoring'))), fields=['tenant', 'priority', 'due_at'], name='attempts_long'),
        ),
        migrations.AddIndex(
            model_name='attempt',
            index=models.Index(condition=models.Q(('status__in', ('queued', 'scoring'))), fields=['participant', 'priority', 'due_at'], name='attempts_waiting_of_one'),
        ),
        migrations.AddIndex(
            model_name='attempt',
            index=models.Index(condition=models.Q(('status__in', ('queued', 'scoring'))), fields=['queued_at'], name='attempts_queued'),
        ),
        migrations.AddIndex(
            model_name='attempt',
            index=models.Index(condition=models.Q(('lease_until__isnull', False)), fields=['lease_until'], name='attempts_leased'),
        ),
        migrations.AddIndex(
            model_name='attempt',
            index=models.Index(condition=models.Q(('status', 'held')), fields=['challenge'], name='attempts_held'),
        ),
    ]
