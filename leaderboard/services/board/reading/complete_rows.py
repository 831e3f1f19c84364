"""Standings whose values are over all of their tasks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db.models import Case, F, IntegerField, JSONField, Q, TextField, Value, When
from django.db.models.functions import Cast

from leaderboard.models.standing import StandingQuerySet
from leaderboard.services.board.reading.meta_filter import MetaText


class JsonPart(MetaText):
    """An object in a JSON column, by a name that may contain any character."""

    arg_joiner = " -> "
    output_field = JSONField()  # type: ignore[assignment]


def with_complete(standings: StandingQuerySet, keys: Iterable[str]) -> StandingQuerySet:
    """The standings that have a value in each of these columns, over all tasks if it has tasks."""
    for number, key in enumerate(keys):
        name = Cast(Value(key), TextField())
        value, defined, total = (f"{what}_{number}" for what in ("value", "defined", "total"))
        cell = JsonPart(F("cells"), name)
        standings = standings.alias(
            **{
                value: MetaText(F("values"), name),
                defined: _number_in(cell, "defined"),
                total: _number_in(cell, "total"),
            }
        ).filter(Q(**{total: None}) | Q(**{defined: F(total)}), **{f"{value}__isnull": False})
    return standings


def _number_in(cell: JsonPart, name: str) -> Any:
    text = MetaText(cell, Cast(Value(name), TextField()))
    return Case(When(Q(cells__isnull=False), then=Cast(text, IntegerField())))
