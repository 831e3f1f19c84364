from django.db import migrations, models


class Migration(migrations.Migration):
    """Call what `Board.outside` is by its name. The unique indexes follow the column."""

    dependencies = [("leaderboard", "0121_evidence_visibility")]

    operations = [
        migrations.RemoveConstraint("board", "one_board_of_a_phase"),
        migrations.RemoveConstraint("board", "one_board_of_a_phase_until"),
        migrations.RenameField("board", "outside", "is_out_of_ranking"),
        migrations.AddConstraint(
            "board",
            models.UniqueConstraint(
                fields=["config", "phase", "is_out_of_ranking"],
                condition=models.Q(until__isnull=True),
                name="one_board_of_a_phase",
            ),
        ),
        migrations.AddConstraint(
            "board",
            models.UniqueConstraint(
                fields=["config", "phase", "until", "is_out_of_ranking"],
                condition=models.Q(until__isnull=False),
                name="one_board_of_a_phase_until",
            ),
        ),
    ]
