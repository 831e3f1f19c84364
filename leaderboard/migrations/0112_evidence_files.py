"""Evidence of attempts: stored files and links."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('leaderboard', '0101_webhooks_of_tenants'),
    ]

    operations = [
        migrations.CreateModel(
            name='EvidenceFile',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('task', models.CharField(blank=True, max_length=255)),
                ('sample', models.PositiveIntegerField(null=True)),
                ('kind', models.CharField(choices=[('trajectory', 'Trajectory'), ('log', 'Log'), ('diff', 'Diff'), ('other', 'Other evidence')], max_length=10)),
                ('name', models.CharField(blank=True, max_length=255)),
                ('size', models.PositiveBigIntegerField(default=0)),
                ('sha256', models.CharField(blank=True, max_length=64)),
                ('path', models.CharField(blank=True, editable=False, max_length=200)),
                ('url', models.CharField(blank=True, max_length=500)),
                ('added_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('added_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('attempt', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='evidence_files', to='leaderboard.attempt')),
                ('challenge', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='evidence_files', to='leaderboard.challenge')),
            ],
            options={
                'verbose_name': 'evidence file',
                'verbose_name_plural': 'evidence files',
                'indexes': [models.Index(fields=['attempt', 'task', 'sample', 'id'], name='evidence_of_attempt')],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('path', ''), models.Q(('url', ''), _negated=True)), models.Q(models.Q(('path', ''), _negated=True), ('url', '')), _connector='OR'), name='evidence_is_a_file_or_a_link'), models.UniqueConstraint(condition=models.Q(('path', ''), _negated=True), fields=('path',), name='evidence_has_its_own_file')],
            },
        ),
    ]
