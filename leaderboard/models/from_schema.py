"""Columns made from the fields of a schema: type, bounds, choices, default, label and help.

Label, help and validators are not in the database, so a better sentence needs no migration
(`management.changes`). Each such column has a default in the database.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, TypeVar

from django.db import models
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from leaderboard.languages.translation import translated_lazy
from leaderboard.models.choices import choices_of
from leaderboard.schemas.fields import FieldKind, grouped, kind_of, row_of

if TYPE_CHECKING:
    Column = models.Field[Any, Any]

Row = TypeVar("Row", bound=models.Model)

LONGEST_CHOICE: Final = 20
LONGEST_LINE: Final = 500
PLAIN: Final[Mapping[type, Callable[..., Column]]] = {
    bool: models.BooleanField,
    datetime: models.DateTimeField,
    dict: models.JSONField,
    float: models.FloatField,
    int: models.PositiveIntegerField,
    list: models.JSONField,
}
JSON: Final = {list: [], dict: models.Value({}, models.JSONField())}
"""What a database stores where nothing is given."""


def columns_of(schema: type[BaseModel]) -> Callable[[type[Row]], type[Row]]:
    """Give a model a column for each field of a schema that has a group.

    A column that the body of the model has keeps its type, and gets the label and the help.
    Annotations in the body tell the types of the columns that code uses.
    """

    def add(model: type[Row]) -> type[Row]:
        own = {column.name for column in model._meta.local_fields}
        for name, field in grouped(schema):
            row = row_of(field) or name
            if row not in own:
                model.add_to_class(row, _column(field))
            column: Any = model._meta.get_field(row)
            column.verbose_name = translated_lazy(field.title or "")
            column.help_text = translated_lazy(field.description or "")
        return model

    return add


def _column(field: FieldInfo) -> Column:
    kind = kind_of(field)
    if issubclass(kind.type, StrEnum):
        default = "" if field.default is None else str(field.default.value)
        return models.CharField(
            max_length=LONGEST_CHOICE,
            choices=choices_of(kind.type),
            blank=kind.is_nullable,
            default=default,
            db_default=default,
        )
    make = _maker(kind)
    if kind.is_nullable:
        return make(null=True, blank=True)
    if field.is_required():
        return make()
    if kind.type in JSON:
        return make(default=kind.type, db_default=JSON[kind.type], blank=True)
    return make(default=field.default, db_default=field.default, blank=field.default == "")


def _maker(kind: FieldKind) -> Callable[..., Column]:
    """The class of a column, with the options that the kind gives."""
    if kind.type is not str:
        return PLAIN[kind.type]
    if kind.longest > LONGEST_LINE:
        return models.TextField
    column = models.SlugField if kind.is_slug else models.CharField
    return lambda **options: column(max_length=kind.longest, **options)
