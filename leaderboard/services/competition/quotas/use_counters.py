"""The rows that count attempts towards limits: one per phase, kind and period, and per owner.

The owner of a counter is a participant (`QuotaUse`) or an account (`AccountUse`). Rows are always
locked in this order: those of participants by id and kind, then those of the account.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any, Final

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import Q, Sum

from leaderboard.models import AccountUse, Grant, Phase, QuotaUse
from leaderboard.models.attempt import AttemptQuerySet
from leaderboard.models.prepared import rows_of
from leaderboard.services.competition.quotas.periods import QuotaLimit

UseModel = type[QuotaUse] | type[AccountUse]

_OWNERS: Final[Mapping[UseModel, str]] = {QuotaUse: "participant_id", AccountUse: "user_id"}
_CHARGE: Final = """
    INSERT INTO {table} AS q (phase_id, {owner}, kind, period, used)
    SELECT %s, %s, kind, period, 1 FROM ({rows}) AS l WHERE true ORDER BY kind
    ON CONFLICT (phase_id, {owner}, kind, period) DO UPDATE SET used = q.used + 1
    WHERE q.used + 1 <= CASE q.kind {cases} END + (
        SELECT COALESCE(SUM(extra), 0) FROM leaderboard_grant
        WHERE phase_id = %s AND (participant_id = %s OR participant_id IS NULL)
        AND ("until" IS NULL OR "until" > %s)
    )
    RETURNING kind
"""


def uses_of(phase: Phase, limits: Sequence[QuotaLimit], counter: UseModel = QuotaUse) -> Any:
    """The counters of all owners for some limits, as a query."""
    periods = Q()
    for limit in limits:
        periods |= Q(kind=limit.kind, period=limit.period)
    return counter.objects.filter(periods, phase=phase)


def extras_of(
    phase: Phase, participants: Sequence[int], received_at: datetime
) -> Mapping[int, int]:
    """The extra attempts that grants give at a moment, by participant."""
    valid = Q(until__isnull=True) | Q(until__gt=received_at)
    concerned = Q(participant__in=participants) | Q(participant__isnull=True)
    grants = Grant.objects.filter(valid, concerned, phase=phase).order_by()
    extras = dict(grants.values_list("participant").annotate(Sum("extra")))
    of_all = extras.get(None, 0)
    return {participant: extras.get(participant, 0) + of_all for participant in participants}


def counting(attempts: AttemptQuerySet, phase: int) -> AttemptQuerySet:
    """Those of some waiting attempts that count towards the limit of a phase."""
    return attempts.filter(phase=phase, charged_day__isnull=False).order_by()


def charged_kinds(
    counter: UseModel,
    owner: int,
    participant: int,
    phase: Phase,
    limits: Sequence[QuotaLimit],
    received_at: datetime,
) -> set[str]:
    """Count one attempt towards each limit with room; returns the kinds of those.

    participant: the one of the attempt, whose grants count on top of the limits.
    """
    adapt = connections[DEFAULT_DB_ALIAS].ops.adapt_datetimefield_value
    rows = rows_of(
        _charge_sql(counter, tuple(limit.kind for limit in limits)),
        [
            phase.pk,
            owner,
            *(limit.period for limit in limits),
            *(limit.most for limit in limits),
            phase.pk,
            participant,
            adapt(received_at),
        ],
    )
    return {kind for (kind,) in rows}


@cache
def _charge_sql(counter: UseModel, kinds: Sequence[str]) -> str:
    selects = (f"SELECT '{kind}' AS kind, CAST(%s AS varchar(10)) AS period" for kind in kinds)
    cases = (f"WHEN '{kind}' THEN %s" for kind in kinds)
    return _CHARGE.format(
        table=counter._meta.db_table,
        owner=_OWNERS[counter],
        rows=" UNION ALL ".join(selects),
        cases=" ".join(cases),
    )
