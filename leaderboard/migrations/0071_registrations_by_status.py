from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("leaderboard", "0070_import_jobs"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="registration",
            index=models.Index(fields=["challenge", "status"], name="registrations_by_status"),
        ),
    ]
