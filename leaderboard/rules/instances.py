"""Instances: what a model was asked, what it answered, and what was expected."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Self

ROWS_PER_BLOCK = 250
CHARACTERS_PER_BLOCK = 1 << 20


class Instance(NamedTuple):
    """One instance of an evaluation.

    id: a text or a whole number, as it was given. outputs: what the model answered; the best one
    counts; none: it did not answer, which is a *failed* instance. references: what was expected,
    any of them; none: there is nothing to compare with, so that metrics which compare are
    *undefined* for it. extra: fields that mean nothing here, as they were given.
    """

    id: str | int
    input: str = ""
    outputs: Sequence[str] = ()
    references: Sequence[str] = ()
    extra: dict[str, Any] = {}

    @property
    def key(self) -> str:
        """By which it is told from others: 1 and "1" are the same id."""
        return str(self.id)

    def row(self) -> list[Any]:
        """As plain JSON, cut behind the last thing that it says."""
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
