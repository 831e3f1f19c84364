"""Profiles of a table's columns, made from all of their cells."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Final, Literal

from leaderboard.importers.tables.cells import (
    MAGNITUDES,
    CellKind,
    Day,
    Decimal,
    date_in,
    decimal_of,
    is_ambiguous,
    kind_of,
    number_in,
    printable,
    value_of,
)
from leaderboard.importers.tables.grid import Grid, GridColumn
from leaderboard.importers.tables.known_labels import OVERALL, word
from leaderboard.importers.tables.markup import plain

MAX_DISTINCT: Final = 200_000
EXAMPLES: Final = 3
MAX_EXAMPLE: Final = 40
DASHES: Final = ("", "-", "–", "—", "−", "--", "---")
"""What an empty column may hold, unlike `N/A` in a column of values of which there are none."""

Holds = Literal["nothing", "number", "switch", "date", "text"]


@dataclass
class Profile:
    """What the cells of a column are.

    counts: cells by kind. decimals: numbers that show each decimal separator. units: numbers by
    unit. spreads: numbers with a `± 0.4`. scaled:
    with a k, M or B. shares: such as 9/12. doubtful: a number that reads as two. distinct: whether
    no text stands twice. marked: cells that say that there is no value, such as `N/A`. totals:
    cells that say that their row sums up others. order: whether the day or the month comes first in
    its dates.
    """

    label: str
    counts: Counter[CellKind] = field(default_factory=Counter)
    decimals: Counter[Decimal] = field(default_factory=Counter)
    units: Counter[str] = field(default_factory=Counter)
    orders: Counter[str] = field(default_factory=Counter)
    spreads: int = 0
    scaled: int = 0
    shares: int = 0
    doubtful: str = ""
    marked: int = 0
    totals: int = 0
    distinct: bool = True
    examples: list[str] = field(default_factory=list)
    decimal: Decimal = "."
    is_index: bool = False

    @property
    def filled(self) -> int:
        """The number of cells that are not empty."""
        return sum(count for kind, count in self.counts.items() if kind != "nothing")

    @property
    def holds(self) -> Holds:
        """The kind of most of its cells; "text" if no kind is half of them."""
        kinds = {kind: count for kind, count in self.counts.items() if kind != "nothing"}
        if not kinds:
            return "nothing"
        kind, count = max(kinds.items(), key=lambda item: item[1])
        return kind if count * 2 >= self.filled and (kind != "number" or self._one_unit) else "text"

    @property
    def _one_unit(self) -> bool:
        """Whether its numbers have at most one unit, which also applies to those without."""
        return len({unit for unit in self.units if unit}) <= 1

    @property
    def unit(self) -> str:
        """The unit of its numbers, "" for none."""
        return next((unit for unit in self.units if unit), "")

    @property
    def order(self) -> Literal["day", "month"]:
        return "day" if self.orders["day"] and not self.orders["month"] else "month"

    @property
    def decimal_shown(self) -> Decimal:
        """The separator that its own numbers show; "" where none does, or both do."""
        point, comma = self.decimals["."], self.decimals[","]
        return "" if (point > 0) == (comma > 0) else "." if point else ","


def profiles_of(grid: Grid, fixed: Decimal = "") -> list[Profile]:
    """A profile of each column. fixed: the decimal separator where the file's format says it."""
    profiles = [_profile(column) for column in grid.columns]
    commas = any(profile.decimal_shown == "," for profile in profiles)
    points = any(profile.decimal_shown == "." for profile in profiles)
    usual: Decimal = "," if commas and not points else "."
    for profile in profiles:
        profile.decimal = fixed or profile.decimal_shown or usual
    return profiles


def _profile(column: GridColumn) -> Profile:
    profile = Profile(column.label)
    texts: set[str] = set()
    for chunk in column.chunks():
        for text, count in Counter(chunk).items():
            kind = kind_of(text)
            profile.counts[kind] += count
            if kind == "nothing":
                profile.marked += count * (text.casefold() not in DASHES)
                continue
            if kind == "text" and len(text) <= MAX_EXAMPLE and word(plain(text)) in OVERALL:
                profile.totals += count
            _see_text(profile, text, count, texts)
            if kind == "number":
                _see_number(profile, text, count)
            elif kind == "date" and isinstance(day := date_in(text), Day):
                profile.orders[day.order] += count
    profile.is_index = _counts_up(column) if profile.holds == "number" else False
    return profile


def _see_text(profile: Profile, text: str, count: int, texts: set[str]) -> None:
    if len(profile.examples) < EXAMPLES:
        short = printable(plain(text))[:MAX_EXAMPLE]
        if short and short not in profile.examples:
            profile.examples.append(short)
    if profile.distinct:
        profile.distinct = count == 1 and text not in texts and len(texts) < MAX_DISTINCT
        texts.add(text)


def _see_number(profile: Profile, text: str, count: int) -> None:
    number = number_in(text)
    if number is None:
        return
    if is_ambiguous(number):
        profile.doubtful = profile.doubtful or text
    elif decimal := decimal_of(number):
        profile.decimals[decimal] += count
    profile.units[number.unit] += count
    profile.spreads += count * number.spread
    profile.scaled += count * (number.factor in MAGNITUDES.values())
    profile.shares += count * ("/" in text and number.factor <= 1.0 and not number.unit)


def _counts_up(column: GridColumn) -> bool:
    """Whether its cells are 0, 1, 2, … or 1, 2, 3, …"""
    start = 0
    for at, text in enumerate(column):
        number = number_in(text)
        value = value_of(number, ".") if number else None
        if at == 0:
            start = 1 if value == 1 else 0
        if value != at + start:
            return False
    return True
