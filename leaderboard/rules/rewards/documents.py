"""Documents of instances with HarpIA's names of their parts; `schemas.documents` reads them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, Final, NamedTuple

from leaderboard.rules.json.values import JsonObject
from leaderboard.rules.rewards.instances import Instance
from leaderboard.rules.texts.messages import message

MAX_INSTANCES: Final = 100_000
MAX_TEXTS: Final = 1000
"""Outputs, or references, of one instance."""
MAX_CHARACTERS: Final = 1 << 20
"""Of one text."""
MAX_ID: Final = 255
MAX_SHOWN: Final = 80
MAX_NAMED: Final = 10
"""Further fields that one answer names."""

ID: Final = "id"
INPUT: Final = "input"
ACTUAL: Final = "actual-output"
EXPECTED: Final = "expected-output"
FIELDS: Final = (ID, INPUT, ACTUAL, EXPECTED)
INSTANCES, METRICS = "instances", "metrics"


class Document(NamedTuple):
    """A HarpIA input document. metrics: as they are written there. extra: its other fields.

    lists_metrics: whether it has a list of metrics at all, which may be empty.
    """

    instances: list[Instance]
    metrics: list[Any]
    extra: JsonObject
    lists_metrics: bool = False


def told_further(instances: Iterable[Instance]) -> Iterator[str]:
    """The warnings about unknown fields, or columns, of instances."""
    if names := further_names(instances):
        yield message(
            "further fields of instances are kept and have no meaning here: {names}; known are"
            " {known}",
            names=names,
            known=", ".join(FIELDS),
        )


def further_names(instances: Iterable[Instance]) -> str:
    """The names of unknown fields, or columns, of instances; "" for none."""
    names = dict.fromkeys(name for instance in instances for name in instance.extra)
    some = ", ".join(map(shown_id, islice(names, MAX_NAMED)))
    more = len(names) - MAX_NAMED
    return message("{names} and {more} more", names=some, more=more) if more > 0 else some


def without_outputs(instances: Iterable[Instance]) -> Iterator[Instance]:
    """The instances without outputs, as a challenge holds them."""
    return (instance._replace(outputs=()) for instance in instances)


def shown_id(value: str | int) -> str:
    """An id in the form for messages and paths."""
    text = str(value)
    cut = text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 1]}…"
    return "".join(character if character.isprintable() else "?" for character in cut)
