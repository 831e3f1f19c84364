from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy

from leaderboard.models.attempt import Attempt
from leaderboard.models.challenge_file import LONGEST_PATH
from leaderboard.models.scoring_config import ScoringConfig


class ProgramRun(models.Model):
    """One run of a program for one attempt: of its submitted code, or of the scoring of its file.

    code: identifies the program with its files and packages. part: the rows or splits that counted.
    values: the numbers by name. output: what the program printed; for organisers, and for
    participants in the step `ingestion`. notes: for organisers, what was left out of the answer.
    path: the results of an ingestion as a zip in the storage `files`. tries: how many workers have
    started it; one more than the first means that a worker was lost.
    """

    class Step(models.TextChoices):
        INGESTION = "ingestion", gettext_lazy("Ingestion")
        SCORING = "scoring", gettext_lazy("Scoring")

    attempt = models.ForeignKey(Attempt, models.CASCADE, related_name="program_runs")
    config = models.ForeignKey(ScoringConfig, models.CASCADE, related_name="+")
    step = models.CharField(max_length=10, choices=Step.choices)
    code = models.CharField(max_length=64)
    part = models.CharField(max_length=10, default="all")
    values = models.JSONField(null=True)
    error_code = models.CharField(max_length=20, blank=True)
    error_message = models.CharField(max_length=500, blank=True)
    error_detail = models.TextField(blank=True)
    output = models.TextField(blank=True)
    notes = models.JSONField(default=list)
    seconds = models.FloatField(null=True, help_text=gettext_lazy("Seconds on the clock."))
    peak_bytes = models.PositiveBigIntegerField(null=True)
    path = models.CharField(max_length=LONGEST_PATH, blank=True, editable=False)
    tries = models.PositiveSmallIntegerField(default=0)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = gettext_lazy("run of a program")
        verbose_name_plural = gettext_lazy("runs of programs")
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["attempt", "config", "step"], name="one_program_run_per_step"
            )
        ]

    def __str__(self) -> str:
        return f"{self.step} of {self.attempt_id}"

    @property
    def was_repeated(self) -> bool:
        """Whether a worker was lost in the middle of it, so that another one ran it again."""
        return self.tries > 1
