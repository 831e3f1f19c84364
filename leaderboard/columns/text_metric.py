"""The columns of a challenge's text metrics: values that are computed from models' outputs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NotRequired, TypedDict

from leaderboard.columns.column import Column
from leaderboard.columns.metric import DECIMALS
from leaderboard.rules.plugins.descriptions import known_text
from leaderboard.rules.texts.messages import message, sentences
from leaderboard.schemas.columns import MAX_UNIT
from leaderboard.schemas.text_metrics import TextSpec, enabled

DECIMALS_OF_SHARES = 4
DECIMALS_OF_PERCENT = 2
MAX_PARAMETERS = 300


class TextNote(TypedDict):
    """A text metric's description.

    description: its docstring. direction, bounds: of its first number; `directions` are those of
    further numbers, by name. notes: sentences beside its values, by parameter and the parameter's
    value; defaults: the default values of these parameters. Older stored descriptions have neither.
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
    """The keys of each text metric: its value, then those of its further numbers that are named.

    A metric may have a dozen numbers; a board shows only those that its organiser chose.
    """
    chosen = list(named)
    keys = []
    for spec in enabled(tuple(specs)):
        further = (key for key in chosen if key.startswith(f"{spec.name}:"))
        keys += [spec.name, *further]
    return keys


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
        description=sentences(*_description(spec, further, note)),
        over="instance",
    )


def notes_beside(parameters: Mapping[str, object], note: TextNote) -> list[str]:
    """The notes beside the values of a text metric with these parameters."""
    chosen = {**note.get("defaults", {}), **parameters}
    notes = note.get("notes", {}).items()
    matching_notes = (texts.get(str(chosen.get(name))) for name, texts in notes)
    return [text for text in matching_notes if text]


def _decimals(bounds: Sequence[float | None] | None) -> int:
    highest = bounds[1] if bounds else None
    if highest is None:
        return DECIMALS
    return DECIMALS_OF_SHARES if highest <= 1 else DECIMALS_OF_PERCENT


def _description(spec: TextSpec, further: str, note: TextNote) -> Iterator[str]:
    first_paragraph = " ".join(note["description"].strip().partition("\n\n")[0].split())
    yield known_text(first_paragraph) or message("What {id} makes of the outputs.", id=spec.id)
    if further:
        yield message("Here: {name}.", name=further)
    if spec.parameters:
        given = (
            f"{name} {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
            for name, value in spec.parameters.items()
        )
        text = ", ".join(given)
        if len(text) > MAX_PARAMETERS:
            yield message("With {parameters}…", parameters=text[:MAX_PARAMETERS])
        else:
            yield message("With {parameters}.", parameters=text)
