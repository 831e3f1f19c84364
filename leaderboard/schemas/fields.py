"""Metadata of schema fields besides their types: their group and their column."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import NoneType
from typing import Annotated, Any, Final, Literal, NamedTuple, get_args, get_origin

from annotated_types import Ge, Gt, Le, MaxLen
from pydantic import BaseModel, Field
from pydantic.fields import FieldInfo

from leaderboard.schemas.texts import Line

FieldGroup = Literal[
    "challenge",
    "context",
    "admission",
    "scoring",
    "samples",
    "outputs",
    "predictions",
    "ranked",
    "scorer",
    "settings",
]
"""The parts of a challenge, in the order in which forms and documentation show them."""
PhaseGroup = Literal["phase", "dates", "limits", "counted", "sight"]
"""The parts of a phase, in the order of its form."""
RulesGroup = Literal["rules"]
"""The only part of the rules of who may take part."""
AnyGroup = FieldGroup | PhaseGroup | RulesGroup

Choice: Final = Field(strict=False)
"""An enumerated value, which JSON has as a text."""


@dataclass(frozen=True)
class In:
    """The group of a field, and its column in the database if that has another name."""

    group: AnyGroup
    row: str = ""


def group_of(field: FieldInfo) -> AnyGroup:
    return _place(field).group


def grouped(schema: type[BaseModel]) -> Iterator[tuple[str, FieldInfo]]:
    """The fields that have a group, by their names."""
    for name, field in schema.model_fields.items():
        if any(isinstance(mark, In) for mark in field.metadata):
            yield name, field


def row_of(field: FieldInfo) -> str:
    """The column of a field, "" if it has the name of the field."""
    return _place(field).row


class FieldKind(NamedTuple):
    """What a field holds. type: without null; `list` and `dict` for any JSON.

    choices: the accepted texts, () if any text is. least, most: the bounds of a number. longest:
    the length of a text. has_texts: whether it is a list of texts.
    """

    type: type
    is_nullable: bool
    choices: tuple[str, ...]
    least: float | None
    most: float | None
    longest: int
    is_slug: bool
    has_texts: bool


def kind_of(field: FieldInfo) -> FieldKind:
    """What a field holds, for columns and forms."""
    options = [field.annotation]
    if NoneType in get_args(field.annotation):
        options = [part for part in get_args(field.annotation) if part is not NoneType]
    parts: list[Any] = [*field.metadata]
    inner: Any = options[0]
    if get_origin(inner) is Annotated:
        inner, *more = get_args(inner)
        parts += [part for info in more for part in getattr(info, "metadata", [info])]
    kind = get_origin(inner) or inner
    choices = get_args(inner) if kind is Literal else ()
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        choices = tuple(kind)
    return FieldKind(
        type=_type_of(kind),
        is_nullable=options != [field.annotation],
        choices=choices,
        least=next((_least(part) for part in parts if isinstance(part, Ge | Gt)), None),
        most=next((_most(part) for part in parts if isinstance(part, Le)), None),
        longest=next((_longest(part) for part in parts if isinstance(part, Line | MaxLen)), 0),
        is_slug=any(getattr(part, "pattern", None) for part in parts),
        has_texts=kind in (list, tuple) and _bare(get_args(inner)[0]) is str,
    )


def _bare(annotation: Any) -> Any:
    return get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation


def _type_of(kind: Any) -> type:
    if kind is Literal:
        return str
    return {tuple: list}.get(kind, dict if issubclass(kind, BaseModel) else kind)


def _least(part: Ge | Gt) -> Any:
    return part.ge if isinstance(part, Ge) else part.gt


def _most(part: Le) -> Any:
    return part.le


def _longest(part: Line | MaxLen) -> int:
    return part.most if isinstance(part, Line) else part.max_length


def row_names(schema: type[BaseModel]) -> Mapping[str, str]:
    """The column of each field by its name in the API."""
    return {name: row_of(field) or name for name, field in grouped(schema)}


def _place(field: FieldInfo) -> In:
    return next(mark for mark in field.metadata if isinstance(mark, In))
