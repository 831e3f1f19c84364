"""Counts the uses of quotas again from the attempts, to verify or to replace the counters."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from django.db import transaction
from django.db.models import Count
from django.utils.translation import gettext as _

from leaderboard.models import Attempt, Challenge, Phase, QuotaUse
from leaderboard.models.bulk import insert_rows
from leaderboard.models.quota import DAY, TOTAL, WEEK
from leaderboard.services.competition.periods import period_of
from leaderboard.services.transactions import snapshot


class CountedUse(NamedTuple):
    """What a counter counts: a participant's attempts in one period."""

    participant: int
    kind: str
    period: str


def verify_quotas(challenge: Challenge) -> list[str]:
    """The differences between the counters and the attempts, one line each."""
    found = []
    with snapshot():
        for phase in challenge.phases.all():
            counted, stored = _counted(phase), _stored(phase)
            found += [
                _(
                    "{phase}: participant {participant}, {period}: {stored}, counted {counted}"
                ).format(
                    phase=phase.slug,
                    participant=use.participant,
                    period=use.period or use.kind,
                    stored=stored[use],
                    counted=counted[use],
                )
                for use in sorted(counted.keys() | stored.keys())
                if counted[use] != stored[use]
            ]
    return found


def recount_quotas(challenge: Challenge) -> None:
    """Replace the counters of all phases. No attempt arrives or ends meanwhile."""
    with transaction.atomic():
        Challenge.objects.lock_challenge(challenge.pk)
        for phase in challenge.phases.all():
            counted = _counted(phase)
            QuotaUse.objects.filter(phase=phase).delete()
            rows = ([phase.pk, *use, number] for use, number in sorted(counted.items()))
            insert_rows(QuotaUse, ("phase", "participant", "kind", "period", "used"), rows)


def _counted(phase: Phase) -> Counter[CountedUse]:
    """The attempts that count towards the limits that the phase has."""
    kinds = [
        kind
        for kind, limit in (
            (DAY, phase.per_day),
            (TOTAL, phase.total or phase.at_once),
            (WEEK, phase.per_week),
        )
        if limit is not None
    ]
    counted: Counter[CountedUse] = Counter()
    if kinds:
        attempts = Attempt.objects.filter(phase=phase, charged_day__isnull=False).order_by()
        days = attempts.values_list("participant", "charged_day").annotate(Count("pk"))
        for participant, day, number in days.iterator():
            for kind in kinds:
                counted[CountedUse(participant, kind, period_of(kind, day))] += number
    return counted


def _stored(phase: Phase) -> Counter[CountedUse]:
    """The counters that are stored."""
    rows = QuotaUse.objects.filter(phase=phase, used__gt=0)
    names = ("participant", "kind", "period", "used")
    return Counter({CountedUse(*use): used for *use, used in rows.values_list(*names)})
