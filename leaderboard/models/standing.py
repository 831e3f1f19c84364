from __future__ import annotations

from django.db import models
from django.db.models import Q

from leaderboard.models.attempt import Attempt
from leaderboard.models.participant import Participant
from leaderboard.models.scoring_config import ScoringConfig
from leaderboard.rules.ranking import UNRANKED, rank_key_of


class StandingQuerySet(models.QuerySet["Standing"]):
    def of(self, config: ScoringConfig) -> StandingQuerySet:
        """The board of one scoring config, best first."""
        return self.filter(config=config).order_by("sort_key")

    def ranked(self) -> StandingQuerySet:
        return self.filter(sort_key__lt=UNRANKED)

    def ahead_of(self, key: bytes) -> StandingQuerySet:
        """Those before a key: with a sort key, the rows above; with a rank key, the better ones."""
        return self.filter(sort_key__lt=key)

    def with_names(self) -> StandingQuerySet:
        return self.select_related("participant")


class Standing(models.Model):
    """A participant's current line on the board of one scoring config.

    Derived from attempts and scores: it can be thrown away and rebuilt. Ranks are not stored: a
    rank is one more than the number of standings whose sort key is below this one's `rank_key`.

    `values` are the numbers of the attempt by name: its score, facts, metric values and reported
    values. `cells` say more of the metric values: what each is over, how sure it is, and why one
    is not there.
    """

    config = models.ForeignKey(
        ScoringConfig, models.CASCADE, related_name="standings", db_index=False
    )
    participant = models.ForeignKey(Participant, models.CASCADE, related_name="standings")
    attempt = models.ForeignKey(Attempt, models.CASCADE, related_name="+", db_index=False)
    sort_key = models.BinaryField(editable=False)
    pick_key = models.BinaryField(editable=False)
    unranked = models.CharField(max_length=13, blank=True, editable=False)
    values = models.JSONField(default=dict, editable=False)
    cells = models.JSONField(default=dict, editable=False)
    attempts = models.PositiveIntegerField(default=0, editable=False)
    reached_at = models.DateTimeField(editable=False)

    objects = StandingQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["config", "participant"], name="one_standing_per_participant"
            ),
            models.CheckConstraint(
                condition=Q(unranked__in=["", "not_succeeded", "no_value", "failed"])
                | Q(unranked__in=["low_coverage", "withdrawn"]),
                name="unranked_for_a_known_reason",
            ),
        ]
        indexes = [
            models.Index(fields=["config", "sort_key"], name="standings_in_order"),
        ]

    def __str__(self) -> str:
        return f"{self.participant} on {self.config}"

    @property
    def rank_key(self) -> bytes:
        """The ranked values alone, a prefix of the sort key: equal for tied rows."""
        return rank_key_of(bytes(self.sort_key))
