"""Tells how a table was read: the use of each column, and what was left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from leaderboard.facts import known_facts
from leaderboard.importers.reading.column_use import ColumnUse
from leaderboard.importers.reading.errors import located
from leaderboard.importers.tables.cells import number_in, value_of
from leaderboard.importers.tables.grid import Grid
from leaderboard.importers.tables.guessing import MAX_VALUES, key_of
from leaderboard.importers.tables.profiles import Profile
from leaderboard.importers.tables.reading import some
from leaderboard.importers.tables.uses import Use
from leaderboard.rules.texts.messages import counted, listed, message

OF_NUMBERS: Final = (
    "value",
    "reward",
    *(key for key, fact in known_facts().items() if fact.kind == "number"),
)
"""Uses with numbers that may have decimals; a warning says how ambiguous ones are read."""


def warnings_of(
    grid: Grid, profiles: Sequence[Profile], uses: Mapping[str, Use], given: Mapping[str, Use]
) -> Iterator[str]:
    """The warnings about how the table was read."""
    if grid.above:
        yield counted(
            "{count} row above its header is left out",
            "{count} rows above it are left out",
            grid.above,
        )
    yield from _of_rows(grid)
    left_out = [
        profile.label
        for profile in profiles
        if uses[profile.label].kind == "ignore" and profile.label not in given and profile.filled
    ]
    if len([use for use in uses.values() if use.kind == "value"]) >= MAX_VALUES and left_out:
        yield message(
            "an attempt has at most {most} values; further columns are left out",
            most=MAX_VALUES,
        )
    for profile in profiles:
        if uses[profile.label].kind in ("value", "reward") and (mixed := _mixed(profile)):
            yield located(profile.label, mixed)
    for profile in profiles:
        use, key = uses[profile.label], key_of(profile.label)
        if use.kind == "value" and profile.label not in given and use.name == f"reported_{key}":
            yield message(
                "{key} means a metric or a fact here, so the column’s numbers are kept as {name}",
                key=key,
                name=use.name,
            )


def _of_rows(grid: Grid) -> Iterator[str]:
    """The warnings about the header and about rows that are not like the others."""
    yield from grid.notes
    if grid.headers_again:
        lines = [message("line {line}", line=line) for line in grid.headers_again]
        yield message("left out, as it repeats the header: {lines}", lines=some(lines))
    short = [
        message(
            "line {line} has {count} of {needed} cells", line=line, count=count, needed=grid.needed
        )
        for line, count in grid.short
    ]
    if short:
        yield message("what is missing in a row is undefined: {rows}", rows=some(short))


def use_of(profile: Profile, use: Use, given: Mapping[str, Use]) -> ColumnUse:
    is_number = use.kind in OF_NUMBERS
    return ColumnUse(
        profile.label,
        str(use),
        profile.label not in given,
        tuple(profile.examples),
        listed(_notes(profile), by="; ") if is_number else _date_note(profile, use),
    )


def _notes(profile: Profile) -> Iterator[str]:
    """How ambiguous numbers of a column are read, as a warning."""
    if profile.doubtful:
        number = number_in(profile.doubtful)
        value = value_of(number, profile.decimal) if number else None
        yield message("{text} is read as {value:.12g}", text=profile.doubtful, value=value)
    elif profile.decimal == "," and profile.decimals[","]:
        yield message("decimal comma")
    if profile.decimals[","] and profile.decimals["."]:
        yield message("some cells have a decimal comma and some a point")
    if profile.spreads:
        yield message("what follows ± or stands in brackets is left out")
    if profile.scaled:
        yield message("k, M and B are thousands, millions and billions")
    if mixed := _mixed(profile):
        yield mixed
    elif profile.unit:
        yield message("in {unit}", unit=profile.unit)
    if profile.shares:
        yield message("9/12 is 0.75")
    if profile.counts["switch"]:
        yield message("yes is 1, no is 0")


def _mixed(profile: Profile) -> str:
    """The warning about numbers of which only some have a unit."""
    if not profile.unit or not profile.units[""]:
        return ""
    return message(
        "some cells have {unit} and some do not; all numbers are kept as written", unit=profile.unit
    )


def _date_note(profile: Profile, use: Use) -> str:
    if use.kind == "submitted_at" and profile.orders[""] and len(profile.orders) == 1:
        return (
            message("the day comes first")
            if profile.order == "day"
            else message("the month comes first")
        )
    return ""
