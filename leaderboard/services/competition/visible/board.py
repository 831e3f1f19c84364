"""The board of a challenge as a reader sees it: pages and the API read boards only through this."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final
from uuid import UUID

from leaderboard.models import Attempt, Board, Participant, Standing
from leaderboard.rules.visibility.view import Extent
from leaderboard.services.board.reading import ranking, totals
from leaderboard.services.board.reading.families import Variants, variants_of
from leaderboard.services.board.reading.ranking import Page
from leaderboard.services.board.reading.row_filter import EVERY_ROW, RowsAsked
from leaderboard.services.board.reading.rows import NO_META, BoardRow
from leaderboard.services.board.reading.totals import Totals
from leaderboard.services.board.reading.unranked_rows import MOST, merged, rows_out_of_ranking
from leaderboard.services.competition.visible.access import Access
from leaderboard.services.competition.visible.board_rights import BoardRights, visible_row
from leaderboard.services.competition.visible.rows import (
    check_filter,
    every_match,
    refuse,
    start_of,
)
from leaderboard.services.competition.visible.tries import with_tries

OWN_ROWS: Final = 100
"""The most rows of one reader who sees only their own."""
METAS_PER_READ: Final = 500


def visible_board(board: Board, access: Access) -> VisibleBoard:
    """A board as a reader sees it: the one before its freeze, if it is frozen for the reader.

    board: one of `shown_boards`.
    """
    if board.phase_id not in access.frozen:
        return VisibleBoard(board, access)
    before = board.before_freeze or Board(phase=board.phase, config=board.config, filled_to=0)
    return VisibleBoard(before, access)


@dataclass(frozen=True, slots=True)
class VisibleBoard(BoardRights):
    """The rows of a board that a reader sees, with the names and attempts that the reader sees."""

    def with_meta(self, rows: Iterable[BoardRow]) -> list[BoardRow]:
        """The rows with the meta of the attempts that count, where the reader sees it.

        Rows that have been read with their meta stay as they are.
        """
        all_rows = list(rows)
        sees = self.view.notes is Extent.ALL
        ids = [
            row.attempt_id
            for row in all_rows
            if row.attempt_id
            and row.meta is NO_META
            and (sees or row.participant.pk in self.access.own)
        ]
        metas = dict(Attempt.objects.filter(pk__in=ids).values_list("pk", "meta")) if ids else {}
        return [
            row._replace(meta=metas.get(row.attempt_id, {}))
            if row.attempt_id and row.meta is NO_META
            else row
            for row in all_rows
        ]

    def totals(self, rows: Iterable[BoardRow] = ()) -> Totals | None:
        """How many participants the board has; None if the reader does not see all of them.

        The sample attempt of a draft does not count. rows: the first rows of the board; if these
        are all, nothing more is read.
        """
        if not self.is_whole:
            return None
        if self.view.least_coverage is None and (few := totals.totals_in(self.board, rows)):
            return few
        all_totals = totals.totals_of(self.board)
        if self._sample is None:
            return all_totals
        return totals.without(all_totals, self.board, self._sample)

    def length(self) -> int | None:
        """How many rows there are to turn pages of; None if the reader does not see all."""
        return totals.length_of(self.board) if self.is_whole else None

    @property
    def _sample(self) -> UUID | None:
        """The sample attempt of a draft, which has a standing and is in no list and count."""
        return self.challenge.sample_id

    def page_number(self, number: int, *, limit: int = 50, with_meta: bool = False) -> Page:
        """Page `number`, counted from 1. with_meta: see `page_from`."""
        return self.page_from((number - 1) * limit, limit=limit, with_meta=with_meta)

    def page_from(self, start: int, *, limit: int = 50, with_meta: bool = False) -> Page:
        """`limit` rows after the first `start`, without a cursor.

        with_meta: with the meta of the attempts that count, if the reader sees it of all.
        """
        if not self.is_whole:
            return Page(self._own()[start : start + limit], start, None)
        reads = with_meta and self.lists_meta
        return self._visible_page(
            ranking.page_from(self.board, start, limit=limit, with_meta=reads)
        )

    def page_after(self, *, cursor: str = "", limit: int = 50) -> Page:
        """The rows after a cursor, or the first rows. Raises ServiceError for a wrong cursor."""
        if not self.is_veiled:
            return self._visible_page(ranking.page_after(self.board, cursor=cursor, limit=limit))
        start = start_of(cursor)
        rows = self.page_from(start, limit=limit + 1).rows
        after = f"{start + limit}" if len(rows) > limit else None
        return Page(rows[:limit], start, after)

    def page_of(self, asked: RowsAsked, *, start: int, limit: int) -> Page:
        """Rows of the board that are asked for, with their meta if their order depends on it.

        Rows that a filter narrows down have ranks among these. Raises ServiceError: see
        `check_filter`.
        """
        wanted, key, field = asked.wanted, asked.key, asked.field
        if asked.is_whole:
            return self.page_from(start, limit=limit, with_meta=asked.with_meta)
        check_filter(self, wanted)
        if key and (not self.sorts or (field and not self.lists_meta)):
            refuse("sort", key)
        if wanted.narrows:
            page = ranking.matching(
                self.board,
                wanted,
                key,
                descending=asked.descending,
                start=start,
                limit=limit,
                field=field,
            )
            if not self.sorts:
                # Rows that are hidden because of their coverage have been counted.
                rows = [row._replace(here=None) for row in page.rows]
                page = replace(page, rows=rows, matches=None)
        elif key:
            page = ranking.sorted_by(
                self.board,
                key,
                descending=asked.descending,
                start=start,
                limit=limit,
                text=wanted.text,
                field=field,
            )
        else:
            page = ranking.search(self.board, wanted.text, start=start, limit=limit)
        page = self._visible_page(page)
        return replace(page, rows=self.with_meta(page.rows)) if field else page

    @property
    def has_families(self) -> bool:
        """Whether the reader sees a row that names a family."""
        standings = Standing.objects.filter(board=self.board.read_pk)
        return self.lists_meta and standings.in_families().exists()

    def variants(self, asked: RowsAsked, rows: Iterable[BoardRow]) -> Mapping[str, Variants]:
        """The rows behind the best ones of the families of some rows, if these are folded."""
        wanted = asked.wanted
        names = {row.family for row in rows if row.family} if wanted.folds else set()
        standings = wanted._replace(folds=False).standings(self.board)
        return {
            name: variants._replace(rows=self._visible_rows(variants.rows))
            for name, variants in variants_of(self.board, standings, names).items()
        }

    @property
    def has_rows_out_of_ranking(self) -> bool:
        """Whether the reader sees rows out of the ranking."""
        return self.is_whole and self.board.board_out_of_ranking is not None

    def out_of_ranking(self, asked: RowsAsked = EVERY_ROW) -> list[BoardRow]:
        """The rows out of the ranking that are asked for, in the order of the board."""
        beside, wanted = self.board.board_out_of_ranking, asked.wanted
        if beside is None or not self.has_rows_out_of_ranking or wanted.verified:
            return []
        rows = rows_out_of_ranking(self.board, asked.kinds)
        if not wanted.is_empty:
            check_filter(self, wanted)
            fitting = set(wanted.standings(beside).values_list("participant", flat=True)[:MOST])
            rows = [row for row in rows if row.participant.pk in fitting]
        rows = self._visible_rows(rows)
        return self.with_meta(rows) if asked.field else rows

    def standing_of(self, participant: Participant) -> BoardRow | None:
        """A participant's row; None if there is none, or if the reader does not see it."""
        is_own = participant.pk in self.access.own and self.view.board is Extent.OWN
        if not self.is_whole and not is_own:
            return None
        row = ranking.standing_of(self.board, participant)
        if row is None and self.board.board_out_of_ranking:
            rows = rows_out_of_ranking(self.board)
            row = next((row for row in rows if row.participant.pk == participant.pk), None)
        return self._visible_rows([row])[0] if row else None

    def first_of(self, participants: Sequence[int]) -> BoardRow | None:
        """The first row of some participants; None if there is none, or if others are hidden."""
        rows = ranking.rows_of(self.board, participants, limit=1) if self.is_whole else []
        return next(iter(self._visible_rows(rows)), None)

    def around(self, row: BoardRow, *, distance: int = 5) -> tuple[list[BoardRow], list[BoardRow]]:
        """Up to `distance` rows directly above and below a row, of those that the reader sees."""
        if not self.is_whole:
            return [], []
        above, below = ranking.around(self.board, row, distance=distance)
        return self._visible_rows(above), self._visible_rows(below)

    def every_row(self, asked: RowsAsked = EVERY_ROW) -> Iterator[BoardRow]:
        """All rows that are asked for; memory does not grow with the board.

        Without the sample attempt of a draft. Raises ServiceError: see `check_filter`.
        """
        rows = self._every_row(asked) if asked.is_whole else every_match(self, asked)
        if (sample := self._sample) is not None:
            rows = (row for row in rows if row.attempt_id != sample)
        if not asked.with_meta:
            yield from rows
            return
        while some := list(islice(rows, METAS_PER_READ)):
            yield from self.with_meta(some)

    def _every_row(self, asked: RowsAsked) -> Iterator[BoardRow]:
        if not self.is_whole:
            yield from self._own()
            return
        ranked = self._every_ranked() if asked.has_ranked else iter(())
        yield from merged(ranked, self.out_of_ranking(asked))

    def _every_ranked(self) -> Iterator[BoardRow]:
        rows = ranking.every_row(self.board)
        if not (self.access.is_limited or self.shows_tries):
            yield from rows
            return
        while some := list(islice(rows, METAS_PER_READ)):
            yield from self._visible_rows(some)

    def ranked_attempts(self, most: int) -> list[tuple[int, UUID]]:
        """The participants and the attempts of the first rows that the reader sees ranked.

        Also of attempts that are hidden: a page that shows their outputs must show no more of them.
        most: how many rows are read.
        """
        if not self.is_whole:
            return []
        rows = ranking.page_from(self.board, 0, limit=most).rows
        visible = [visible_row(row, self.access, self.phase_id, self.board.config) for row in rows]
        return [
            (row.participant.pk, row.attempt_id)
            for row, read_row in zip(rows, visible, strict=True)
            if row.attempt_id and row.attempt_id != self._sample and read_row.rank is not None
        ]

    def ranks_before_freeze(self, most: int) -> dict[int, int]:
        """The first ranks of the board when it froze, by participant; none if it never froze.

        most: how many rows are read.
        """
        before = self.board.before_freeze
        if before is None or not self.is_whole:
            return {}
        rows = ranking.page_from(before, 0, limit=most).rows
        return {row.participant.pk: row.rank for row in rows if row.rank is not None}

    def _own(self) -> list[BoardRow]:
        """The rows of the reader's own participants."""
        if self.view.board is Extent.NONE:
            return []
        rows = ranking.rows_of(self.board, sorted(self.access.own), limit=OWN_ROWS)
        own = [
            row for row in rows_out_of_ranking(self.board) if row.participant.pk in self.access.own
        ]
        return list(merged(rows, own))

    def _visible_page(self, page: Page) -> Page:
        """A page with the rows as the reader sees them, without the sample attempt of a draft."""
        rows = [row for row in page.rows if self._sample is None or row.attempt_id != self._sample]
        return replace(page, rows=self._visible_rows(rows))

    def _visible_rows(self, rows: Sequence[BoardRow]) -> list[BoardRow]:
        visible = list(rows)
        if self.access.is_limited:
            config = self.board.config
            visible = [visible_row(row, self.access, self.phase_id, config) for row in rows]
        return with_tries(visible) if self.shows_tries else visible
