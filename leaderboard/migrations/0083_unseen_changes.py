from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("leaderboard", "0082_blocked_boards"),
    ]

    operations = [
        migrations.AddField(
            model_name="board",
            name="unseen_changes",
            field=models.PositiveBigIntegerField(db_default=0, default=0, editable=False),
        ),
    ]
