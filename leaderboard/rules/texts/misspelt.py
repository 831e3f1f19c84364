"""Misspelt names of fields, where unknown fields are kept."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import lru_cache

from leaderboard.rules.texts.messages import message
from leaderboard.rules.texts.nearest import nearest
from leaderboard.rules.texts.quoting import sent

MAX_LENGTH = 40
"""Of a name that could be meant for another; longer ones are not kept in memory."""


def misspelt(given: Collection[str], fields: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Names that are similar to a field, such as `actualOutput` or `expectd-output`: see `nearest`.

    Each comes with the text of its warning.
    """
    for name, meant in meant_names(given, fields):
        yield (
            name,
            message(
                "must be a known field; got {name}: did you mean {meant}?",
                name=sent(name),
                meant=meant,
            ),
        )


def meant_names(given: Collection[str], fields: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """The same names, each with the field that it seems to be meant for.

    If the correct field is present as well, the name is another field.
    """
    for name in given:
        if name in fields or len(name) > MAX_LENGTH:
            continue
        meant = _nearest(name, fields)
        if meant is not None and meant not in given:
            yield name, meant


_nearest = lru_cache(maxsize=1000)(nearest)
