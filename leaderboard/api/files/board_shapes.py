"""The types of the API's answers about boards; `serializers.board` describes the same."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from leaderboard.rules.ranking.medals import Medal
from leaderboard.rules.rewards.cells import BoardCell
from leaderboard.rules.rewards.reductions import Level
from leaderboard.rules.sortkey import Direction
from leaderboard.rules.statistics.certainties import NothingKnown
from leaderboard.rules.statistics.verdicts import VerdictState


class ColumnJson(TypedDict):
    """A column of a board."""

    key: str
    label: str
    description: str
    direction: Direction
    unit: str
    decimals: int
    ranked: bool


class ParticipantJson(TypedDict):
    """A participant, as a row shows it."""

    handle: str
    slug: str
    name: str
    kind: str


class CellJson(BoardCell, total=False):
    """The stored facts about a value, and `margin`, half of its interval.

    A reported value has no `defined` and no `total`.
    """

    margin: float


class ReportedJson(TypedDict):
    """A value that has no column."""

    level: Level


class VerifiedJson(TypedDict):
    """Who has checked the attempt that counts."""

    by: str
    link: str
    at: str


class CertaintyJson(TypedDict):
    """How certain the order of a board is. text: English sentences. computed_at: ISO 8601.

    compared: the number of ranked rows that are compared, the first ones.
    """

    verdict: VerdictState
    text: str
    smallest_difference: float | None
    compared: int
    computed_at: str


class RowJson(TypedDict):
    """A row of a board. reached_at: ISO 8601. unranked: why it has no rank.

    rank_interval: the best and the worst rank, or None with a reason. rank_interval_all: those that
    hold for all rows at once. All are None if the
    certainty of the board is not known.

    attempt, attempts: None if the reader may not open the attempts of the participant.
    """

    rank: int | None
    rank_here: int | None
    tied: bool
    public_rank: int | None
    rank_interval: list[int] | None
    rank_interval_reason: NothingKnown | None
    rank_interval_all: list[int] | None
    unranked: str | None
    disqualified_reason: str | None
    verified: VerifiedJson | None
    provenance: str | None
    ruled_samples: int
    medal: Medal | None
    late_by_agreement: bool
    participant: ParticipantJson
    bracket: str | None
    family: str | None
    attempt: str | None
    score: float | None
    values: dict[str, float | None]
    cells: dict[str, CellJson | ReportedJson]
    meta: NotRequired[dict[str, str]]
    attempts: int | None
    reached_at: str


class RescoringJson(TypedDict):
    """The progress of a rescore."""

    scoring_version: int
    done: int
    total: int


class BoardJson(TypedDict):
    """What the answer says about the board besides its rows.

    shown: which rows the reader sees. total, ranked: None unless these are all.
    """

    challenge: str
    phase: str
    frozen_since: str | None
    shown: Literal["all", "own", "none"]
    version: int
    scoring_version: int
    newest_scoring_version: int
    rescoring: RescoringJson | None
    editions: int
    held: int
    updated_at: str | None
    certainty: CertaintyJson | None
    total: int | None
    ranked: int | None
    columns: list[ColumnJson]
