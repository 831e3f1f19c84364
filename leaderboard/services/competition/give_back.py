"""Reduces the counters of quotas, once, for attempts that turn out not to count."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final
from uuid import UUID

from django.db.models import F

from leaderboard.models import Attempt, QuotaUse
from leaderboard.models.quota import DAY, TOTAL, WEEK
from leaderboard.rules.failures import FailureCode
from leaderboard.services.competition.periods import period_of

NEVER_COUNTED: Final[frozenset[FailureCode]] = frozenset(
    ("worker_lost", "not_installed", "load_error", "cancelled")
)
"""The failures that no participant causes, and attempts that ended before they were scored."""


def give_back_failed(codes: Mapping[UUID, str]) -> None:
    """Uncount attempts that failed for a reason that does not count.

    codes: of the failures, by the ids of attempts that have just failed. Call it in the
    transaction that saves the failures, after everything else.
    """
    if not codes:
        return
    charged = Attempt.objects.filter(pk__in=codes, charged_day__isnull=False)
    failed = charged.values_list("pk", "phase__count_failed")
    give_back(pk for pk, counts in failed if not counts or codes[pk] in NEVER_COUNTED)


def give_back(attempts: Iterable[UUID]) -> int:
    """Uncount attempts; returns how many were counted. Call it in a transaction.

    Only the call that removes the day from the attempt reduces the counters, so that simultaneous
    calls reduce them once.
    """
    charged = Attempt.objects.filter(pk__in=list(attempts), charged_day__isnull=False)
    names = ("pk", "phase", "participant", "charged_day")
    given = 0
    for pk, phase, participant, day in charged.order_by("participant", "pk").values_list(*names):
        mine = Attempt.objects.filter(pk=pk, charged_day__isnull=False)
        if not mine.update(charged_day=None):
            continue
        given += 1
        for kind in (DAY, TOTAL, WEEK):
            QuotaUse.objects.filter(
                phase=phase,
                participant=participant,
                kind=kind,
                period=period_of(kind, day),
                used__gt=0,
            ).update(used=F("used") - 1)
    return given
