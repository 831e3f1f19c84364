from __future__ import annotations

from django.db import models

from leaderboard.models.board import Board
from leaderboard.models.participant import Participant


class SortedColumnQuerySet(models.QuerySet["SortedColumn"]):
    def active(self) -> SortedColumnQuerySet:
        """Columns that are ready or being built."""
        return self.exclude(state=SortedColumn.State.DROPPED)

    def ready(self) -> SortedColumnQuerySet:
        return self.filter(state=SortedColumn.State.READY)

    def give_up(self) -> int:
        """Mark the columns as dropped, so that workers delete them; returns their number."""
        return self.active().update(state=SortedColumn.State.DROPPED, done_to=0)


class SortedColumn(models.Model):
    """A column of a large board whose values are kept in order. `key` is the key of the value.

    It is derived from the standings, like its `SortedValue`s. While it is being built, each write
    of a standing also writes its value, and a worker adds the values of the other participants in
    the order of their ids; `done_to` is the last of these ids. Values of a dropped column are no
    longer written, and a worker deletes them in the same order.
    """

    class State(models.TextChoices):
        BUILDING = "building"
        READY = "ready"
        DROPPED = "dropped"

    board = models.ForeignKey(Board, models.CASCADE, related_name="sorted_columns")
    key = models.TextField(editable=False)
    state = models.CharField(
        max_length=8, choices=State, default=State.BUILDING, db_default=State.READY, editable=False
    )
    done_to = models.BigIntegerField(default=0, db_default=0, editable=False)

    objects = SortedColumnQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["board", "key"],
                condition=~models.Q(state="dropped"),
                name="one_sorted_column_per_key",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.key} of board {self.board_id}"


class SortedValue(models.Model):
    """The value of one participant's standing in a column.

    `up` is the value and `down` its negative. Both are Infinity without a value, so that it is last
    in either order. `sort_key` is the standing's, so that equal values are in the order of the
    board. There are no foreign keys in the database, because it would check them for each row; the
    code that writes a value has just written its standing.
    """

    pk = models.CompositePrimaryKey("participant_id", "column_id")
    column = models.ForeignKey(
        SortedColumn, models.CASCADE, related_name="+", db_constraint=False, db_index=False
    )
    participant = models.ForeignKey(
        Participant, models.CASCADE, related_name="+", db_constraint=False, db_index=False
    )
    up = models.FloatField(editable=False)
    down = models.FloatField(editable=False)
    sort_key = models.BinaryField(editable=False)

    class Meta:
        indexes = [
            models.Index(fields=["column", "up", "sort_key", "participant"], name="values_upwards"),
            models.Index(
                fields=["column", "down", "sort_key", "participant"], name="values_downwards"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.up} of participant {self.participant_id} in column {self.column_id}"
