"""Standings in the order of a declared field of the meta of their attempts.

The database reads the meta of all attempts of the board and sorts them.
"""

from __future__ import annotations

from array import array
from base64 import b64decode, b64encode
from collections.abc import Sequence
from hashlib import sha256
from typing import Any, Final

from django.core.cache import cache
from django.db.models import Case, F, FloatField, Func, TextField, Value, When
from django.db.models.expressions import Expression, OrderBy
from django.db.models.functions import Cast, Left, Lower, NullIf

from leaderboard.models import Board, Standing
from leaderboard.models.standing import StandingQuerySet
from leaderboard.rules.visibility.meta_values import (
    DATE,
    DATE_LENGTH,
    FALSE,
    LINK,
    NUMBER,
    TRUE,
    MetaField,
)
from leaderboard.services.board.reading.meta_filter import MetaText
from leaderboard.services.board.reading.ranks import bucket_bounds_of

LARGE: Final = 2000
"""Standings of a board from which on its order is cached."""
KEPT_SECONDS: Final = 120
_TEXT, _LOWERED = "sort_text", "sort_lowered"


class _Folded(Func):
    """A text without regard to the case of A to Z, which every database orders by its bytes."""

    function = "LOWER"
    output_field = TextField()

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> tuple[str, Any]:
        template = '%(function)s((%(expressions)s) COLLATE "C")'
        return self.as_sql(compiler, connection, template=template, **context)


def ordered_by_meta(
    standings: StandingQuerySet, field: MetaField, *, descending: bool
) -> StandingQuerySet:
    """Texts that are not of the field's type come last, equal ones in the order of the board."""
    name = Cast(Value(field.name), TextField())
    standings = standings.alias(**{_TEXT: MetaText(F("attempt__meta"), name)})
    if field.type == "boolean":
        standings = standings.alias(**{_LOWERED: Lower(_TEXT)})
    order = OrderBy(_value(field.type), descending=descending, nulls_last=True)
    return standings.order_by(order, "sort_key")


def ids_by_meta(
    board: Board, field: MetaField, *, descending: bool, start: int, limit: int
) -> Sequence[int]:
    """The ids of standings in this order. A large board is sorted once for each version of it."""
    standings = Standing.objects.filter(board=board.read_pk)
    ordered = ordered_by_meta(standings, field, descending=descending).values_list("pk", flat=True)
    if bucket_bounds_of(board).ahead[-1] < LARGE:
        return list(ordered[start : start + limit])
    asked = sha256(repr((field.name, field.type, descending)).encode()).hexdigest()[:24]
    key = f"meta-order:{board.read_pk}:{board.version}:{asked}"
    kept: str | None = cache.get(key)
    if kept is None:
        ids = array("q", ordered.iterator(chunk_size=2000))
        cache.set(key, b64encode(ids.tobytes()).decode(), KEPT_SECONDS)
    else:
        ids = array("q", b64decode(kept))
    return ids[start : start + limit].tolist()


def _value(type_: str) -> Expression:
    """What orders the texts, as `rules.visibility.meta_values.place_of`."""
    text = F(_TEXT)
    match type_:
        case "number":
            return Cast(Case(When(**{f"{_TEXT}__regex": NUMBER}, then=text)), FloatField())
        case "date":
            day = Left(text, DATE_LENGTH)
            return _Folded(Case(When(**{f"{_TEXT}__regex": DATE}, then=day)))
        case "boolean":
            yes = When(**{f"{_LOWERED}__in": TRUE}, then=1.0)
            no = When(**{f"{_LOWERED}__in": FALSE}, then=0.0)
            return Case(yes, no, output_field=FloatField())
        case "link":
            return _Folded(Case(When(**{f"{_TEXT}__regex": LINK}, then=text)))
    return _Folded(NullIf(text, Value("")))
