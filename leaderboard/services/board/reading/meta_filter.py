"""Standings whose attempt has a meta that fits."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from django.db.models import Case, F, FloatField, Func, TextField, Value, When
from django.db.models.functions import Cast, Left, Lower

from leaderboard.models.standing import StandingQuerySet
from leaderboard.rules.visibility.meta_values import (
    DATE,
    DATE_LENGTH,
    FALSE,
    LINK,
    NUMBER,
    TRUE,
    MetaTest,
)


class MetaText(Func):
    """A text in a JSON column, by a name that may contain any character."""

    template = "(%(expressions)s)"
    arg_joiner = " ->> "
    output_field = TextField()

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> tuple[str, Any]:
        """Use `json_each`: SQLite's paths have no escapes."""
        template, joiner = "(SELECT value FROM JSON_EACH(%(expressions)s)", ") WHERE key = "
        return self.as_sql(compiler, connection, template=template, arg_joiner=joiner, **context)


def with_meta(standings: StandingQuerySet, tests: Iterable[MetaTest]) -> StandingQuerySet:
    """The standings whose attempt's meta passes each test; a value of another type passes none."""
    for number, test in enumerate(tests):
        text = f"meta_{number}"
        name = Cast(Value(test.name), TextField())
        standings = standings.alias(**{text: MetaText(F("attempt__meta"), name)})
        standings = _tested(standings, text, test)
    return standings


def _tested(standings: StandingQuerySet, text: str, test: MetaTest) -> StandingQuerySet:
    if test.type == "boolean":
        texts = TRUE if test.equals == "true" else FALSE
        return standings.alias(**{f"{text}_low": Lower(text)}).filter(**{f"{text}_low__in": texts})
    if test.type == "link":
        # SQLite's `startswith` does not tell `https` from `HTTPS`.
        return standings.filter(**{f"{text}__regex": LINK})
    if test.type == "choice":
        # Behind a colon are words of its own. SQLite's `startswith` ignores the case of letters.
        return standings.filter(**{f"{text}__regex": f"^{re.escape(test.equals)} *(:|$)"})
    if test.type not in ("number", "date"):
        return standings.filter(**{text: test.equals})
    value = f"{text}_value"
    if test.type == "number":
        # PostgreSQL may cast before it filters, so that other texts must not be cast.
        right = Case(When(**{f"{text}__regex": NUMBER}, then=F(text)))
        standings = standings.alias(**{value: Cast(right, FloatField())})
        ends: list[Any] = [float(limit) if limit else None for limit in (test.least, test.most)]
    else:
        right = Case(When(**{f"{text}__regex": DATE}, then=Left(F(text), DATE_LENGTH)))
        standings = standings.alias(**{value: right})
        ends = [limit or None for limit in (test.least, test.most)]
    for end, lookup in zip(ends, ("gte", "lte"), strict=True):
        if end is not None:
            standings = standings.filter(**{f"{value}__{lookup}": end})
    return standings
