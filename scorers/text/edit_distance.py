"""The number of characters to change until the output is its reference."""

from collections.abc import Sequence
from typing import ClassVar

from scorers.protocol import Instance, Parameters, TextResult
from scorers.text._plain import SIMPLIFICATIONS, mean, simplify


class EditDistance:
    """Characters to insert, delete or replace until the output is its reference (Levenshtein).

    `edit_distance` counts them, from 0 up; `similarity` = 1 − distance / length of the longer text,
    from 0 to 1. With several references, the one with the smallest distance counts, and among these
    the longest; then the mean over instances.

    `ignore_case`, `ignore_punctuation` and `ignore_articles` (a, an, the) leave these out of
    account.
    """

    id: ClassVar[str] = "EDIT_DISTANCE"
    averaged: ClassVar[bool] = True
    bounds: ClassVar[tuple[float, None]] = (0.0, None)
    direction: ClassVar[str] = "asc"
    directions: ClassVar[dict[str, str]] = {"similarity": "desc"}
    ranges: ClassVar[dict[str, tuple[float, float]]] = {"similarity": (0.0, 1.0)}
    defaults: ClassVar[dict[str, bool]] = SIMPLIFICATIONS

    def evaluate(self, instances: Sequence[Instance], parameters: Parameters) -> TextResult:
        plain = simplify(parameters)
        pairs = [
            nearest(plain(instance.output), [plain(text) for text in instance.references])
            for instance in instances
        ]
        return {
            "score": {
                "edit_distance": mean([distance for distance, _ in pairs]),
                "similarity": mean([similarity for _, similarity in pairs]),
            },
            "results": [
                {"edit_distance": float(distance), "similarity": similarity}
                for distance, similarity in pairs
            ],
        }


def nearest(output: str, references: Sequence[str]) -> tuple[int, float]:
    """The distance and similarity to the nearest reference."""

    def measure(reference: str) -> tuple[int, float]:
        distance = levenshtein(output, reference)
        return distance, 1 - distance / (max(len(output), len(reference)) or 1)

    return min(map(measure, references), key=lambda measures: (measures[0], -measures[1]))


def levenshtein(one: str, other: str) -> int:
    """The number of characters to insert, delete or replace.

    Computes the usual table column by column, with a column as the bits of two numbers: the rows
    where the value rises by one, and the rows where it falls (Hyyrö 2003, after Myers). NLTK
    computes cell by cell and would take half an hour for a hundred thousand sentences.
    """
    rows, columns = (one, other) if len(one) > len(other) else (other, one)
    where: dict[str, int] = {}
    for at, character in enumerate(rows):
        where[character] = where.get(character, 0) | 1 << at
    every, last = (1 << len(rows)) - 1, 1 << len(rows) >> 1
    up, down, distance = every, 0, len(rows)
    for character in columns:
        same = where.get(character, 0)
        diagonal = ((same & up) + up ^ up | same | down) & every
        rise, fall = down | every & ~(diagonal | up), up & diagonal
        distance += bool(rise & last) - bool(fall & last)
        rise, fall = rise << 1 | 1, fall << 1
        up, down = every & (fall | ~(diagonal | rise)), rise & diagonal
    return distance
