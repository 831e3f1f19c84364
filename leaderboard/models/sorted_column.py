from __future__ import annotations

from django.db import models
from django.db.models import F

from leaderboard.models.participant import Participant
from leaderboard.models.scoring_config import ScoringConfig


class SortedColumnQuerySet(models.QuerySet["SortedColumn"]):
    def kept(self) -> SortedColumnQuerySet:
        """Those that are ready or being built."""
        return self.exclude(state=SortedColumn.State.DROPPED)

    def ready(self) -> SortedColumnQuerySet:
        return self.filter(state=SortedColumn.State.READY)

    def up_to_date(self) -> SortedColumnQuerySet:
        """Those whose boards nobody has changed since who writes no columns."""
        challenge = "config__challenge__"
        unwritten = F(f"{challenge}board_version") - F(f"{challenge}version_with_columns")
        return self.filter(unwritten=unwritten)

    def give_up(self) -> int:
        """Mark columns that are no longer used or written; workers delete them.

        Returns how many.
        """
        return self.kept().update(state=SortedColumn.State.DROPPED, done_to=0)


class SortedColumn(models.Model):
    """A column of a large board whose values are kept in order: `key` is that of the value.

    Derived, like its `SortedValue`s. While it is being built, whoever writes a standing writes its
    value too, and a worker adds those of the other participants in the order of their ids, of
    which `done_to` is the last one. A column that is dropped is not written any more, and a worker
    deletes its values likewise.

    A worker of a release that has no columns moves the board's version alone. `unwritten` is how
    far that was ahead of `Challenge.version_with_columns` when the column was begun; a column
    whose board has another difference now lacks a value, and is used no more.
    """

    class State(models.TextChoices):
        BUILDING = "building"
        READY = "ready"
        DROPPED = "dropped"

    config = models.ForeignKey(ScoringConfig, models.CASCADE, related_name="sorted_columns")
    key = models.TextField(editable=False)
    state = models.CharField(
        max_length=8, choices=State, default=State.BUILDING, db_default=State.READY, editable=False
    )
    unwritten = models.BigIntegerField(default=0, db_default=0, editable=False)
    done_to = models.BigIntegerField(default=0, db_default=0, editable=False)

    objects = SortedColumnQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["config", "key"],
                condition=~models.Q(state="dropped"),
                name="one_sorted_column_per_key",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.key} of config {self.config_id}"


class SortedValue(models.Model):
    """What one participant's standing has in a column.

    `up` is the value and `down` the same below zero. Both are Infinity where there is no value, so
    that it stands last either way. `sort_key` is the standing's: equal values stand in the order
    of the board. The database holds no foreign keys, which would be asked for each row that is
    written: whoever writes has just written the standing.
    """

    pk = models.CompositePrimaryKey("column_id", "participant_id")
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
