import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("leaderboard", "0081_codes_leave_the_log"),
    ]

    operations = [
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
