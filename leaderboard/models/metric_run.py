from __future__ import annotations

from django.db import models

from leaderboard.models.block import Block
from leaderboard.models.evaluation import Evaluation
from leaderboard.models.scoring_config import ScoringConfig


class MetricRun(models.Model):
    """One text metric on the instances of one attempt under one scoring config.

    Results are stored block by block, so that an interrupted run continues where it stopped.
    `given` is the metric as the document or challenge names it (`id`, `parameters` and other
    fields); `key` is the key of its value. A finished run has a `score`, or an `error_code` that
    says why not; `names` has the score's keys in their order, which PostgreSQL's JSON does not
    preserve. `elapsed` is the computing time of all blocks in seconds.
    """

    evaluation = models.ForeignKey(Evaluation, models.CASCADE, related_name="runs")
    config = models.ForeignKey(ScoringConfig, models.CASCADE, related_name="+")
    position = models.PositiveSmallIntegerField(help_text="Its place in the output document.")
    key = models.CharField(max_length=120)
    given = models.JSONField()
    score = models.JSONField(null=True)
    names = models.JSONField(default=list)
    value = models.JSONField(null=True, help_text="`rules.rewards.reductions.MetricValue`s by key.")
    error_code = models.CharField(max_length=20, blank=True)
    error_message = models.CharField(max_length=500, blank=True)
    error_detail = models.TextField(blank=True, help_text="For the organiser: the traceback.")
    elapsed = models.FloatField(default=0.0)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(
                fields=["evaluation", "config", "position"], name="one_run_per_position"
            )
        ]

    def __str__(self) -> str:
        return f"{self.key} of {self.evaluation_id}"


class ResultBlock(Block):
    """The results of a metric for a block of instances, a row for each instance.

    A row is `[result, warning]`. The result is a number, an object of numbers, or None if the
    metric is not defined for the instance; both are None for a metric without results of instances.
    The warning is a text or None. `part` is the block's contribution to the total score: a packed
    `rules.rewards.text_values.Part`.
    """

    run = models.ForeignKey(MetricRun, models.CASCADE, related_name="blocks")
    part = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "number"], name="one_result_block")]

    def __str__(self) -> str:
        return f"block {self.number} of {self.run_id}"
