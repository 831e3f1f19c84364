from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("leaderboard", "0062_pending_entries_of_searched_names"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="registration",
            index=models.Index(fields=["challenge", "status"], name="registrations_by_status"),
        ),
    ]
