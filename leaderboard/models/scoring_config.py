from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import models

from leaderboard.rules.ranking import Ranking, RankKey

if TYPE_CHECKING:
    from leaderboard.models.challenge import Challenge


class ScoringConfig(models.Model):
    """A numbered revision of how a challenge is scored and ranked. It never changes.

    The fields from `strategy` to `timeout_ms` are frozen; the rest is the state of the rescore
    that brings all attempts under it.
    """

    class Strategy(models.TextChoices):
        FIRST = "first"
        FASTEST = "fastest"
        FEWEST_TOKENS = "fewest_tokens"
        HIGHEST_RATING = "highest_rating"
        CUSTOM = "custom"
        METRIC = "metric"

    class Counting(models.TextChoices):
        BEST = "best"
        LATEST = "latest"

    FROZEN = (
        "strategy",
        "plugin_id",
        "entrypoint",
        "config",
        "rank_by",
        "only_succeeded",
        "counting",
        "timeout_ms",
    )

    challenge: models.ForeignKey[Challenge, Challenge] = models.ForeignKey(
        "leaderboard.Challenge", models.CASCADE, related_name="configs"
    )
    number = models.PositiveIntegerField()
    strategy = models.CharField(max_length=14, choices=Strategy.choices)
    plugin_id = models.CharField(max_length=120, blank=True)
    entrypoint = models.CharField(max_length=255, blank=True)
    config = models.JSONField(default=dict, blank=True)
    rank_by = models.JSONField(default=list, blank=True)
    only_succeeded = models.BooleanField(default=False)
    counting = models.CharField(max_length=6, choices=Counting.choices, default=Counting.BEST)
    timeout_ms = models.PositiveIntegerField(default=5000)
    public_details = models.BooleanField(
        default=False, help_text="Whether the scorer declares its details fit for everyone."
    )
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    keeps_state = models.BooleanField(
        default=False,
        help_text="The scorer gave another result in a used process: it is run one by one.",
    )
    rescore_started_at = models.DateTimeField(null=True, editable=False)
    rescore_finished_at = models.DateTimeField(null=True, editable=False)
    rescore_total = models.PositiveIntegerField(default=0, editable=False)

    class Meta:
        ordering = ["challenge", "-number"]
        constraints = [
            models.UniqueConstraint(fields=["challenge", "number"], name="one_config_per_number")
        ]

    def __str__(self) -> str:
        return f"version {self.number} of {self.challenge_id}"

    @property
    def ranking(self) -> Ranking:
        """How attempts under this config are ordered."""
        return Ranking(
            strategy=self.strategy,  # type: ignore[arg-type]
            rank_by=tuple(RankKey(key["key"], key["direction"]) for key in self.rank_by),
            only_succeeded=self.only_succeeded,
            counting=self.counting,  # type: ignore[arg-type]
        )

    @property
    def runs_scorer(self) -> bool:
        return self.strategy == self.Strategy.CUSTOM

    @property
    def is_rescoring(self) -> bool:
        return self.rescore_started_at is not None and self.rescore_finished_at is None

    def frozen_fields(self) -> dict[str, Any]:
        """Everything that a change of would make a new revision."""
        return {name: getattr(self, name) for name in self.FROZEN}
