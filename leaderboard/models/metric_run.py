from __future__ import annotations

from django.db import models

from leaderboard.models.block import Block
from leaderboard.models.evaluation import Evaluation
from leaderboard.models.scoring_config import ScoringConfig


class MetricRun(models.Model):
    """One text metric on the instances of one attempt under one scoring config.

    Results are kept block by block, so that a run which is interrupted goes on where it stopped.
    `given` is the metric as its document or challenge names it (`id`, `parameters` and whatever
    else stands there); `key` is the key of its value. `score` is there when the run is finished,
    or `error_code` says why not; `names` are its keys in their order, which PostgreSQL does not
    keep. `elapsed` are the seconds spent computing, all blocks added up.
    """

    evaluation = models.ForeignKey(Evaluation, models.CASCADE, related_name="runs")
    config = models.ForeignKey(ScoringConfig, models.CASCADE, related_name="+")
    position = models.PositiveSmallIntegerField(help_text="Its place in the output document.")
    key = models.CharField(max_length=120)
    given = models.JSONField()
    score = models.JSONField(null=True)
    names = models.JSONField(default=list)
    value = models.JSONField(null=True, help_text="`rules.reductions.MetricValue`s by key.")
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
    """What a metric made of a block of instances: a row for each of them.

    A row is `[result, warning]`: a number or an object of numbers, None where the metric is not
    defined for the instance; and a warning's text, or None. A metric without results for
    instances has rows of nothing. `part` is what the block adds to the score of all: a packed
    `rules.text_values.Part`.
    """

    run = models.ForeignKey(MetricRun, models.CASCADE, related_name="blocks")
    part = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "number"], name="one_result_block")]

    def __str__(self) -> str:
        return f"block {self.number} of {self.run_id}"
