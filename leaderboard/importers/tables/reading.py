"""Reads the cells of a row by the uses of their columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from leaderboard.facts import FactValue, get_fact, known_facts
from leaderboard.importers.reading.errors import ImportFailed, legible, located
from leaderboard.importers.reading.naming import participant_name
from leaderboard.importers.tables.cells import (
    NO_NAME,
    SIMPLE,
    date_in,
    is_nothing,
    moment_of,
    number_in,
    printable,
    switch_in,
    value_of,
)
from leaderboard.importers.tables.grid import Grid
from leaderboard.importers.tables.known_labels import word
from leaderboard.importers.tables.markup import names_without_marks, plain
from leaderboard.importers.tables.profiles import Profile
from leaderboard.importers.tables.uses import AMOUNTS, FLAGS, Use, wrong
from leaderboard.rules.texts.messages import counted, listed, message

MAX_TOLD: Final = 3
MAX_META: Final = 255
_NUMBERS: Final = tuple(key for key in known_facts() if key not in FLAGS)
_KINDS: Final = ("system", "person", "team")

TableCells = Sequence[str]


@dataclass
class TableReader:
    """The columns of a table with their uses. warnings: sentences for the preview."""

    grid: Grid
    profiles: Sequence[Profile]
    uses: Mapping[str, Use]
    file: str
    warnings: list[str] = field(default_factory=list)
    _unmarked: dict[int, Mapping[str, str]] = field(default_factory=dict)
    _written: dict[str, str] = field(default_factory=dict)
    _merged: dict[str, dict[str, None]] = field(default_factory=dict)
    _odd: dict[str, Counter[str]] = field(default_factory=dict)

    def places(self, *kinds: str) -> list[int]:
        """The places of the columns with one of these uses."""
        return [
            at for at, profile in enumerate(self.profiles) if self.uses[profile.label].kind in kinds
        ]

    def use(self, at: int) -> Use:
        """The use of the column at a place."""
        return self.uses[self.profiles[at].label]

    def check(self) -> None:
        """Refuse a column without numbers whose use needs numbers. Raises ImportFailed."""
        for at in self.places("value", "reward", *AMOUNTS):
            profile = self.profiles[at]
            if profile.filled and not profile.counts["number"] and not profile.counts["switch"]:
                raise wrong(
                    message(
                        "must use a column of numbers as {use}; got {label!r}, which has texts "
                        "such as {example!r}",
                        label=legible(profile.label),
                        example=legible(profile.examples[0]),
                        use=self.use(at),
                    )
                )

    def participant(self, places: Sequence[int], cells: TableCells) -> str:
        """The name in those columns, without marks of footnotes; "" if there is none."""
        texts = {at: self._name(at, cells[at]) for at in places}
        kinds = {word(self.profiles[at].label): texts[at] for at in places}
        named = [text for text in texts.values() if text.casefold() not in NO_NAME]
        if set(kinds) == {"agent", "model"}:
            name = participant_name(kinds["agent"], kinds["model"])
        else:
            name = participant_name("", " ".join(named)) if named else ""
        self._note_merged(name, " ".join(cells[at] for at in places))
        return name

    def _name(self, at: int, text: str) -> str:
        """The name in a cell of a column of participants."""
        if at not in self._unmarked:
            names = dict.fromkeys(map(plain, self.grid.columns[at]))
            self._unmarked[at] = names_without_marks(names)
        name = plain(text)
        return printable(self._unmarked[at].get(name, name))

    def _note_merged(self, name: str, written: str) -> None:
        """Note names that are written differently and read as the same."""
        first = self._written.setdefault(name, written)
        if first != written:
            self._merged.setdefault(name, {first: None})[written] = None

    def tell_names(self) -> None:
        """Warn of marks of footnotes that are left out, and of names that became one."""
        short = {name: short for names in self._unmarked.values() for name, short in names.items()}
        if short:
            examples = some([repr(legible(name)) for name in short])
            self.warnings.append(
                message("marks of footnotes are left out of the names: {names}", names=examples)
            )
        for name, written in self._merged.items():
            examples = some([repr(legible(name)) for name in written])
            self.warnings.append(
                message(
                    "several names are read as the participant {name!r}: {names}",
                    name=legible(name),
                    names=examples,
                )
            )

    def number(self, at: int, text: str) -> float | None:
        """The number in a cell; None if it is empty or, with a warning, if it is something else."""
        profile = self.profiles[at]
        if SIMPLE.fullmatch(text) and (profile.decimal == "." or "." not in text):
            return float(text)
        if is_nothing(text):
            return None
        number = number_in(text)
        value = value_of(number, profile.decimal) if number else None
        if value is None and (switch := switch_in(text)) is not None:
            return float(switch)
        if value is None:
            self._note_odd(at, text)
        return value

    def numbers(self, kind: str, cells: TableCells) -> dict[str, float]:
        """The numbers of the columns with a use, by their names."""
        numbers = {self.use(at).name: self.number(at, cells[at]) for at in self.places(kind)}
        return {name: value for name, value in numbers.items() if value is not None}

    def facts(self, row: int, cells: TableCells) -> dict[str, FactValue]:
        """The facts of a row. Raises ImportFailed for one that cannot be."""
        facts: dict[str, FactValue] = {}
        for at in self.places(*_NUMBERS):
            value = self.number(at, cells[at])
            if value is not None:
                facts[self.use(at).kind] = self.amount(row, at, value)
        for at in self.places(*FLAGS):
            if not is_nothing(cells[at]):
                facts[self.use(at).kind] = self._switch(row, at, cells[at])
        return facts

    def amount(self, row: int, at: int, value: float) -> float | int:
        """A number within the bounds of a fact. Raises ImportFailed."""
        fact = get_fact(self.use(at).kind)
        if not 0 <= value <= fact.most or (fact.is_whole and value != int(value)):
            raise self.fail(
                row,
                at,
                message("must be {accepted}; got {value:g}", accepted=fact.accepted, value=value),
            )
        return int(value) if fact.is_whole else value

    def meta(self, cells: Mapping[int, str]) -> dict[str, str]:
        """Further information, by name, from cells by their places."""
        meta = {
            self.use(at).name: printable(plain(text))[:MAX_META].strip()
            for at, text in cells.items()
            if not is_nothing(text)
        }
        return {name: text for name, text in meta.items() if text}

    def fields(self, cells: TableCells) -> dict[str, str]:
        """Further fields of a submission. Raises ImportFailed."""
        fields = {
            self.use(at).kind: printable(plain(cells[at]))
            for at in self.places("name", "kind", "note")
            if cells[at]
        }
        if fields.get("kind", "system") not in _KINDS:
            problem = message(
                "must be one of {accepted}; got {kind!r}",
                accepted=", ".join(_KINDS),
                kind=legible(fields["kind"]),
            )
            raise wrong(located("kind", problem))
        return fields

    def moment(self, cells: TableCells) -> datetime | None:
        """When a row was submitted; None if it does not say."""
        for at in self.places("submitted_at"):
            text = cells[at]
            if is_nothing(text):
                continue
            if (date := date_in(text)) is not None:
                moment = moment_of(date, self.profiles[at].order)
            else:
                number = number_in(text)
                value = value_of(number, ".") if number else None
                moment = None if value is None else _since_1970(value)
            if moment is None:
                self._note_odd(at, text)
            return moment
        return None

    def tell_odd(self) -> None:
        """Warn of the cells that were not read."""
        for label, texts in self._odd.items():
            count = sum(texts.values())
            cells = some([repr(text) for text in texts])
            self.warnings.append(
                counted(
                    "{label}: {count} cell that is not read: {told}",
                    "{label}: {count} cells that are not read: {told}",
                    count,
                    label=legible(label),
                    told=cells,
                )
            )

    def fail(self, row: int, at: int, text: str) -> ImportFailed:
        """The exception for a wrong cell."""
        line, place = self.grid.lines[row], legible(self.profiles[at].label)
        return ImportFailed(text, file=self.file, line=line, place=place)

    def _switch(self, row: int, at: int, text: str) -> bool:
        switch = {"1": True, "0": False}.get(text.removesuffix(".0"), switch_in(text))
        if switch is None:
            raise self.fail(
                row, at, message("must be true or false; got {text!r}", text=legible(text))
            )
        return switch

    def _note_odd(self, at: int, text: str) -> None:
        self._odd.setdefault(self.profiles[at].label, Counter())[legible(text)[:40]] += 1


def _since_1970(value: float) -> datetime | None:
    """A moment from seconds or milliseconds since 1970, which its size tells apart."""
    seconds = value / 1000 if value > 1e11 else value
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def some(texts: Sequence[str]) -> str:
    """The first few of them, and how many more there are."""
    first, more = listed(texts[:MAX_TOLD]), len(texts) - MAX_TOLD
    return message("{first} and {more} more", first=first, more=more) if more > 0 else first
