"""How certain the order of a board is, in the form in which it is stored: codes and numbers."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, NamedTuple, NotRequired, Self, TypedDict, cast

from leaderboard.rules.rewards.intervals import UNBOUNDED, Interval
from leaderboard.rules.statistics.groups import statistical_groups
from leaderboard.rules.statistics.parts import TaskParts
from leaderboard.rules.statistics.rank_intervals import (
    NoRankInterval,
    RankInterval,
    rank_intervals,
)
from leaderboard.rules.statistics.smallest_difference import SmallestDifference
from leaderboard.rules.statistics.verdicts import NoParts, Rival, Verdict, VerdictState, verdict

NothingKnown = NoParts | NoRankInterval | Literal["not_compared"]
"""Why an entry has no rank interval; `not_compared`: it is beyond the rows that are compared."""


class RankedEntry(NamedTuple):
    """An entry as the board shows it. interval: of its value, 95 %."""

    attempt: str
    participant: int
    rank: int
    value: float
    interval: tuple[float, float] | None = None


class CertainRow(NamedTuple):
    """A ranked entry of a board: its attempt (hexadecimal), its participant and its rank interval.

    best, worst: None if there is a `reason`. rival: the comparison with the leader; None for the
    leaders themselves. all_best, all_worst: the simultaneous rank interval.
    """

    attempt: str
    participant: int
    best: int | None
    worst: int | None
    reason: NothingKnown | None
    rival: Rival | None
    all_best: int | None = None
    all_worst: int | None = None


class SmallestDifferenceJson(TypedDict):
    """A `SmallestDifference` as it is stored."""

    difference: float
    often: float
    tasks: int
    comparisons: int


class VerdictJson(TypedDict):
    """A verdict as it is stored: the fields of `Verdict`, `why` and `groups` of `Certainty`, and
    the simultaneous rank intervals of its rows."""

    state: VerdictState
    why: NoParts | None
    leaders: Sequence[int]
    value: float
    interval: Sequence[float] | None
    tasks: int
    smallest: SmallestDifferenceJson | None
    groups: NotRequired[Sequence[int]]
    clusters: NotRequired[int | None]
    best: NotRequired[Sequence[int]]
    all_ranks: NotRequired[Sequence[Sequence[int | None]]]


@dataclass(frozen=True, slots=True)
class Certainty:
    """The verdict of a board, and its rows in their order; the rows of the verdict are places here.

    why: why the entries cannot be compared; None if they can. groups: of each row the statistical
    group, counted from 0; none unless the verdict compares the entries.
    """

    verdict: Verdict
    why: NoParts | None
    rows: tuple[CertainRow, ...]
    groups: tuple[int, ...] = ()

    @classmethod
    def of(
        cls,
        entries: Sequence[RankedEntry],
        parts: TaskParts | None,
        *,
        seed: int,
        why: NoParts | None = None,
        too_large: Collection[int] = (),
        bounds: Interval = UNBOUNDED,
    ) -> Self:
        """Compute it. entries: at least one, best first. parts: of the same entries. too_large: the
        entries that have no parts because their rewards are too large. bounds: the lowest and the
        highest possible value.
        """
        ranks, values = [entry.rank for entry in entries], [entry.value for entry in entries]
        board_verdict = verdict(
            parts, values=values, ranks=ranks, interval=entries[0].interval, bounds=bounds
        )
        intervals: list[RankInterval] = []
        if parts is not None:
            intervals = rank_intervals(parts, seed=seed, ranks=ranks)
        rivals = {rival.entry: rival for rival in board_verdict.rivals}
        rows = []
        for at, entry in enumerate(entries):
            interval = intervals[at] if intervals else None
            best, worst = (interval.best, interval.worst) if interval else (None, None)
            reason: NothingKnown | None = interval.reason if interval else why or "no_samples"
            if at in too_large:
                reason = "too_large_rewards"
            who = entry.attempt, entry.participant
            all_ends = (interval.all_best, interval.all_worst) if interval else (None, None)
            rows.append(CertainRow(*who, best, worst, reason, rivals.get(at), *all_ends))
        if board_verdict.state == "no_samples" and too_large:
            why = "too_large_rewards"
        grouped = board_verdict.state in ("not_told_apart", "clear_lead")
        maybe_best = tuple(at for at, row in enumerate(rows) if row.all_best == 1)
        return cls(
            replace(board_verdict, best=maybe_best if grouped else ()),
            why,
            tuple(rows),
            _groups(parts, ranks) if parts is not None and grouped else (),
        )

    def as_json(self) -> tuple[VerdictJson, list[list[Any]]]:
        """The verdict and the rows as JSON values."""
        smallest = self.verdict.smallest
        verdict_json: VerdictJson = {
            "state": self.verdict.state,
            "why": self.why,
            "leaders": self.verdict.leaders,
            "value": self.verdict.value,
            "interval": self.verdict.interval,
            "tasks": self.verdict.tasks,
            "smallest": cast(SmallestDifferenceJson, asdict(smallest)) if smallest else None,
            "groups": self.groups,
            "clusters": self.verdict.clusters,
            "best": self.verdict.best,
            "all_ranks": [[row.all_best, row.all_worst] for row in self.rows],
        }
        return verdict_json, [_row_json(row) for row in self.rows]

    @classmethod
    def of_json(cls, verdict_json: VerdictJson, rows: Sequence[Sequence[Any]]) -> Self:
        """What `as_json` has written."""
        all_ranks = verdict_json.get("all_ranks") or [[None, None]] * len(rows)
        certain_rows = [
            _row(at, row)._replace(all_best=ends[0], all_worst=ends[1])
            for at, (row, ends) in enumerate(zip(rows, all_ranks, strict=True))
        ]
        interval, smallest = verdict_json["interval"], verdict_json["smallest"]
        board_verdict = Verdict(
            verdict_json["state"],
            tuple(verdict_json["leaders"]),
            verdict_json["value"],
            (interval[0], interval[1]) if interval else None,
            verdict_json["tasks"],
            tuple(row.rival for row in certain_rows if row.rival),
            SmallestDifference(**smallest) if smallest else None,
            verdict_json.get("clusters"),
            tuple(verdict_json.get("best", ())),
        )
        return cls(
            board_verdict,
            verdict_json["why"],
            tuple(certain_rows),
            tuple(verdict_json.get("groups", ())),
        )


def lost_places(before: Sequence[Sequence[Any]], after: Sequence[Sequence[Any]]) -> dict[int, int]:
    """The participants that stand behind the worst rank that was expected of them, and that rank.

    before, after: rows as `as_json` has written them. Where nothing is known of an interval, it is
    their former place. Of several rows of a participant, the first one counts.
    """
    worst = dict[int, int]()
    for at, row in enumerate(before):
        certain = _row(at, row)
        worst.setdefault(certain.participant, max(at + 1, certain.worst or 0))
    places = dict[int, int]()
    for at, row in enumerate(after, 1):
        places.setdefault(_row(at - 1, row).participant, at)
    return {who: last for who, last in worst.items() if places.get(who, 0) > last}


def stored_intervals(rows: Sequence[Sequence[Any]]) -> dict[int, tuple[int, int]]:
    """The best and the worst rank of each participant, where they are known.

    rows: as `as_json` has written them. Of several rows of a participant, the first one counts.
    """
    intervals = dict[int, tuple[int, int]]()
    for at, row in enumerate(rows):
        certain = _row(at, row)
        if certain.best is not None and certain.worst is not None:
            intervals.setdefault(certain.participant, (certain.best, certain.worst))
    return intervals


def _groups(parts: TaskParts, ranks: Sequence[int]) -> tuple[int, ...]:
    """Of each entry, the number of its group."""
    numbers = [0] * len(ranks)
    for number, group in enumerate(statistical_groups(parts, ranks)):
        for member in group.members:
            numbers[member] = number
    return tuple(numbers)


def _row_json(row: CertainRow) -> list[Any]:
    *own_fields, rival, _all_best, _all_worst = row
    if rival is None:
        return own_fields
    interval = rival.interval and list(rival.interval)
    flags = [rival.told_apart, rival.is_better, rival.same_tasks]
    return [*own_fields, rival.shared, rival.lead, interval, rival.p, *flags]


def _row(at: int, row: Sequence[Any]) -> CertainRow:
    attempt, participant, best, worst, reason, *rest = row
    rival = None
    if rest:
        shared, lead, interval, p, *flags = rest
        rival = Rival(at, shared, lead, tuple(interval) if interval else None, p, *flags)
    return CertainRow(attempt, participant, best, worst, reason, rival)
