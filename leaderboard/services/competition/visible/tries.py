"""How many attempts preceded those of rows: withdrawn and failed ones too, by one statement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from django.db.models import Count, IntegerField, OuterRef, Q, Subquery, Value
from django.db.models.functions import Coalesce

from leaderboard.models import Attempt
from leaderboard.rules.texts.value_names import TRIES_BEFORE
from leaderboard.services.board.reading.rows import BoardRow

EARLIER: Final = Q(submitted_at__lt=OuterRef("submitted_at")) | Q(
    submitted_at=OuterRef("submitted_at"), pk__lt=OuterRef("pk")
)


def with_tries(rows: Sequence[BoardRow]) -> list[BoardRow]:
    """The rows with the value `tries_before`; those whose attempt is hidden stay as they are."""
    ids = [row.attempt_id for row in rows if row.attempt_id is not None]
    if not ids:
        return list(rows)
    same = Attempt.objects.filter(
        EARLIER, phase=OuterRef("phase"), participant=OuterRef("participant")
    )
    counts = same.order_by().values("participant").annotate(count=Count("pk")).values("count")
    before = Coalesce(Subquery(counts), Value(0), output_field=IntegerField())
    tries = dict(Attempt.objects.filter(pk__in=ids).values_list("pk", before))
    return [
        row._replace(values={**row.values, TRIES_BEFORE: float(tries[row.attempt_id])})
        if row.attempt_id in tries
        else row
        for row in rows
    ]
