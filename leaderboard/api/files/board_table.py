"""The columns of a board as a table, which its CSV and its Parquet have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from leaderboard.api.files.board_shapes import CellJson
from leaderboard.api.files.boards import OVER, stored_facts, value_in
from leaderboard.columns import Column, known_columns
from leaderboard.models import ScoringConfig
from leaderboard.rules.rewards.cells import margin
from leaderboard.rules.rewards.reductions import Level
from leaderboard.rules.texts.value_names import ECONOMICS, free_name
from leaderboard.rules.visibility.meta_values import MetaField
from leaderboard.schemas.metrics import spec_of
from leaderboard.schemas.text_metrics import text_spec_of
from leaderboard.services.board.reading.reported_columns import Unlisted, reported_columns
from leaderboard.services.board.reading.row_filter import RowsAsked
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.board.standings.public_ranks import PublicRanks
from leaderboard.services.competition.organisers.marks import RowMarks, tells_marks
from leaderboard.services.competition.organisers.provenance import RowProvenance
from leaderboard.services.competition.quotas.agreements import LateRows
from leaderboard.services.competition.visible.board import VisibleBoard
from leaderboard.services.competition.visible.brackets import RowBrackets
from leaderboard.services.competition.visible.certainty import VisibleCertainty, certainty_of
from leaderboard.services.competition.visible.medals import RowMedals

PARTICIPANT_COLUMNS: Final = ("rank", "participant", "slug", "name", "kind")
WHAT: Final = ("attempts", "reached_at", "attempt", "unranked")
"""Names of the table's columns before and behind those of the board."""
CELL: Final = (*OVER, "low", "high", "margin")
"""The further columns of a metric's value: `physics (defined)` and so on."""
LEVEL: Final = "level"
RANKS: Final = ("rank (low)", "rank (high)", "rank (low, all)", "rank (high, all)")
"""The columns of the rank interval, alone and for all rows at once, in the table of a board that
has them."""
PUBLIC: Final = ("public_rank",)
"""The column after those of the values, in the table of a final board."""
VERIFIED: Final = ("verified_by", "verified_at", "verified_link")
"""Further columns of the table of a challenge in which attempts were verified."""
LATE: Final = ("late_by_agreement",)
"""A further column of the table of a phase with late attempts."""
HERE: Final = ("rank_here",)
"""A further column where only some rows are asked for: the rank among these."""


class TextColumn(NamedTuple):
    """A column of texts: its name, and what a row has there."""

    name: str
    of: Callable[[BoardRow], str | None]


@dataclass(frozen=True)
class FileColumns:
    """The columns of a table in their order.

    certain: how certain the ranks are; None if no row has a rank interval. columns: the values.
    measured: those whose values have the parts of `CELL`. with_level: those whose values have a
    level. marks: None if no attempt was verified. ranks_here: whether rows have a rank among those
    that fit a filter. meta: fields, the last columns.
    """

    certain: VisibleCertainty | None
    columns: Sequence[Column]
    measured: Sequence[Column]
    with_level: Sequence[Column]
    public: PublicRanks
    marks: RowMarks | None
    provenance: RowProvenance
    medals: RowMedals
    late: LateRows
    brackets: RowBrackets
    has_families: bool
    ranks_here: bool
    meta: Sequence[MetaField]

    @classmethod
    def of(
        cls,
        board: VisibleBoard,
        columns: Sequence[Column],
        unlisted: Unlisted | None,
        meta: Sequence[MetaField],
        asked: RowsAsked,
    ) -> FileColumns:
        """unlisted: adds columns for the reported values of ranked rows that `columns` lack."""
        sees_values = unlisted is not None and board.is_whole
        beside = reported_columns(board.board, columns) if sees_values else []
        every, config = [*columns, *beside], board.board.config
        certain = certainty_of(board)
        measured = [column for column in every if _is_measured(config, column.key)]
        return cls(
            certain if certain and certain.has_intervals else None,
            every,
            measured,
            [column for column in every if column in measured or column.key not in known_columns()],
            PublicRanks(board.board),
            RowMarks(board.challenge) if tells_marks(board) else None,
            RowProvenance(board, RowMarks(board.challenge)),
            RowMedals(board),
            LateRows(board.board),
            RowBrackets(board),
            board.has_families,
            asked.wanted.narrows,
            meta,
        )

    @cached_property
    def stated(self) -> Sequence[TextColumn]:
        """Where values come from, decisions about samples if there are any, and the medals of a
        closed phase that gives them."""
        medals = [TextColumn("medal", self.medals.of)] if self.medals.are_there else []
        marks = self.marks
        ruled = (
            [TextColumn("ruled_samples", lambda row: str(marks.ruled(row)))]
            if marks is not None and marks.has_ruled
            else []
        )
        return [TextColumn("provenance", self.provenance.of), *ruled, *medals]

    @cached_property
    def classes(self) -> Sequence[TextColumn]:
        """The bracket of a row if the challenge has brackets, and its family if rows have one."""
        brackets = [TextColumn("bracket", self.brackets.of)] if self.brackets.are_there else []
        families = [TextColumn("family", lambda row: row.family or None)]
        return [*brackets, *(families if self.has_families else [])]

    @cached_property
    def names(self) -> list[str]:
        """The names of all columns, each once."""
        names = [*PARTICIPANT_COLUMNS, *(column.key for column in self.columns), *WHAT]
        for name in self._further():
            names.append(free_name(name, names))
        return names

    def _further(self) -> Iterator[str]:
        for column in self.measured:
            yield from (f"{column.key} ({part})" for part in CELL)
        yield from (f"{column.key} ({LEVEL})" for column in self.with_level)
        yield from RANKS if self.certain else ()
        yield from PUBLIC if self.public.are_kept else ()
        yield from (name for name, _of in self.stated)
        yield from VERIFIED if self.marks else ()
        yield from LATE if self.late.are_there else ()
        yield from (name for name, _of in self.classes)
        yield from HERE if self.ranks_here else ()
        yield from (field.key for field in self.meta)


def cell_parts(cell: CellJson) -> tuple[float | None, ...]:
    """The values of the parts of `CELL`."""
    over, ends = (cell.get("defined"), cell.get("total")), cell.get("interval")
    return (*over, *ends, margin(ends)) if ends else (*over, None, None, None)


def rank_ends(row: BoardRow, certain: VisibleCertainty) -> Sequence[int | None]:
    """The values of `RANKS`: the best and the worst rank that cannot be excluded."""
    certain_row = certain.of(row) if row.rank is not None else None
    if certain_row is None:
        return (None,) * len(RANKS)
    return certain_row.best, certain_row.worst, certain_row.all_best, certain_row.all_worst


def level_in(row: BoardRow, column: Column) -> Level | None:
    """Whether the value in a row is computed or reported; None if there is none."""
    if value_in(row, column) is None:
        return None
    return stored_facts(row, column.key).get("level", column.level)


def _is_measured(config: ScoringConfig, key: str) -> bool:
    if key in ECONOMICS or spec_of(key, config.metric_specs):
        return True
    return text_spec_of(key, config.named_specs) is not None
