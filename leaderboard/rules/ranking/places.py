"""Which attempts are ranked, by which values, and in which place. Pure arithmetic.

Which attempt counts is decided by the smallest pick key, so scores may arrive in any order and a
new score does not read the others. `first` and `chosen` have other pick keys only; a chosen attempt
that can be ranked has a key that begins with a smaller byte, so the best attempt counts if none is
chosen. Under `all`, the slot of a standing is the id of its attempt. A `mean` is derived again from
all attempts of its participant. Attempts that cannot be ranked are left out of it, it is the mean
of fewer attempts while there are fewer, and it has no interval, because intervals of single
attempts do not describe the spread between attempts.

The rule belongs to the scoring config, and a phase may replace it. No score depends on it, so a
change only derives the boards of the phase again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, Literal, cast
from uuid import UUID

from leaderboard.rules.sortkey import (
    PRECISION,
    REACHED_LENGTH,
    Direction,
    number_key,
    reached_key,
    reversed_key,
    values_key,
)

CountingMode = Literal["best", "latest", "first", "chosen", "mean", "all"]
Unranked = Literal[
    "not_succeeded",
    "no_value",
    "failed",
    "low_coverage",
    "withdrawn",
    "disqualified",
    "in_review",
    "returned",
    "not_admitted",
]
NotCounting = Literal["", "in_review", "returned", "not_admitted"]
"""Why an attempt does not count by the rules and decisions of its challenge; "" if it does."""
NOT_COUNTING: Final[tuple[NotCounting, ...]] = ("", "in_review", "returned", "not_admitted")
"""By the number of its `AttemptStanding`."""

MAX_KEYS = 4
TIME: Final = "submitted_at"
CHOSEN, RANKED, UNRANKED, WITHDRAWN = b"\x00", b"\x01", b"\x02", b"\x03"


def counting_of(phase: str, config: str) -> CountingMode:
    """Which attempts count in a phase. phase: its own choice, or "" for that of the config."""
    return cast("CountingMode", phase or config)


@dataclass(frozen=True, slots=True)
class RankKey:
    """One ranked value: its name, its better end, and the number of decimals that are compared."""

    key: str
    direction: Direction
    decimals: int = PRECISION

    def rounded_to(self, decimals: int) -> RankKey:
        """This key with at most so many digits after the point."""
        return self if self.decimals <= decimals else replace(self, decimals=decimals)


@dataclass(frozen=True, slots=True)
class Ranking:
    """How one scoring config orders attempts: by its keys, the first one first.

    `only_succeeded` leaves out attempts that did not succeed. `min_coverage` is the share of the
    tasks that a ranked attempt has to cover. `counting` says which attempt of a participant counts:
    `chosen`: the best one of those that the participant has chosen, else the best of all; `mean`:
    the latest one that can be ranked, with the mean values of the last ones; `all`: every attempt
    is a row of its own.
    """

    keys: tuple[RankKey, ...]
    only_succeeded: bool = False
    counting: CountingMode = "best"
    min_coverage: float | None = None

    def rounded_to(self, decimals: int) -> Ranking:
        """This ranking by values with at most so many digits after the point, times apart."""
        keys = (key if key.key == TIME else key.rounded_to(decimals) for key in self.keys)
        return replace(self, keys=tuple(keys))


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts of one attempt that ranking needs, under one scoring config.

    `values` holds numbers by name (`score`, `elapsed_ms`, …); an absent one is missing or `None`.
    `coverage` is the share of the tasks that its value covers; `low_coverage` has the names of
    values that are missing because they cover fewer tasks than their metrics require.
    `disqualified`: the participant was, with all its attempts. `chosen`: the participant has chosen
    the attempt. not_counting: why the attempt does not count by rules and decisions.
    """

    attempt_id: UUID
    submitted_at: datetime
    succeeded: bool | None
    values: Mapping[str, float | None]
    failed: bool = False
    withdrawn: bool = False
    disqualified: bool = False
    coverage: float = 0.0
    low_coverage: Collection[str] = ()
    chosen: bool = False
    not_counting: NotCounting = ""


@dataclass(frozen=True, slots=True)
class StandingPlace:
    """The place of an attempt.

    `sort_key` orders the whole board: the `rank_key` (rows with the same one share a rank), then
    the time, then the id. Of a participant's attempts the one with the smallest `pick_key` counts.
    """

    sort_key: bytes
    pick_key: bytes
    unranked: Unranked | None

    @property
    def rank_key(self) -> bytes:
        return rank_key_of(self.sort_key)


def place(ranking: Ranking, facts: Facts) -> StandingPlace:
    """The place of an attempt: ranked by its values, or unranked with the reason."""
    reason = why_unranked(ranking, facts)
    reached = reached_key(facts.submitted_at, facts.attempt_id)
    if reason is None:
        rank_key = RANKED + values_key(
            [(_value(facts, key.key), key.direction, key.decimals) for key in ranking.keys]
        )
    else:
        rank_key = WITHDRAWN if reason == "withdrawn" else UNRANKED
    sort_key = rank_key + reached
    if facts.not_counting and reason != "withdrawn":
        pick_key = _pick_key_outside(ranking.counting, reached)
    else:
        pick_key = _pick_key(ranking.counting, rank_key, reached, facts.chosen)
    if facts.disqualified and reason != "withdrawn":
        return StandingPlace(WITHDRAWN + reached, pick_key, "disqualified")
    return StandingPlace(sort_key, pick_key, reason)


