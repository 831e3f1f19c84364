"""Metadata of schema fields besides their types: their group and their column."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel
from pydantic.fields import FieldInfo

FieldGroup = Literal[
    "challenge", "context", "scoring", "samples", "outputs", "ranked", "scorer", "settings"
]
"""The parts of a challenge, in the order in which forms and documentation show them."""


@dataclass(frozen=True)
class In:
    """The group of a field, and its column in the database if that has another name."""

    group: FieldGroup
    row: str = ""


def group_of(field: FieldInfo) -> FieldGroup:
    return _place(field).group


def grouped(schema: type[BaseModel]) -> Iterator[tuple[str, FieldInfo]]:
    """The fields that have a group, by their names."""
    for name, field in schema.model_fields.items():
        if any(isinstance(mark, In) for mark in field.metadata):
            yield name, field


def row_names(schema: type[BaseModel]) -> Mapping[str, str]:
    """The column of each field by its name in the API."""
    return {name: _place(field).row or name for name, field in grouped(schema)}


def _place(field: FieldInfo) -> In:
    return next(mark for mark in field.metadata if isinstance(mark, In))
