"""The phase that a challenge shows where none is named."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest

from leaderboard.rules.visibility.open_phases import face_phase


@dataclass(frozen=True)
class Days:
    """A phase from one day of a month to another; 0: without that bound."""

    name: str
    opens: int = 0
    closes: int = 0
    face: bool = False
    overlaps: bool = False

    @property
    def opens_at(self) -> datetime | None:
        return day(self.opens) if self.opens else None

    @property
    def closes_at(self) -> datetime | None:
        return day(self.closes) if self.closes else None

    def is_open(self, moment: datetime) -> bool:
        opened = self.opens_at is None or self.opens_at <= moment
        return opened and (self.closes_at is None or moment < self.closes_at)


def day(number: int) -> datetime:
    return datetime(2026, 3, number, tzinfo=UTC)


FINAL = Days("final", 2, 10)
LATE = Days("late", 10)
SIDE = Days("side", 2, 5, overlaps=True)
ROUNDS = [Days("one", 2, 10, face=True), Days("two", 12, 20, face=True), Days("late", 20)]


@pytest.mark.parametrize(
    ("phases", "expected"),
    [
        ([FINAL], {1: "final", 5: "final", 15: "final"}),
        ([FINAL, LATE], {1: "final", 5: "final", 15: "final"}),
        ([SIDE, FINAL, LATE], {3: "final", 7: "final", 15: "final"}),
        ([SIDE], {1: "side", 7: "side"}),
        ([FINAL, Days("late", 10, face=True)], {5: "final", 15: "late"}),
        ([FINAL, Days("test", 12, 20)], {5: "final", 15: "final", 21: "test"}),
        (ROUNDS, {1: "one", 5: "one", 11: "one", 15: "two", 25: "two"}),
    ],
)
def test_the_face_is_the_one_that_organisers_name_else_the_one_that_ended_last(
    phases: Sequence[Days], expected: dict[int, str]
) -> None:
    assert {at: face_phase(phases, day(at)).name for at in expected} == expected
