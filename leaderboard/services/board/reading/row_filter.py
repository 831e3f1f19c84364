"""What rows of a board a reader asks for, and in which order."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, Final, NamedTuple, Self

from django.db.models import Count, F, Func, IntegerField, Value, Window
from django.db.models.functions import Rank

from leaderboard.models import Board, Registration, Standing, Verification
from leaderboard.models.standing import StandingQuerySet
from leaderboard.rules.sortkey import REACHED_LENGTH
from leaderboard.rules.visibility.meta_values import MetaField, MetaTest
from leaderboard.schemas.choices import RowKind
from leaderboard.services.board.reading.complete_rows import with_complete
from leaderboard.services.board.reading.families import folded
from leaderboard.services.board.reading.meta_filter import with_meta
from leaderboard.services.board.reading.search import ids_named, named

ALL_KINDS: Final = tuple(kind.value for kind in RowKind)


class RowFilter(NamedTuple):
    """The rows that a reader wants to see: those that fit each field that is not empty.

    text: a part of the participant's name. kind: that of the participant. bracket: in which it is
    registered. verified: whether the attempt that counts must be verified. meta: what the declared
    fields of its meta must be. complete: the columns in which a row must have a value over all of
    its tasks. family: the one of the attempt that counts. folds: of the rows of a family that fit,
    only the best.
    """

    text: str = ""
    kind: str = ""
    bracket: str = ""
    verified: bool = False
    meta: tuple[MetaTest, ...] = ()
    complete: tuple[str, ...] = ()
    family: str = ""
    folds: bool = False

    @property
    def narrows(self) -> bool:
        """Whether it asks for more than a name. Then rows have a rank among those that fit."""
        return self._replace(text="") != RowFilter()

    @property
    def only_folds(self) -> bool:
        """Whether it asks for the board with families folded, and leaves out nothing else."""
        return self == RowFilter(folds=True)

    @property
    def is_empty(self) -> bool:
        return not (self.narrows or self.text)

    def standings(self, board: Board) -> StandingQuerySet:
        """The standings of a board that fit, without those of the sample attempt of a draft."""
        matching = standings_named(board, self.text)
        if self.kind:
            matching = matching.filter(participant__kind=self.kind)
        if self.bracket:
            registered = Registration.objects.filter(
                challenge=board.config.challenge_id, bracket=self.bracket
            )
            matching = matching.filter(participant__in=registered.values("participant"))
        if self.verified:
            matching = matching.filter(attempt__in=Verification.objects.values("attempt"))
        matching = with_complete(with_meta(matching, self.meta), self.complete)
        if self.family:
            matching = matching.in_families().filter(family=self.family)
        sample = board.challenge.sample_id
        if sample is not None:
            matching = matching.exclude(attempt=sample)
        return folded(matching) if self.folds else matching


NO_FILTER: Final = RowFilter()


class RowsAsked(NamedTuple):
    """Which rows of a board, and in which order: by the column `key`, or that of the board.

    kinds: of `RowKind`. with_meta: whether rows have the meta of the attempts that count. field:
    that of meta whose key is `key`; None for a column.
    """

    kinds: Collection[str] = ALL_KINDS
    wanted: RowFilter = NO_FILTER
    key: str = ""
    descending: bool = False
    with_meta: bool = False
    field: MetaField | None = None

    @classmethod
    def sorted(
        cls, kinds: Collection[str], wanted: RowFilter, sort: str, fields: Iterable[MetaField]
    ) -> Self:
        """sort: the key of a column or of one of the fields, behind `-` for the highest first."""
        key = sort.removeprefix("-")
        field = next((meta_field for meta_field in fields if meta_field.key == key), None)
        return cls(kinds, wanted, key, sort.startswith("-"), field=field)

    @property
    def has_ranked(self) -> bool:
        return RowKind.RANKED in self.kinds

    @property
    def is_whole(self) -> bool:
        """Whether it asks for the board in its own order, apart from the kinds of rows."""
        return self.wanted.is_empty and not self.key


EVERY_ROW: Final = RowsAsked()


def standings_named(board: Board, text: str) -> StandingQuerySet:
    """The standings of a board, or those whose participant's name contains a text."""
    standings = Standing.objects.filter(board=board.read_pk)
    ids = ids_named(board.challenge.tenant_id, text) if text else None
    if ids is not None:
        return standings.filter(participant__in=ids)
    return standings.filter(named(text)) if text else standings


PLACED: Final = ("pk", "sort_key", "here", "same", "matches")
"""The fields of a standing that `with_places` adds, with those that say which it is."""


def with_places(standings: StandingQuerySet, *, with_ties: bool) -> StandingQuerySet:
    """Standings with their rank among these as `here`, and their number as `matches`.

    with_ties: whether to count how many share a rank, as `same`, which takes time.
    """
    key, number = _RankKey(F("sort_key")), Count("*", output_field=IntegerField())
    return standings.annotate(
        here=Window(Rank(), order_by=key),
        same=Window(number, partition_by=key) if with_ties else Value(1),
        matches=Window(number),
    )


class _RankKey(Func):
    """The part of a sort key that is equal for tied rows."""

    template = f"SUBSTR(%(expressions)s, 1, LENGTH(%(expressions)s) - {REACHED_LENGTH})"

    def as_sql(self, *args: Any, **context: Any) -> Any:
        sql, parameters = super().as_sql(*args, **context)
        return sql, (*parameters, *parameters)
