"""A phase may take attempts for some seconds after it has closed."""

import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("leaderboard", "0068_switched_boards"),
    ]

    operations = [
        migrations.AddField(
            model_name="phase",
            name="grace_seconds",
            field=models.PositiveSmallIntegerField(
                db_default=0,
                default=0,
                help_text="Seconds after it closes in which attempts may still arrive.",
                validators=[django.core.validators.MaxValueValidator(3600)],
                verbose_name="grace in seconds",
            ),
        ),
    ]
