from __future__ import annotations

from django.db import models

from leaderboard.models.board import Board


class Bucket(models.Model):
    """The number of standings of a board from the sort key `low` up to the next bucket's.

    Derived from standings. With buckets, a rank is the sum of some hundred of these numbers and a
    count within a single bucket, however many standings are ahead. The first bucket of a shown
    board always exists and has `low` = b""; a board that is not shown has no buckets.
    """

    board = models.ForeignKey(Board, models.CASCADE, related_name="buckets", db_index=False)
    low = models.BinaryField(editable=False)
    n = models.PositiveIntegerField(editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["board", "low"], name="one_bucket_per_key"),
        ]

    def __str__(self) -> str:
        return f"{self.n} standings of board {self.board_id}"
