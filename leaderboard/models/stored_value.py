"""Model fields of derived rows, each with the function that derives its value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from django.db import models

from leaderboard.rules.ranking.standing_draft import StandingDraft

F = TypeVar("F", bound="models.Field[Any, Any]")


@dataclass(frozen=True, slots=True)
class StoredValue:
    """How a column of a standing is filled.

    of: takes its value from a draft, in the type of its field. adds_up: whether it counts all
    attempts, so that the values of drafts are added; other values are those of the attempt that
    counts. compared: whether it can change because of other participants' attempts.
    """

    name: str
    field: models.Field[Any, Any]
    of: Callable[[StandingDraft], Any]
    adds_up: bool = False
    compared: bool = False

    @property
    def kind(self) -> type[models.Field[Any, Any]]:
        """Django's class of the field; for a foreign key that of the key."""
        field = self.field
        if isinstance(field, models.JSONField):
            return models.JSONField
        return type(field.target_field if isinstance(field, models.ForeignKey) else field)


def stored(
    field: F,
    of: Callable[[StandingDraft], Any],
    *,
    adds_up: bool = False,
    compared: bool = False,
) -> F:
    """A field of a standing that is filled as `StoredValue` says."""
    field.filled = (of, adds_up, compared)  # type: ignore[attr-defined]
    return field


def stored_values(model: type[models.Model]) -> tuple[StoredValue, ...]:
    """The stored values of a model, in the order of its fields."""
    return tuple(
        StoredValue(field.attname, field, *field.filled)
        for field in model._meta.concrete_fields
        if hasattr(field, "filled")
    )
