from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("leaderboard", "0063_the_value_of_bertscore_is_f1"),
    ]

    operations = [
        migrations.AddField(
            model_name="scoringconfig",
            name="max_outputs",
            field=models.PositiveIntegerField(
                blank=True,
                help_text="How many outputs of an instance may be sent and count; empty: one.",
                null=True,
            ),
        ),
    ]