def uncovered(counting: CountingMode, place: StandingPlace) -> StandingPlace:
    """The place of an attempt that covers too few tasks; `place` is the one without that rule."""
    reached, pick_key = place.sort_key[-REACHED_LENGTH:], place.pick_key
    if pick_key[:1] in (CHOSEN, RANKED):
        if counting in ("best", "chosen", "all"):
            pick_key = UNRANKED + reached
        elif counting == "mean":
            pick_key = UNRANKED + pick_key[1:]
    if place.unranked is None:
        return StandingPlace(UNRANKED + reached, pick_key, "low_coverage")
    return StandingPlace(place.sort_key, pick_key, place.unranked)


class PickKeys:
    """The pick keys of many attempts: the same bytes as `place(ranking, facts).pick_key`.

    For callers that search a million attempts for the one of each participant that counts.
    """

    def __init__(self, ranking: Ranking) -> None:
        self._ranked = [(key.direction, key.decimals) for key in ranking.keys]
        self._needs_success = ranking.only_succeeded
        self._counting = ranking.counting
        self._least = ranking.min_coverage

    def __call__(
        self,
        reached: bytes,
        values: Sequence[float | None],
        succeeded: bool | None,
        failed: bool,
        withdrawn: bool,
        coverage: float,
        chosen: bool = False,
        is_outside: bool = False,
    ) -> bytes:
        """reached: the `reached_key`. values: those of the ranking's keys, in their order.
        is_outside: whether the attempt does not count by rules and decisions.
        """
        if is_outside and not withdrawn:
            return _pick_key_outside(self._counting, reached)
        rank_key = self._rank_key(values, succeeded, failed, withdrawn, coverage)
        return _pick_key(self._counting, rank_key, reached, chosen)

    def _rank_key(
        self,
        values: Sequence[float | None],
        succeeded: bool | None,
        failed: bool,
        withdrawn: bool,
        coverage: float,
    ) -> bytes:
        if withdrawn:
            return WITHDRAWN
        if (
            failed
            or (self._needs_success and not succeeded)
            or not values
            or values[0] is None
            or (self._least is not None and coverage < self._least)
        ):
            return UNRANKED
        keys = [number_key(value, *how) for value, how in zip(values, self._ranked, strict=True)]
        return RANKED + b"".join(keys)


def _pick_key(counting: CountingMode, rank_key: bytes, reached: bytes, chosen: bool) -> bytes:
    """The key by which the attempt of a participant that counts is the smallest one."""
    state = rank_key[:1]
    if counting == "best" or counting == "all":
        return rank_key + reached
    if counting == "chosen":
        return (CHOSEN if chosen and state == RANKED else b"") + rank_key + reached
    if counting == "mean":
        return state + reversed_key(reached)
    return (WITHDRAWN if state == WITHDRAWN else RANKED) + (
        reached if counting == "first" else reversed_key(reached)
    )


def _pick_key_outside(counting: CountingMode, reached: bytes) -> bytes:
    """The pick key of an attempt that may not count: behind all that count, before withdrawn ones.

    So an older attempt of the participant that counts keeps its place.
    """
    newest_first = counting in ("latest", "mean")
    return UNRANKED + (reversed_key(reached) if newest_first else reached)


def rank_key_of(sort_key: bytes) -> bytes:
    """The part of a sort key that decides the rank.

    As it is a prefix, exactly the better rows have a sort key below it: one index serves order
    and rank alike.
    """
    return sort_key[:-REACHED_LENGTH]


def why_unranked(ranking: Ranking, facts: Facts) -> Unranked | None:
    """The first reason why an attempt is unranked, or `None`."""
    if facts.withdrawn:
        return "withdrawn"
    if facts.not_counting:
        return facts.not_counting
    if facts.failed:
        return "failed"
    if ranking.only_succeeded and not facts.succeeded:
        return "not_succeeded"
    if not ranking.keys:
        return "no_value"
    if _value(facts, ranking.keys[0].key) is None:
        return "low_coverage" if ranking.keys[0].key in facts.low_coverage else "no_value"
    if ranking.min_coverage is not None and facts.coverage < ranking.min_coverage:
        return "low_coverage"
    return None


def ranks(keys: Iterable[bytes], *, before: int = 0, less: int | None = None) -> Iterator[int]:
    """Standard competition ranks (1, 2, 2, 4) of rank keys that come in order.

    `before` rows precede the first key; `less` of them have a smaller key (default: all).
    """
    rank, last = 0, None
    for position, key in enumerate(keys, start=before + 1):
        if last is None and less is not None:
            rank = less + 1
        elif key != last:
            rank = position
        yield rank
        last = key


def _value(facts: Facts, key: str) -> float | None:
    if key == TIME:
        return facts.submitted_at.timestamp()
    return facts.values.get(key)
