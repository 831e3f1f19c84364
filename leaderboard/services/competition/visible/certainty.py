"""How certain the order of a board is, as far as a reader may know it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from uuid import UUID

from leaderboard.models import BoardCertainty, Challenge, Participant
from leaderboard.rules.statistics import verdict_sentences
from leaderboard.rules.statistics.certainties import CertainRow, Certainty
from leaderboard.rules.statistics.clustering import Clustering
from leaderboard.rules.statistics.verdicts import Verdict
from leaderboard.rules.texts.messages import Message
from leaderboard.rules.visibility.view import Extent
from leaderboard.services.board.boards import shown_boards
from leaderboard.services.board.certainty.movement import NEW
from leaderboard.services.board.reading.rows import BoardRow, RowParticipant
from leaderboard.services.competition.visible.access import Access
from leaderboard.services.competition.visible.board import VisibleBoard, visible_board

_NAMED = 2
"""The entries that a sentence names; it counts the others."""
_ID_LENGTH = 16

_Shown = verdict_sentences.FormatValue
NameMark = Callable[[str], object]
"""Marks a name in a sentence."""


@dataclass(frozen=True)
class VisibleCertainty:
    """The certainty of a board of which a reader sees all rows, with exact values.

    ranked: the number of ranked rows of the board. names: of participants that the sentences may
    name, by their ids. moves: by how many ranks rows have risen since a week ago, by attempts.
    """

    certainty: Certainty
    computed_at: datetime
    ranked: int
    names: Mapping[int, str]
    moves: Mapping[str, int]

    @property
    def verdict(self) -> Verdict:
        return self.certainty.verdict

    @property
    def compared(self) -> int:
        """The number of rows that are compared: the first ones of the board."""
        return len(self.certainty.rows)

    @property
    def has_intervals(self) -> bool:
        return any(row.best is not None for row in self.certainty.rows)

    @property
    def has_groups(self) -> bool:
        return bool(self.certainty.groups)

    def headline(
        self, formatted: _Shown, called: NameMark = str, apart: _Shown | None = None
    ) -> Sequence[Message]:
        """Who leads, and whether that is certain. shown, apart: format values and differences."""
        certainty, names = self.certainty, self._called(called)
        return verdict_sentences.headline(certainty.verdict, names, formatted, certainty.why, apart)

    def remarks(self, apart: _Shown) -> Sequence[Message]:
        """What the verdict is based on. apart: formats differences."""
        return verdict_sentences.remarks(self.verdict, self._called(str), apart)

    def of(self, row: BoardRow) -> CertainRow | None:
        """What is known of a row of the board; None if it is not compared."""
        return self._rows.get(attempt_hex(row))

    def of_attempt(self, attempt: UUID) -> CertainRow | None:
        """What is known of the row of an attempt; None if it is not compared."""
        return self._rows.get(attempt.hex)

    def leads(self, attempt: UUID | None) -> bool:
        """Whether an attempt is among those with the best value."""
        leaders = (self.certainty.rows[at].attempt for at in self.verdict.leaders)
        return attempt is not None and attempt.hex in leaders

    def group(self, row: BoardRow) -> int | None:
        """The statistical group of a row, counted from 0; None if there are no groups."""
        return self._groups.get(attempt_hex(row))

    def moved(self, row: BoardRow) -> int:
        """By how many ranks a row has risen (> 0) or fallen (< 0) since a week ago."""
        return self.moves.get(attempt_hex(row), 0)

    def is_new(self, row: BoardRow) -> bool:
        """Whether a row was not ranked a week ago, although others were."""
        return self.moves.get(attempt_hex(row)) == NEW

    @cached_property
    def _rows(self) -> Mapping[str, CertainRow]:
        return {row.attempt: row for row in self.certainty.rows}

    @cached_property
    def _groups(self) -> Mapping[str, int]:
        rows = self.certainty.rows[: len(self.certainty.groups)]
        return {row.attempt: at for row, at in zip(rows, self.certainty.groups, strict=True)}

    def _called(self, called: NameMark) -> Sequence[object]:
        names = (self.names.get(row.participant, "") for row in self.certainty.rows)
        return [called(name) if name else "" for name in names]


def is_judging(board: VisibleBoard) -> bool:
    """Whether a worker has yet to compute the certainty of a board that the reader may know."""
    return _may_know(board) and board.board.is_complete and not board.board.is_judged


def stored_certainty(board: VisibleBoard) -> BoardCertainty | None:
    """What is stored of a board; None if there is nothing, or the reader may not know."""
    return BoardCertainty.objects.filter(board=board.board.pk).first() if _may_know(board) else None


def certainty_of(board: VisibleBoard, rows: Iterable[BoardRow] = ()) -> VisibleCertainty | None:
    """The certainty of the board as it is now; None if there is none, or the reader may not know.

    rows: rows of the board that the reader sees, whose names need not be read again.
    """
    return certainty_in(board, stored_certainty(board) if board.board.is_judged else None, rows)


def certainty_in(
    board: VisibleBoard, stored: BoardCertainty | None, rows: Iterable[BoardRow] = ()
) -> VisibleCertainty | None:
    """The certainty of the board as it is now. stored: the `stored_certainty` of the board."""
    is_current = stored is not None and stored.version == board.board.version
    certainty = stored.read() if stored is not None and is_current else None
    if stored is None or certainty is None:
        return None
    names = {row.participant.pk: row.participant.shown_name for row in rows}
    wanted = {certainty.rows[at].participant for at in _named(certainty.verdict)}
    if missing := wanted - names.keys():
        names |= _read_names(board, sorted(missing))
    moves = stored.moves if board.view.attempts is Extent.ALL else {}
    return VisibleCertainty(certainty, stored.computed_at, stored.ranked, names, moves)


def certain_records(board: VisibleBoard) -> dict[str, float]:
    """The p values of the attempts (hexadecimal) that set a record: certainly better than the best
    before. Empty if no worker has computed them, or the reader may not know.
    """
    if not (_may_know(board) and board.board.is_judged):
        return {}
    stored = BoardCertainty.objects.filter(board=board.board.pk, version=board.board.version)
    tests = stored.values_list("records", flat=True).first() or ()
    return {
        test["attempt"]: test["p"] for test in tests if test["is_certain"] and test["p"] is not None
    }


def clustering_of(board: VisibleBoard) -> Clustering | None:
    """The clusters of the tasks; None if there are none, or the reader may not know."""
    if not (_may_know(board) and board.board.is_judged):
        return None
    stored = BoardCertainty.objects.filter(board=board.board.pk, version=board.board.version)
    clustering = stored.values_list("clustering", flat=True).first()
    return Clustering.of_json(clustering) if clustering else None


def certainties_of(boards: Iterable[VisibleBoard]) -> dict[int, VisibleCertainty]:
    """The certainties of boards by their ids, in one statement, without names and movements."""
    versions = {board.board.pk: board.board.version for board in boards if _may_know(board)}
    stored = BoardCertainty.objects.filter(board__in=versions).defer("summary", "moves")
    return {
        row.pk: VisibleCertainty(certainty, row.computed_at, row.ranked, {}, {})
        for row in stored
        if row.version == versions[row.pk] and (certainty := row.read())
    }


def certainties_in(challenge: Challenge, access: Access) -> dict[int | None, VisibleCertainty]:
    """The certainties of the boards of a challenge, by their phases."""
    boards = [visible_board(board, access) for board in shown_boards(challenge)]
    certainties = certainties_of(boards)
    return {
        board.phase_id: certainties[board.board.pk]
        for board in boards
        if board.board.pk in certainties
    }


def attempt_hex(row: BoardRow) -> str:
    """The attempt of a row, from the end of its sort key, even if the reader may not see it."""
    return row.sort_key[-_ID_LENGTH:].hex()


def _may_know(board: VisibleBoard) -> bool:
    """Whether the reader sees the certainty of the board.

    Readers of rounded scores do not, because rank intervals reveal more about values. Rows whose
    score is hidden because of their coverage have no rank, so they do not matter here.
    """
    return board.board.pk is not None and board.is_whole and board.view.decimals is None


def _named(verdict: Verdict) -> list[int]:
    """The rows that the sentences of a verdict may name."""
    better = [rival.entry for rival in verdict.rivals if rival.is_better]
    next_one = [rival.entry for rival in verdict.rivals[:1]]
    close_rows = verdict.not_told_apart[:_NAMED]
    best = verdict.best[: _NAMED + 1]
    return [*verdict.leaders[:_NAMED], *next_one, *close_rows, *better[:1], *best]


def _read_names(board: VisibleBoard, ids: Sequence[int]) -> dict[int, str]:
    participants = Participant.objects.filter(pk__in=ids)
    rows = map(
        RowParticipant._make, participants.values_list("pk", "handle", "slug", "name", "kind")
    )
    visible_rows = (board.access.row_participant(who, board.phase_id) for who in rows)
    return {who.pk: who.shown_name for who in visible_rows}
