"""Notices of users, and mail that is written before it is sent. Nobody is told of what was before."""

import django.db.models.deletion
import django.db.models.functions.datetime
import leaderboard.rules.ids
from django.conf import settings
from django.db import migrations, models
from django.db.models import F
from django.db.models.functions import Now


def keep_choices(apps, schema_editor):
    users = apps.get_model("leaderboard", "User").objects
    for user in users.exclude(mail_off=[]).iterator():
        ways = dict.fromkeys(user.mail_off, "page")
        users.filter(pk=user.pk).update(notice_ways=ways)
    apps.get_model("leaderboard", "EventLog").objects.update(relayed=F("seq"))
    phases = apps.get_model("leaderboard", "Phase").objects
    phases.filter(opens_at__lte=Now()).update(opening_logged=F("opens_at"))
    phases.filter(closes_at__lte=Now()).update(closing_logged=F("closes_at"))


class Migration(migrations.Migration):

    dependencies = [
        ('leaderboard', '0115_roles_of_files'),
    ]

    operations = [
        migrations.AddField(
            model_name='boardcertainty',
            name='before',
            field=models.BinaryField(null=True),
        ),
        migrations.AddField(
            model_name='boardcertainty',
            name='told_at',
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name='eventlog',
            name='relayed',
            field=models.PositiveBigIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name='phase',
            name='closing_logged',
            field=models.DateTimeField(editable=False, help_text='The `closes_at` of which the log says that it has passed.', null=True, verbose_name='closing logged'),
        ),
        migrations.AddField(
            model_name='phase',
            name='opening_logged',
            field=models.DateTimeField(editable=False, help_text='The `opens_at` of which the log says that it has passed.', null=True, verbose_name='opening logged'),
        ),
        migrations.AddField(
            model_name='user',
            name='notice_ways',
            field=models.JSONField(blank=True, db_default=models.Value({}, models.JSONField()), default=dict, editable=False, help_text='How the user is told of each kind of notice, where they chose.'),
        ),
        migrations.AddField(
            model_name='user',
            name='time_zone',
            field=models.CharField(blank=True, db_default='', default='', editable=False, help_text='In which daily mail arrives in the morning. Empty: UTC.', max_length=64),
        ),
        migrations.CreateModel(
            name='OutgoingMail',
            fields=[
                ('id', models.UUIDField(default=leaderboard.rules.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('address', models.CharField(max_length=254)),
                ('reply_to', models.CharField(blank=True, default='', max_length=254)),
                ('subject', models.TextField()),
                ('text', models.TextField()),
                ('kind', models.CharField(blank=True, default='', max_length=20)),
                ('due_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), db_index=True)),
                ('lease_until', models.DateTimeField(null=True)),
                ('tries', models.PositiveSmallIntegerField(default=0)),
                ('letter', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='outgoing', to='leaderboard.letter')),
                ('user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='outgoing_mail', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='Notice',
            fields=[
                ('id', models.UUIDField(default=leaderboard.rules.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('key', models.CharField(max_length=120)),
                ('kind', models.CharField(max_length=20)),
                ('what', models.CharField(max_length=20)),
                ('body', models.JSONField(default=dict)),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('read_at', models.DateTimeField(null=True)),
                ('mail_at', models.DateTimeField(null=True)),
                ('challenge', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='leaderboard.challenge')),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='notices', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('read_at', None)), fields=['user'], name='notices_unread'), models.Index(condition=models.Q(('mail_at', None), _negated=True), fields=['mail_at'], name='notices_to_mail')],
                'constraints': [models.UniqueConstraint(fields=('user', 'key'), name='one_notice_of_each')],
            },
        ),
        migrations.RunPython(keep_choices, migrations.RunPython.noop),
        migrations.RemoveField(
            model_name='user',
            name='mail_off',
        ),
    ]
