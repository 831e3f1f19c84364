from __future__ import annotations

from django.conf import settings
from django.db import models

from leaderboard.models.block import Block
from leaderboard.models.challenge import Challenge


class References(models.Model):
    """The instances of a challenge with their inputs and expected outputs.

    They never change: new references of a challenge are another row and need a new scoring config.
    """

    challenge = models.ForeignKey(Challenge, models.CASCADE, related_name="references")
    instance_count = models.PositiveIntegerField()
    digest = models.CharField(max_length=64, help_text="SHA-256 of the instances, in their order.")
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )

    class Meta:
        verbose_name_plural = "references"
        constraints = [
            models.UniqueConstraint(fields=["challenge", "digest"], name="references_once")
        ]

    def __str__(self) -> str:
        return f"{self.instance_count} instances of {self.challenge_id}"


class ReferenceBlock(Block):
    """A block of a challenge's instances (`rules.rewards.instances.Instance`), without outputs.

    `ids` are the ids of the instances, packed separately for readers that need nothing else.
    """

    ids = models.BinaryField()
    references = models.ForeignKey(References, models.CASCADE, related_name="blocks")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["references", "number"], name="one_reference_block")
        ]

    def __str__(self) -> str:
        return f"block {self.number} of {self.references_id}"
