"""The type of a fact, and the facts of the files in this folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Final, Literal

from leaderboard.rules.plugins.modules import offered
from leaderboard.rules.sortkey import Direction
from leaderboard.rules.texts.messages import message

COUNT_LIMIT: Final = 10**15
"""The largest count, and the default for the largest number of a fact."""

FactKind = Literal["flag", "count", "number", "moment"]
FactValue = bool | int | float


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact of an attempt. Any may be absent, which is not zero.

    key: its name in the API, in files and for scorers, at most 40 characters. label: its name on
    pages. kind: a flag is true or false; a count is a whole number; a moment is milliseconds since
    1970. description: a line for the API and the documentation. tooltip: the same for the column of
    a board, which shows the unit itself; if empty, the description. hint: the text beside its field
    in the form by hand; if empty, the form does not ask for it. most: the largest value; the
    smallest is 0. unit: the unit of its values, which challenges cannot change. decimals: how many
    a board shows. direction: its better end; a fact with one can be ranked by and is a column of
    every board. for_scorers: whether scorers get it. of_samples: whether a sample may report it as
    usage. example: a value for examples and for trying a scorer; if None, they leave it out.
    column: its field in the database, if it differs from the key. place: its position in JSON.
    page_place: its position on pages.
    """

    key: str
    label: str
    kind: FactKind
    description: str
    tooltip: str = ""
    hint: str = ""
    most: int = COUNT_LIMIT
    unit: str = ""
    decimals: int = 0
    direction: Direction | None = None
    for_scorers: bool = True
    of_samples: bool = False
    example: FactValue | None = None
    column: str = ""
    place: int = 100
    page_place: int = 100

    @property
    def field(self) -> str:
        """The name of its field in the database."""
        return self.column or self.key

    @property
    def is_whole(self) -> bool:
        """Whether its values are whole numbers."""
        return self.kind in ("count", "moment")

    @property
    def accepted(self) -> str:
        """The accepted values as text: `a whole number from 0 to 10^15`."""
        if self.kind == "flag":
            return message("true or false")
        most = "10^15" if self.most == COUNT_LIMIT else str(self.most)
        if self.is_whole:
            return message("a whole number from 0 to {most}", most=most)
        return message("a number from 0 to {most}", most=most)


@cache
def known_facts() -> Mapping[str, Fact]:
    """Every fact that a file here describes, by key, in the order of JSON."""
    facts: Mapping[str, Fact] = offered("leaderboard.facts", "FACT")
    ordered = sorted(facts.values(), key=lambda fact: (fact.place, fact.key))
    return MappingProxyType({fact.key: fact for fact in ordered})


def get_fact(key: str) -> Fact:
    """The fact of that key. Raises KeyError."""
    return known_facts()[key]


def facts_on_pages() -> list[Fact]:
    """Every fact, in the order of pages."""
    return sorted(known_facts().values(), key=lambda fact: (fact.page_place, fact.key))


def rankable_facts() -> list[Fact]:
    """The facts that a board may rank by and shows, in the order of JSON."""
    return [fact for fact in known_facts().values() if fact.direction is not None]


@cache
def rankable_keys() -> tuple[str, ...]:
    """Keys that strategy `metric` may rank by: the score, facts, and the arrival."""
    facts = (fact.key for fact in facts_on_pages() if fact.direction is not None)
    return ("score", *facts, "submitted_at")


def scored_facts() -> list[Fact]:
    """The facts that a worker needs: those for scorers, and those that rank."""
    facts = known_facts().values()
    return [fact for fact in facts if fact.for_scorers or fact.direction is not None]


def usage_facts() -> list[Fact]:
    """The facts that a sample may report as its usage, whole numbers first."""
    facts = [fact for fact in known_facts().values() if fact.of_samples]
    return sorted(facts, key=lambda fact: not fact.is_whole)
