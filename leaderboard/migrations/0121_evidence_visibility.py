from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0111_labels")]

    operations = [
        migrations.AddField(
            model_name="challenge",
            name="evidence_visibility",
            field=models.CharField(
                choices=[
                    ("samples", "Everyone who sees the samples"),
                    ("participant", "Participant"),
                    ("organisers", "Organisers"),
                ],
                db_default="samples",
                default="samples",
                help_text="Trajectories, logs, diffs and links: whoever sees the samples, only the"
                " participant, or only organisers and reviewers.",
                max_length=20,
            ),
        ),
    ]
