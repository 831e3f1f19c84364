from __future__ import annotations

from django.db import models

from leaderboard.models.attempt import Attempt
from leaderboard.models.block import Block


class Evaluation(models.Model):
    """The instances that an attempt submitted, in tables of their own.

    `metrics` and `extra` are the submitted document's list of metrics and its other fields. If the
    challenge has references, an attempt submits only outputs by id: `outputs_only` is then true,
    and the instances have neither inputs nor references of their own. The blocks then have the same
    ids in the same order as those of the challenge's references; an id without outputs in the
    submission is an instance without outputs.
    """

    attempt = models.OneToOneField(
        Attempt, models.CASCADE, primary_key=True, related_name="evaluation"
    )
    outputs_only = models.BooleanField(default=False)
    metrics = models.JSONField(default=list)
    extra = models.JSONField(default=dict)

    def __str__(self) -> str:
        return f"evaluation of {self.attempt_id}"


class InstanceBlock(Block):
    """A block of an attempt's instances: rows of `rules.rewards.instances.Instance`."""

    evaluation = models.ForeignKey(Evaluation, models.CASCADE, related_name="blocks")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["evaluation", "number"], name="one_instance_block")
        ]

    def __str__(self) -> str:
        return f"block {self.number} of {self.evaluation_id}"
