from __future__ import annotations

from django.db import models

from leaderboard.models.participant import Participant
from leaderboard.models.phase import Phase
from leaderboard.rules.ranking.standing_draft import ONE_ROW


class PublicRank(models.Model):
    """The rank that a row had on the public tasks when the final scores of a phase replaced them.

    `slot`: as in `Standing`. `value`: its first ranked value, if it had one.
    """

    phase = models.ForeignKey(Phase, models.CASCADE, related_name="public_ranks", db_index=False)
    participant = models.ForeignKey(Participant, models.CASCADE, related_name="+")
    slot = models.UUIDField(default=ONE_ROW, db_default=ONE_ROW)
    rank = models.PositiveIntegerField()
    value = models.FloatField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["phase", "participant", "slot"], name="one_public_rank_per_row"
            )
        ]

    def __str__(self) -> str:
        return f"{self.rank} in {self.phase_id}"
