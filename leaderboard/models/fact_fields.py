"""The database columns of an attempt's facts, with their constraints."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models import Q

from leaderboard.facts import Fact, known_facts
from leaderboard.languages.translation import translated_lazy
from leaderboard.rules.texts.messages import message


def fact_fields() -> dict[str, models.Field[Any, Any]]:
    """A nullable field for each fact, by its name in the database."""
    return {fact.field: _field(fact) for fact in known_facts().values()}


def fact_checks() -> list[models.CheckConstraint]:
    """A constraint on the range of each count and number; only the API checks moments."""
    return [
        models.CheckConstraint(
            condition=Q(**{f"{fact.field}__isnull": True})
            | Q(**{f"{fact.field}__gte": 0, f"{fact.field}__lte": fact.most}),
            name=f"{fact.field}_in_range",
        )
        for fact in known_facts().values()
        if fact.kind in ("count", "number")
    ]


def _field(fact: Fact) -> models.Field[Any, Any]:
    match fact.kind:
        case "flag":
            return models.BooleanField(null=True, blank=True)
        case "count":
            return models.BigIntegerField(null=True, blank=True)
        case "number":
            return models.FloatField(null=True, blank=True)
        case "moment":
            help_text = message("`{key}` as reported, in epoch milliseconds.", key=fact.key)
            return models.BigIntegerField(
                null=True, blank=True, help_text=translated_lazy(help_text)
            )
