"""Requests to merge keep what was asked for; names of deleted accounts stay reserved."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models
from django.db.models import OuterRef, Subquery


def name_asked_teams(apps, schema_editor):
    TeamMerge = apps.get_model("leaderboard", "TeamMerge")
    Participant = apps.get_model("leaderboard", "Participant")
    slug = Participant.objects.filter(pk=OuterRef("into")).values("slug")
    TeamMerge.objects.filter(merged_at=None).update(asked_name=Subquery(slug))


class Migration(migrations.Migration):

    dependencies = [
        ("leaderboard", "0073_usernames_that_look_alike"),
    ]

    operations = [
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
        migrations.RunPython(name_asked_teams, migrations.RunPython.noop),
    ]
