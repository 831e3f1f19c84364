from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0115_plugins_of_a_challenge")]

    operations = [
        migrations.AlterField(
            model_name="challengefile",
            name="role",
            field=models.CharField(
                choices=[
                    ("truth", "Truth"),
                    ("scoring_program", "Scoring program"),
                    ("ingestion_program", "Ingestion program"),
                    ("input_data", "Input data"),
                    ("environment", "Locked packages"),
                    ("public_data", "Public data"),
                    ("starting_kit", "Starting kit"),
                    ("sample_submission", "Sample submission"),
                ],
                max_length=20,
                verbose_name="role",
            ),
        ),
    ]
