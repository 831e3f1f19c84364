"""Instances: the input of a model, its outputs, and the references."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Self

from leaderboard.rules.json.values import JsonObject

ROWS_PER_BLOCK = 250
CHARACTERS_PER_BLOCK = 1 << 20


class Instance(NamedTuple):
    """One instance of an evaluation.

    id: a text or a whole number, as submitted. outputs: the model's outputs, of which the best one
    counts; without any, the instance is *failed*. references: the expected outputs, any of which is
    right; without any, metrics that compare are *undefined* for it. extra: unknown fields, as
    submitted.
    """

    id: str | int
    input: str = ""
    outputs: Sequence[str] = ()
    references: Sequence[str] = ()
    extra: JsonObject = {}

    @property
    def key(self) -> str:
        """The text that identifies the instance: 1 and "1" are the same id."""
        return str(self.id)

    def row(self) -> list[Any]:
        """The instance as a JSON list without empty values at its end."""
        row = list(self)
        while len(row) > 1 and not row[-1]:
            row.pop()
        return row

    @classmethod
    def of(cls, row: Sequence[Any]) -> Self:
        """The instance of a `row`."""
        return cls(*row)


def blocks(instances: Sequence[Instance]) -> Iterator[Sequence[Instance]]:
    """The instances in runs that are stored and evaluated together.

    A run has at most 250 instances, and few when their texts are long.
    """
    start = characters = 0
    for at, instance in enumerate(instances):
        characters += _size(instance)
        if at > start and (at - start == ROWS_PER_BLOCK or characters > CHARACTERS_PER_BLOCK):
            yield instances[start:at]
            start, characters = at, _size(instance)
    if start < len(instances):
        yield instances[start:]


def _size(instance: Instance) -> int:
    return len(instance.input) + sum(map(len, (*instance.outputs, *instance.references)))
