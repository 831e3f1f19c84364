"""Sentences about what a field accepts, generated from its schema."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from leaderboard.rules.texts.messages import Message, counted, message
from leaderboard.schemas.base import ACCEPTED
from leaderboard.schemas.places import Core


def accepted(layers: Sequence[Core]) -> Message | None:
    """A sentence such as `must be a whole number from 1 to 5`; None if the schema is not enough.

    layers: the schemas of the field, as `places.layers_at` returns them.
    """
    for layer in layers:
        if own := layer.get("metadata", {}).get(ACCEPTED):
            return own if isinstance(own, Message) else None
    sentence = _of_value(layers[-1]) if layers else None
    if sentence is not None and any(layer["type"] == "nullable" for layer in layers):
        return message("{accepted}, or null", accepted=sentence)
    return sentence


def _of_value(schema: Core) -> Message | None:
    match schema:
        case {"type": "str"}:
            return _text(schema)
        case {"type": "int"}:
            return _whole_number(schema)
        case {"type": "float"}:
            return _number(schema)
        case {"type": "bool"}:
            return message("must be true or false")
        case {"type": "literal", "expected": expected}:
            return _one_of(list(expected))
        case {"type": "enum", "members": members}:
            return _one_of([member.value for member in members])
        case {"type": "uuid"}:
            return message("must be an id such as {example}", example=str(UUID(int=0)))
        case {"type": "list" | "tuple" | "set"}:
            return _list(schema)
        case {"type": "model-fields" | "typed-dict" | "dict"}:
            return message("must be an object")
    return None


def _text(schema: Core) -> Message:
    least, most = schema.get("min_length", 0), schema.get("max_length")
    if most is None:
        return message("must be a text that is not empty") if least else message("must be a text")
    if least == 0:
        return message("must be a text of at most {most} characters", most=most)
    return message("must be a text of {least} to {most} characters", least=least, most=most)


def _whole_number(schema: Core) -> Message:
    match _bounds(schema):
        case {"ge": low, "le": high}:
            return message("must be a whole number from {low} to {high}", low=low, high=high)
        case {"ge": low}:
            return message("must be a whole number, {low} or more", low=low)
        case {"le": high}:
            return message("must be a whole number, {high} or less", high=high)
    return message("must be a whole number")


def _number(schema: Core) -> Message:
    match _bounds(schema):
        case {"ge": low, "le": high}:
            return message("must be a number from {low} to {high}", low=low, high=high)
        case {"gt": low, "le": high}:
            return message("must be a number above {low}, at most {high}", low=low, high=high)
        case {"gt": low}:
            return message("must be a number above {low}", low=low)
        case {"ge": low}:
            return message("must be a number, {low} or more", low=low)
        case {"le": high}:
            return message("must be a number, {high} or less", high=high)
    return message("must be a finite number")


def _bounds(schema: Core) -> dict[str, str]:
    return {name: _plain(schema[name]) for name in ("ge", "gt", "le") if name in schema}


def _plain(number: float) -> str:
    return str(number) if isinstance(number, int) else f"{number:.12g}"


def _one_of(options: list[Any]) -> Message:
    *first_options, last = (str(option) for option in options)
    if not first_options:
        return message("must be {option}", option=last)
    return message("must be {others} or {last}", others=", ".join(first_options), last=last)


def _list(schema: Core) -> Message:
    least, most = schema.get("min_length", 0), schema.get("max_length")
    if most is None:
        return message("must be a list")
    if least:
        return message("must be a list of {least} to {most} entries", least=least, most=most)
    return counted(
        "must be a list of at most {count} entry", "must be a list of at most {count} entries", most
    )
