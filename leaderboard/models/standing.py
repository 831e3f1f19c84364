from __future__ import annotations

from django.db import models
from django.db.models import F, Func, Q

from leaderboard.models.attempt import Attempt
from leaderboard.models.board import Board
from leaderboard.models.json_numbers_field import JsonNumbersField
from leaderboard.models.participant import Participant
from leaderboard.models.stored_value import stored
from leaderboard.rules.ranking.places import UNRANKED, rank_key_of
from leaderboard.rules.ranking.standing_draft import ONE_ROW
from leaderboard.rules.visibility.families import LONGEST

_HAS_FAMILY = Func(
    F("family"), template="NOT (%(expressions)s = '')", output_field=models.BooleanField()
)
"""As literal SQL: with a parameter, SQLite uses no partial index."""


class StandingQuerySet(models.QuerySet["Standing"]):
    def of(self, board: Board) -> StandingQuerySet:
        """The standings of a board that readers see, best first."""
        return self.filter(board=board.read_pk).order_by("sort_key")

    def ranked(self) -> StandingQuerySet:
        return self.filter(sort_key__lt=UNRANKED)

    def in_families(self) -> StandingQuerySet:
        """The standings that have a family; its condition is that of the index, word by word."""
        return self.filter(_HAS_FAMILY)

    def with_names(self) -> StandingQuerySet:
        return self.select_related("participant")


class Standing(models.Model):
    """A participant's current line on a board, or the line of one attempt.

    `slot` is the id of the attempt on a board that has a line for each attempt.

    It is derived from attempts and scores, so it can be deleted and rebuilt. Ranks are not stored:
    a rank is one more than the number of standings whose sort key is below this one's `rank_key`.

    `values` are the numbers of the attempt by name: its score, facts, metric values and reported
    values. `cells` describe the metric values: over what each is computed, how certain it is, and
    why one is missing. `family` is the system of which the attempt is one configuration.
    """

    board = models.ForeignKey(Board, models.CASCADE, related_name="standings", db_index=False)
    participant = stored(
        models.ForeignKey(Participant, models.CASCADE, related_name="standings"),
        lambda draft: draft.participant_id,
    )
    slot = stored(
        models.UUIDField(default=ONE_ROW, db_default=ONE_ROW, editable=False),
        lambda draft: draft.slot,
    )
    attempt = stored(
        models.ForeignKey(Attempt, models.CASCADE, related_name="+", db_index=False),
        lambda draft: draft.attempt_id,
    )
    sort_key = stored(
        models.BinaryField(editable=False), lambda draft: draft.place.sort_key, compared=True
    )
    pick_key = stored(models.BinaryField(editable=False), lambda draft: draft.place.pick_key)
    unranked = stored(
        models.CharField(max_length=13, blank=True, editable=False),
        lambda draft: draft.place.unranked or "",
        compared=True,
    )
    values = stored(
        JsonNumbersField(default=dict, editable=False), lambda draft: draft.values, compared=True
    )
    cells = stored(
        JsonNumbersField(default=dict, editable=False), lambda draft: draft.cells, compared=True
    )
    attempts = stored(
        models.PositiveIntegerField(default=0, editable=False),
        lambda draft: draft.attempts,
        adds_up=True,
    )
    reached_at = stored(models.DateTimeField(editable=False), lambda draft: draft.reached_at)
    family = stored(
        models.CharField(max_length=LONGEST, blank=True, db_default="", editable=False),
        lambda draft: draft.family,
    )

    objects = StandingQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["board", "participant", "slot"], name="one_standing_per_slot"
            ),
            models.CheckConstraint(
                condition=Q(unranked__in=["", "not_succeeded", "no_value", "failed"])
                | Q(unranked__in=["low_coverage", "withdrawn", "disqualified"])
                | Q(unranked__in=["in_review", "returned", "not_admitted"]),
                name="unranked_for_a_known_reason",
            ),
        ]
        indexes = [
            models.Index(fields=["board", "sort_key"], name="standings_in_order"),
            models.Index(fields=["attempt"], name="standings_of_attempt"),
            models.Index(
                fields=["board", "family", "sort_key"],
                condition=~Q(family=""),
                name="standings_of_family",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.participant} on board {self.board_id}"

    @property
    def rank_key(self) -> bytes:
        """The prefix of the sort key with the ranked values, which is equal for tied rows."""
        return rank_key_of(bytes(self.sort_key))
