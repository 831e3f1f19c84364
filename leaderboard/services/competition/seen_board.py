"""The board of a challenge as a reader sees it: pages and the API read boards only through this."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, NoReturn
from uuid import UUID

from django.utils.translation import gettext as _

from leaderboard.models import Board, Challenge, Participant
from leaderboard.rules.sent import sent
from leaderboard.rules.sight import Extent, PhaseView
from leaderboard.schemas.choices import RowKind
from leaderboard.services.board import ranking
from leaderboard.services.board.outside import merged, outside_rows
from leaderboard.services.board.ranking import Page, Totals
from leaderboard.services.board.rows import Row
from leaderboard.services.competition.inexact import inexact_row
from leaderboard.services.competition.sight import Sight
from leaderboard.services.errors import invalid

ALL_KINDS: Final = tuple(each.value for each in RowKind)
OWN_ROWS = 100
"""The most rows of one reader who sees only their own."""


def seen(board: Board, sight: Sight) -> SeenBoard:
    """A board as a reader sees it: the one before its freeze, if it is frozen for the reader.

    board: one of `shown_boards`.
    """
    if board.phase_id not in sight.frozen:
        return SeenBoard(board, sight)
    before = board.before_freeze or Board(phase=board.phase, config=board.config, filled_to=0)
    return SeenBoard(before, sight)


@dataclass(frozen=True, slots=True)
class SeenBoard:
    """The rows of a board that a reader sees, with the names and attempts that the reader sees."""

    board: Board
    sight: Sight

    @property
    def challenge(self) -> Challenge:
        return self.board.challenge

    @property
    def phase_id(self) -> int:
        return self.board.phase_id

    @property
    def view(self) -> PhaseView:
        """What the reader sees of the phase of the board."""
        return self.sight.view(self.phase_id)

    @property
    def frozen_since(self) -> datetime | None:
        """Since when the board is frozen for the reader; None if it is not."""
        freeze = self.sight.frozen.get(self.phase_id)
        return freeze.since if freeze else None

    @property
    def is_whole(self) -> bool:
        """Whether the reader sees all rows, with their order, ranks and counts."""
        return self.view.board is Extent.ALL

    @property
    def names_all(self) -> bool:
        """Whether the reader sees the names of all participants."""
        return self.view.names is Extent.ALL

    @property
    def lists_verified(self) -> bool:
        """Whether the reader may ask which attempts on the board are verified."""
        return self.is_whole and self.view.attempts is Extent.ALL

    @property
    def is_veiled(self) -> bool:
        """Whether cursors may not hold sort keys, which tell attempts and their times."""
        view = self.view
        is_limited = min(view.board, view.names, view.attempts) is not Extent.ALL
        return is_limited or not view.is_exact

    @property
    def sorts(self) -> bool:
        """Whether the reader may order rows by a column: not if it has values that are hidden."""
        return self.is_whole and self.view.least_coverage is None

    def totals(self) -> Totals | None:
        """How many participants the board has; None if the reader does not see all of them.

        The sample attempt of a draft does not count.
        """
        if not self.is_whole:
            return None
        found = ranking.totals_of(self.board)
        return found if self._sample is None else ranking.without(found, self.board, self._sample)

    def length(self) -> int | None:
        """How many rows there are to turn pages of; None if the reader does not see all."""
        return ranking.totals_of(self.board).total if self.is_whole else None

    @property
    def _sample(self) -> UUID | None:
        """The sample attempt of a draft, which is on its board and in no count and export."""
        return self.challenge.sample_id

    def page_number(self, number: int, *, limit: int = 50) -> Page:
        """Page `number`, counted from 1."""
        return self.page_from((number - 1) * limit, limit=limit)

    def page_from(self, start: int, *, limit: int = 50) -> Page:
        """`limit` rows after the first `start`, without a cursor."""
        if not self.is_whole:
            return Page(self._own()[start : start + limit], start, None)
        page = ranking.page_from(self.board, start, limit=limit)
        return replace(page, rows=self._seen(page.rows))

    def page_after(self, *, cursor: str = "", limit: int = 50) -> Page:
        """The rows after a cursor, or the first rows. Raises ServiceError for a wrong cursor."""
        if not self.is_veiled:
            return ranking.page_after(self.board, cursor=cursor, limit=limit)
        start = _start(cursor)
        rows = self.page_from(start, limit=limit + 1).rows
        after = f"{start + limit}" if len(rows) > limit else None
        return Page(rows[:limit], start, after)

    def search(self, text: str, *, start: int = 0, limit: int = 50) -> Page:
        """Rows whose participant's name contains `text`. Raises ServiceError: names are hidden."""
        self._check_search(text)
        page = ranking.search(self.board, text, start=start, limit=limit)
        return replace(page, rows=self._seen(page.rows))

    def sorted_by(
        self, key: str, *, descending: bool, start: int = 0, limit: int = 50, text: str = ""
    ) -> Page:
        """Rows in the order of a column. Raises ServiceError if the board or names are hidden."""
        if not self.sorts:
            _refuse("sort", key)
        if text:
            self._check_search(text)
        page = ranking.sorted_by(
            self.board, key, descending=descending, start=start, limit=limit, text=text
        )
        return replace(page, rows=self._seen(page.rows))

    def verified(
        self, key: str = "", *, descending: bool = False, start: int, limit: int, text: str = ""
    ) -> Page:
        """Rows whose attempt is verified. Raises ServiceError if rows or attempts are hidden."""
        if not self.lists_verified:
            wrong = _("must be 0, because the organisers hide the board or attempts; got 1")
            raise invalid("verified", wrong)
        if text:
            self._check_search(text)
        if key and not self.sorts:
            _refuse("sort", key)
        page = ranking.verified(
            self.board, key, descending=descending, start=start, limit=limit, text=text
        )
        return replace(page, rows=self._seen(page.rows))

    @property
    def has_outside(self) -> bool:
        """Whether the reader sees rows out of the ranking."""
        return self.is_whole and self.board.outside_board is not None

    def outside(self, kinds: Collection[str], *, text: str = "") -> list[Row]:
        """The rows out of the ranking of these kinds, in the order of the board.

        text: a part of the names.
        """
        if not self.has_outside:
            return []
        if text:
            self._check_search(text)
        rows = outside_rows(self.board, kinds)
        return self._seen([row for row in rows if _has(row, text)])

    def standing_of(self, participant: Participant) -> Row | None:
        """A participant's row; None if there is none, or if the reader does not see it."""
        is_own = participant.pk in self.sight.own and self.view.board is Extent.OWN
        if not self.is_whole and not is_own:
            return None
        row = ranking.standing_of(self.board, participant)
        if row is None and self.board.outside_board:
            rows = outside_rows(self.board)
            row = next((each for each in rows if each.participant.pk == participant.pk), None)
        return self._seen([row])[0] if row else None

    def around(self, row: Row, *, distance: int = 5) -> tuple[list[Row], list[Row]]:
        """Up to `distance` rows directly above and below a row, of those that the reader sees."""
        if not self.is_whole:
            return [], []
        above, below = ranking.around(self.board, row, distance=distance)
        return self._seen(above), self._seen(below)

    def every_row(self, kinds: Collection[str] = ALL_KINDS) -> Iterator[Row]:
        """All rows in the order of the board; memory does not grow with the board.

        Without the sample attempt of a draft. kinds: which rows, of `RowKind`.
        """
        if self._sample is None:
            yield from self._every_row(kinds)
        else:
            yield from (row for row in self._every_row(kinds) if row.attempt_id != self._sample)

    def _every_row(self, kinds: Collection[str]) -> Iterator[Row]:
        if not self.is_whole:
            yield from self._own()
            return
        ranked = self._every_ranked() if RowKind.RANKED in kinds else iter(())
        yield from merged(ranked, self.outside(kinds))

    def _every_ranked(self) -> Iterator[Row]:
        if not self.sight.is_limited:
            yield from ranking.every_row(self.board)
        else:
            for row in ranking.every_row(self.board):
                yield from self._seen([row])

    def ranks_before_freeze(self, most: int) -> dict[int, int]:
        """The first ranks of the board when it froze, by participant; none if it never froze.

        most: how many rows are read.
        """
        before = self.board.before_freeze
        if before is None or not self.is_whole:
            return {}
        rows = ranking.page_from(before, 0, limit=most).rows
        return {row.participant.pk: row.rank for row in rows if row.rank is not None}

    def _own(self) -> list[Row]:
        """The rows of the reader's own participants."""
        if self.view.board is Extent.NONE:
            return []
        rows = ranking.rows_of(self.board, sorted(self.sight.own), limit=OWN_ROWS)
        own = [row for row in outside_rows(self.board) if row.participant.pk in self.sight.own]
        return list(merged(rows, own))

    def _seen(self, rows: Sequence[Row]) -> list[Row]:
        if not self.sight.is_limited:
            return list(rows)
        return [self._one(row) for row in rows]

    def _one(self, row: Row) -> Row:
        is_own = row.participant.pk in self.sight.own
        if not self.view.is_exact:
            row = inexact_row(row, self.view, self.board.config, is_own=is_own)
        who = self.sight.row_participant(row.participant, self.phase_id)
        if self.view.attempts is Extent.ALL or is_own:
            return row._replace(participant=who)
        return row._replace(participant=who, attempt_id=None, attempts=None)

    def _check_search(self, text: str) -> None:
        if not (self.is_whole and self.names_all):
            _refuse("search", text)


def _has(row: Row, text: str) -> bool:
    """Whether the name of a row's participant contains a text."""
    who, wanted = row.participant, text.casefold()
    return wanted in who.handle.casefold() or wanted in who.name.casefold()


def _refuse(field: str, value: str) -> NoReturn:
    wrong = _("must be empty, because the organisers hide names or values of the board; got {sent}")
    raise invalid(field, wrong.format(sent=sent(value)))


def _start(cursor: str) -> int:
    if not cursor:
        return 0
    if not (cursor.isascii() and cursor.isdecimal() and len(cursor) <= 9):
        raise invalid("cursor", _("must be the `next` of an earlier answer"))
    return int(cursor)
