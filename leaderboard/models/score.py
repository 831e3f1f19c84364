from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from leaderboard.models.attempt import Attempt
from leaderboard.models.json_numbers_field import JsonNumbersField
from leaderboard.models.scoring_config import ScoringConfig

LARGEST = 1.7976931348623157e308
"""The largest finite float: infinities and NaN (which PostgreSQL puts above them) are beyond it."""


class Score(models.Model):
    """The score of one attempt under one scoring config: a value, or an error that says why not.

    `value` is the clamped score, `raw_value` what the scorer returned. `metric_values` are
    `rules.rewards.reductions.MetricValue`s by key; {} for an attempt without samples. `code`
    identifies the code of the plugins that made the score; "" if there are none or it is unknown
    (see `services.board.editions`).
    """

    # One index serves both keys, as queries select scores by attempt. An index that begins with the
    # config would mislead PostgreSQL: until it has counted a new config's scores, it expects none
    # and reads them all for one participant. So the database has no constraint that would need
    # the index: a config is deleted only with its challenge, which then has no attempts.
    attempt = models.ForeignKey(Attempt, models.CASCADE, related_name="scores", db_index=False)
    config = models.ForeignKey(
        ScoringConfig,
        models.DO_NOTHING,
        related_name="scores",
        db_index=False,
        db_constraint=False,
    )
    value = models.FloatField(null=True, blank=True)
    raw_value = models.FloatField(null=True, blank=True)
    metric_values = JsonNumbersField(default=dict, blank=True)
    details = models.JSONField(null=True, blank=True)
    details_note = models.CharField(max_length=200, blank=True)
    error_code = models.CharField(max_length=20, blank=True)
    error_message = models.CharField(max_length=500, blank=True)
    error_detail = models.TextField(blank=True, help_text="For the organiser: the traceback.")
    output = models.TextField(blank=True, help_text="For the organiser: what the scorer printed.")
    duration_ms = models.PositiveIntegerField(default=0)
    code = models.CharField(max_length=64, blank=True, default="", editable=False)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["attempt", "config"], name="one_score_per_attempt_and_config"
            ),
            models.CheckConstraint(
                condition=Q(value__isnull=True) | Q(value__gte=0, value__lte=LARGEST),
                name="score_finite_and_not_negative",
            ),
            models.CheckConstraint(
                condition=Q(raw_value__isnull=True)
                | Q(raw_value__gte=-LARGEST, raw_value__lte=LARGEST),
                name="raw_score_finite",
            ),
            models.CheckConstraint(
                condition=Q(error_code="") | Q(value__isnull=True), name="no_score_with_an_error"
            ),
        ]
        indexes = [
            models.Index(
                fields=["error_code"], name="scores_with_an_error", condition=~Q(error_code="")
            ),
        ]

    def __str__(self) -> str:
        return f"{self.attempt_id}: {self.error_code or self.value}"

    @property
    def clamped(self) -> bool:
        return self.raw_value is not None and self.value != self.raw_value

    @property
    def has_failed(self) -> bool:
        """Whether the scorer or one of the metrics failed, so that a retry may help."""
        return bool(self.error_code) or any(
            value.get("error") for value in self.metric_values.values()
        )
