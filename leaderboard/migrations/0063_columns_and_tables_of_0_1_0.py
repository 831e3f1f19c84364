"""What 0.1.0 stores more than a database at 0062. The next migration fills it for existing rows."""

import django.core.validators
import django.db.models.deletion
import django.db.models.functions.datetime
import leaderboard.rules.ids
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('leaderboard', '0001_squashed_0062'),
    ]

    operations = [
        migrations.AddField(
            model_name='scoringconfig',
            name='max_outputs',
            field=models.PositiveIntegerField(blank=True, help_text='How many outputs of an instance may be sent and count; empty: one.', null=True),
        ),
        migrations.AddField(
            model_name='scoringconfig',
            name='switched_at',
            field=models.DateTimeField(editable=False, help_text='When the board switched to it, because all attempts were scored under it.', null=True),
        ),
        migrations.AddField(
            model_name='attempt',
            name='retried_at',
            field=models.DateTimeField(editable=False, help_text='When it was last queued again after it had ended.', null=True, verbose_name='retried at'),
        ),
        migrations.AddField(
            model_name='attempt',
            name='agreed_until',
            field=models.DateTimeField(blank=True, editable=False, help_text='Until when its participant could submit after the end of the phase, by agreement.', null=True, verbose_name='agreed until'),
        ),
        migrations.AddField(
            model_name='phase',
            name='least_improvement',
            field=models.FloatField(blank=True, help_text='By how much an attempt has to improve the score that counts; empty: any improvement.', null=True, verbose_name='least improvement'),
        ),
        migrations.AddConstraint(
            model_name='phase',
            constraint=models.CheckConstraint(condition=models.Q(('least_improvement__isnull', True), ('least_improvement__gt', 0), _connector='OR'), name='phases_need_an_improvement'),
        ),
        migrations.AddField(
            model_name='phase',
            name='grace_seconds',
            field=models.PositiveSmallIntegerField(db_default=0, default=0, help_text='Seconds after it closes in which attempts may still arrive.', validators=[django.core.validators.MaxValueValidator(3600)], verbose_name='grace in seconds'),
        ),
        migrations.AddField(
            model_name='phase',
            name='limits_per',
            field=models.CharField(choices=[('account', 'Account'), ('name', 'Name')], db_default='account', default='account', help_text='For whom the limits count.', max_length=7, verbose_name='limits per'),
        ),
        migrations.AddField(
            model_name='phase',
            name='finals_wait_until',
            field=models.DateTimeField(editable=False, help_text='Until when the final scores wait, so that a mistaken end can be taken back.', null=True, verbose_name='finals wait until'),
        ),
        migrations.AddField(
            model_name='phase',
            name='face',
            field=models.BooleanField(db_default=False, default=False, help_text='Whether the challenge shows this phase where none is named.', verbose_name='face'),
        ),
        migrations.AddField(
            model_name='phase',
            name='has_late',
            field=models.BooleanField(db_default=False, default=False, editable=False, help_text='Whether an attempt was submitted after its end, by agreement.', verbose_name='has late attempts'),
        ),
        migrations.AddIndex(
            model_name='registration',
            index=models.Index(fields=['challenge', 'status'], name='registrations_by_status'),
        ),
        migrations.AddField(
            model_name='registration',
            name='appeal_answer',
            field=models.TextField(blank=True, db_default='', default='', verbose_name='answer to the appeal'),
        ),
        migrations.AddField(
            model_name='registration',
            name='appeal_answered_at',
            field=models.DateTimeField(blank=True, null=True, verbose_name='appeal answered at'),
        ),
        migrations.AddField(
            model_name='user',
            name='is_self_named',
            field=models.BooleanField(db_default=False, default=False, help_text='Whether the user chose the username at sign-up. Such a username invites nobody to a challenge, because everybody could have chosen it.', verbose_name='chose the username'),
        ),
        migrations.AddField(
            model_name='user',
            name='skeleton',
            field=models.CharField(blank=True, db_default='', db_index=True, default='', editable=False, help_text='Equal for usernames that are drawn alike.', max_length=400),
        ),
        migrations.AddField(
            model_name='user',
            name='mail_off',
            field=models.JSONField(blank=True, db_default=models.Value([], models.JSONField()), default=list, editable=False, help_text='The kinds of mail that the user does not want.'),
        ),
        migrations.AddField(
            model_name='teammerge',
            name='asked_name',
            field=models.CharField(blank=True, db_default='', default='', help_text='The name as the captain wrote it.', max_length=140, verbose_name='asked name'),
        ),
        migrations.AlterField(
            model_name='teammerge',
            name='into',
            field=models.ForeignKey(blank=True, help_text='The team that gets its members and attempts.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='merges_into', to='leaderboard.participant', verbose_name='into'),
        ),
        migrations.AddField(
            model_name='registrationrules',
            name='waiting_told_at',
            field=models.DateTimeField(editable=False, help_text='When organisers last got mail about waiting registrations.', null=True, verbose_name='waiting told at'),
        ),
        migrations.RemoveConstraint(
            model_name='grant',
            name='grants_give_some',
        ),
        migrations.AlterField(
            model_name='grant',
            name='extra',
            field=models.PositiveIntegerField(help_text='Attempts on top of each limit per day, per week and in total.', verbose_name='extra'),
        ),
        migrations.AlterField(
            model_name='grant',
            name='participant',
            field=models.ForeignKey(help_text='Empty: all participants.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='grants', to='leaderboard.participant', verbose_name='participant'),
        ),
        migrations.AddConstraint(
            model_name='grant',
            constraint=models.CheckConstraint(condition=models.Q(('extra__gte', 1), models.Q(('participant__isnull', False), ('until__isnull', False)), _connector='OR'), name='grants_give_attempts_or_time'),
        ),
        migrations.AddField(
            model_name='entry',
            name='answers',
            field=models.JSONField(blank=True, db_default={}, default=dict, help_text='Of a member who joined; those of the captain are the team’s.', verbose_name='answers'),
        ),
        migrations.AddField(
            model_name='board',
            name='unseen_changes',
            field=models.PositiveBigIntegerField(db_default=0, default=0, editable=False),
        ),
        migrations.AlterField(
            model_name='onetimelink',
            name='challenge',
            field=models.ForeignKey(blank=True, help_text='Where the team takes part, or where an invitation leads.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='team_links', to='leaderboard.challenge'),
        ),
        migrations.CreateModel(
            name='ImportJob',
            fields=[
                ('id', models.UUIDField(default=leaderboard.rules.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('state', models.CharField(choices=[('waiting', 'Waiting'), ('working', 'Working'), ('done', 'Done'), ('failed', 'Failed')], default='waiting', max_length=7)),
                ('dry_run', models.BooleanField(default=True)),
                ('asked', models.JSONField()),
                ('content', models.BinaryField()),
                ('attempts', models.PositiveIntegerField(null=True)),
                ('result', models.JSONField(null=True)),
                ('error', models.JSONField(null=True)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('lease_token', models.UUIDField(null=True)),
                ('lease_until', models.DateTimeField(null=True)),
                ('deliveries', models.PositiveSmallIntegerField(default=0)),
                ('challenge', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='import_jobs', to='leaderboard.challenge')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='import_jobs', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'indexes': [models.Index(fields=['state', 'lease_until'], name='import_jobs_to_do')],
            },
        ),
        migrations.CreateModel(
            name='AccountUse',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=5, verbose_name='kind')),
                ('period', models.CharField(blank=True, max_length=10, verbose_name='period')),
                ('used', models.PositiveIntegerField(verbose_name='used')),
                ('phase', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='account_uses', to='leaderboard.phase', verbose_name='phase')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='user')),
            ],
            options={
                'verbose_name': 'use of a quota by an account',
                'verbose_name_plural': 'uses of quotas by accounts',
                'constraints': [models.UniqueConstraint(fields=('phase', 'user', 'kind', 'period'), name='one_account_use_per_period'), models.CheckConstraint(condition=models.Q(('used__gte', 0)), name='account_uses_are_not_negative')],
            },
        ),
        migrations.CreateModel(
            name='AskedMerge',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name_key', models.CharField(max_length=400, verbose_name='name key')),
                ('asked_at', models.DateTimeField(verbose_name='asked at')),
                ('challenge', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='leaderboard.challenge', verbose_name='challenge')),
                ('into', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='leaderboard.participant', verbose_name='into')),
                ('team', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='leaderboard.participant', verbose_name='team')),
            ],
            options={
                'verbose_name': 'request to merge',
                'verbose_name_plural': 'requests to merge',
                'constraints': [models.UniqueConstraint(fields=('challenge', 'team', 'name_key'), name='one_asked_merge_per_name')],
            },
        ),
        migrations.CreateModel(
            name='ReservedName',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.CharField(max_length=64, verbose_name='digest')),
                ('since', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), verbose_name='since')),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='leaderboard.tenant', verbose_name='tenant')),
            ],
            options={
                'verbose_name': 'reserved name',
                'verbose_name_plural': 'reserved names',
                'constraints': [models.UniqueConstraint(fields=('tenant', 'digest'), name='one_reservation_per_name')],
            },
        ),
        migrations.CreateModel(
            name='Letter',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), verbose_name='at')),
                ('subject', models.CharField(max_length=150, verbose_name='subject')),
                ('text', models.TextField(verbose_name='text')),
                ('addresses', models.PositiveIntegerField(verbose_name='addresses')),
                ('sent', models.PositiveIntegerField(default=0, verbose_name='sent')),
                ('refused', models.JSONField(blank=True, default=list, verbose_name='refused')),
                ('ended_at', models.DateTimeField(blank=True, null=True, verbose_name='ended at')),
                ('by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='by')),
                ('challenge', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='letters', to='leaderboard.challenge', verbose_name='challenge')),
            ],
            options={
                'verbose_name': 'letter',
                'verbose_name_plural': 'letters',
                'ordering': ['-at', '-pk'],
            },
        ),
        migrations.CreateModel(
            name='BlockedBoard',
            fields=[
                ('challenge_id', models.UUIDField(primary_key=True, serialize=False)),
                ('since', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('until', models.DateTimeField()),
                ('code', models.CharField(max_length=40)),
                ('holders', models.JSONField(default=list)),
            ],
        ),
    ]
