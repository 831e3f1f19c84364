from __future__ import annotations

from django.db import models

from leaderboard.models.attempt import Attempt
from leaderboard.models.block import Block


class Evaluation(models.Model):
    """The instances that an attempt brought, in tables of their own beside it.

    `metrics` and `extra` are the document's own list of metrics, as it was given, and its other
    fields. An attempt at a challenge that holds the expected outputs brings outputs by id alone:
    then `outputs_only` is true and its instances have neither inputs nor references of their own.
    Its blocks are those of the references that it was submitted for, with the same ids in the
    same order; one that it does not bring is an instance without outputs.
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
    """A block of an attempt's instances: rows of `rules.instances.Instance`."""

    evaluation = models.ForeignKey(Evaluation, models.CASCADE, related_name="blocks")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["evaluation", "number"], name="one_instance_block")
        ]

    def __str__(self) -> str:
        return f"block {self.number} of {self.evaluation_id}"
