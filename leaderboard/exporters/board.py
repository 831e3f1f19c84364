"""A board as exporters get it: plain values that its reader may see."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from leaderboard.rules.sortkey import Direction
from leaderboard.rules.visibility.meta_values import choice_in

DEVELOPER = ("developer", "organization", "organisation", "org")
MODEL = ("model", "model_name", "model_id")
OPENNESS = ("openness", "weights", "open_weights", "open")
OPEN_WORDS = {"open", "yes", "true", "open_weights", "open weights"}
CLOSED_WORDS = {"closed", "no", "false", "closed_weights", "closed weights", "proprietary"}


@dataclass(frozen=True, slots=True)
class ExportedColumn:
    """A column. low, high: the bounds of its values, None where they are not known."""

    key: str
    label: str
    description: str
    direction: Direction
    unit: str
    ranked: bool
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class ExportedValue:
    """A value. reason: why there is none. defined, total: tasks that it is over, if known."""

    value: float | None
    reason: str | None = None
    is_reported: bool = False
    standard_error: float | None = None
    interval: tuple[float, float] | None = None
    defined: int | None = None
    total: int | None = None


@dataclass(frozen=True, slots=True)
class ExportedRow:
    """A row of the board.

    attempt: the id of the attempt that counts, None if it is hidden. address: of its page, or of
    the board. meta: the declared fields of the attempt. verified_by: who has checked it, or "".
    """

    slug: str
    name: str
    rank: int | None
    rank_interval: tuple[int, int] | None
    unranked: str
    attempt: str | None
    address: str
    reached_at: datetime
    values: Mapping[str, ExportedValue]
    meta: Mapping[str, str]
    verified_by: str = ""
    bracket: str = ""

    @property
    def model(self) -> str:
        return _first(self.meta, MODEL) or self.name

    @property
    def developer(self) -> str:
        return _first(self.meta, DEVELOPER)

    @property
    def has_open_weights(self) -> bool | None:
        """Whether the weights of the model are public; None if nobody has said."""
        word = choice_in(_first(self.meta, OPENNESS)).casefold()
        return True if word in OPEN_WORDS else False if word in CLOSED_WORDS else None


@dataclass(frozen=True, slots=True)
class ExportedSample:
    """One reward of one sample of a task."""

    task: str
    sample: int
    reward: str
    value: float
    input_tokens: int | None = None
    output_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class ExportedAttempt:
    """An attempt of the phase. score: None while it waits, if it failed, or if it is hidden."""

    id: str
    participant: str
    submitted_at: datetime
    finished_at: datetime | None
    status: str
    score: float | None


@dataclass(frozen=True, slots=True)
class ExportedPhase:
    """The phase of the board. is_revealed: whether a frozen board was revealed."""

    slug: str
    opens_at: datetime | None
    closes_at: datetime | None
    freezes_at: datetime | None
    is_revealed: bool


@dataclass(frozen=True, kw_only=True)
class BoardOutline:
    """What decides whether a format can say what a board says, before any row is read.

    has_task_rates: whether its first ranked value is the mean of rates of tasks. has_attempts:
    whether the reader sees the attempts of the phase.
    """

    columns: Sequence[ExportedColumn]
    dataset: str = ""
    dataset_url: str = ""
    has_task_rates: bool = True
    has_attempts: bool = True

    @cached_property
    def ranked_columns(self) -> list[ExportedColumn]:
        return [column for column in self.columns if column.ranked]


@dataclass(frozen=True, kw_only=True)
class ExportedBoard(BoardOutline):
    """A board, with the rows that its reader sees.

    address: of the board's page, absolute. files: the address of the board as CSV. server: the
    version of Podium. is_whole: whether the reader sees all rows. updated_at: the last change, None
    if it is hidden. samples: the rewards of the samples by attempt, where the reader sees them.
    rates: the mean of each task by attempt, for the value that the board ranks by. attempts: those
    of the phase that the reader sees, the oldest first.
    """

    slug: str
    name: str
    summary: str
    address: str
    files: str
    server: str
    scorer: str
    code: str
    scoring_version: int
    created_at: datetime
    updated_at: datetime | None
    is_whole: bool
    rows: Sequence[ExportedRow]
    phase: ExportedPhase
    organisation: str = ""
    dataset_revision: str = ""
    license: str = ""
    clusters: Mapping[str, str] | None = None
    samples: Callable[[], Mapping[str, Sequence[ExportedSample]]] = dict
    rates: Callable[[], Mapping[str, Mapping[str, float]]] = dict
    attempts: Callable[[], Sequence[ExportedAttempt]] = list

    @property
    def moment(self) -> datetime:
        """The time of the export: that of the last change, so that the same board gives the same
        bytes."""
        return self.updated_at or self.created_at

    @property
    def ranked_rows(self) -> list[ExportedRow]:
        return [row for row in self.rows if row.rank is not None]


def _first(texts: Mapping[str, str], names: Sequence[str]) -> str:
    """The first text that one of the names has, whatever the case of the names."""
    by_name = {name.casefold(): text.strip() for name, text in texts.items()}
    return next((text for name in names if (text := by_name.get(name))), "")
