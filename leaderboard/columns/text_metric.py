"""The columns of a challenge's text metrics: values that are computed from what models answered."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NotRequired, TypedDict

from leaderboard.columns.column import Column
from leaderboard.columns.metric import DECIMALS, MAX_UNIT
from leaderboard.rules.text_specs import TextSpec, enabled

DECIMALS_OF_SHARES = 4
DECIMALS_OF_PERCENT = 2
MAX_PARAMETERS = 300


class TextNote(TypedDict):
    """What a text metric says of itself.

    description: its docstring. direction, bounds: of its first number; `directions` are those of
    further numbers, by name. notes: what stands beside its values, by parameter and the
    parameter's value; defaults: the values of these parameters where none is given. Both are
    absent in what was stored before there were any.
    """

    description: str
    direction: str
    directions: Mapping[str, str]
    unit: str
    bounds: Sequence[float | None] | None
    notes: NotRequired[Mapping[str, Mapping[str, str]]]
    defaults: NotRequired[Mapping[str, str]]


NO_NOTE: TextNote = {
    "description": "",
    "direction": "desc",
    "directions": {},
    "unit": "",
    "bounds": None,
}


def text_keys(specs: Iterable[TextSpec], named: Iterable[str]) -> list[str]:
    """The value of each text metric, and behind it those of its further numbers that are named.

    A metric may have a dozen numbers; a board shows those that somebody chose.
    """
    chosen = list(named)
    found = []
    for spec in enabled(tuple(specs)):
        further = (key for key in chosen if key.startswith(f"{spec.name}:"))
        found += [spec.name, *further]
    return found


def text_column(key: str, spec: TextSpec, note: TextNote | None = None) -> Column:
    """The column of one number of a text metric."""
    note = note or NO_NOTE
    further = key.partition(":")[2]
    direction = note["directions"].get(further, note["direction"])
    return Column(
        key=key,
        label=key,
        direction="asc" if direction == "asc" else "desc",
        unit=note["unit"][:MAX_UNIT],
        decimals=_decimals(note["bounds"]),
        description=" ".join(_description(spec, further, note)),
        over="instance",
    )


def notes_beside(parameters: Mapping[str, object], note: TextNote) -> list[str]:
    """What stands beside the values of a text metric that is given these parameters."""
    chosen = {**note.get("defaults", {}), **parameters}
    notes = note.get("notes", {}).items()
    found = (texts.get(str(chosen.get(name))) for name, texts in notes)
    return [text for text in found if text]


def _decimals(bounds: Sequence[float | None] | None) -> int:
    highest = bounds[1] if bounds else None
    if highest is None:
        return DECIMALS
    return DECIMALS_OF_SHARES if highest <= 1 else DECIMALS_OF_PERCENT


def _description(spec: TextSpec, further: str, note: TextNote) -> Iterator[str]:
    said = note["description"].strip() or f"What {spec.id} makes of the outputs."
    yield " ".join(said.partition("\n\n")[0].split())
    if further:
        yield f"Here: {further}."
    if spec.parameters:
        given = (f"{name} {_written(value)}" for name, value in spec.parameters.items())
        text = ", ".join(given)
        yield f"With {text[:MAX_PARAMETERS]}{'…' if len(text) > MAX_PARAMETERS else '.'}"


def _written(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
