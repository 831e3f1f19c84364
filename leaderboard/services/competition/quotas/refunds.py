"""Reduces the counters of quotas, once, for attempts that turn out not to count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Final
from uuid import UUID

from django.db.models import F
from django.db.models.functions import Greatest

from leaderboard.models import AccountUse, Attempt, MetricRun, ProgramRun, QuotaUse, Score
from leaderboard.models.attempt import AttemptQuerySet
from leaderboard.models.quota import DAY, MONTH, TOTAL, WEEK
from leaderboard.rules.failures import FailureCode
from leaderboard.services.competition.quotas.periods import period_of

NEVER_COUNTED: Final[frozenset[FailureCode]] = frozenset(
    ("worker_lost", "not_installed", "load_error", "cancelled")
)
"""The failures that no participant causes, and attempts that ended before they were scored."""

NOBODY: Final = 0
"""Stands for the user of an attempt whose account is deleted."""


def give_back_failed(codes: Mapping[UUID, str]) -> None:
    """Uncount attempts that failed for a reason that does not count.

    One that was compared with what the challenge hides counts, whatever failed: otherwise everybody
    could read its values without a limit while a scorer fails. codes: of the failures, by the ids
    of attempts that have just failed. Call it in the transaction that saves the failures, after
    everything else.
    """
    if not codes:
        return
    charged = _never_readable(codes).filter(charged_day__isnull=False)
    failed = charged.values_list("pk", "phase__count_failed")
    uncounted = [pk for pk, counts in failed if not counts or codes[pk] in NEVER_COUNTED]
    begun = _begun(pk for pk in uncounted if codes[pk] == "cancelled")
    if uncounted:
        give_back(_without_values(pk for pk in uncounted if pk not in begun))


def give_back_waiting(attempts: Iterable[UUID]) -> int:
    """Uncount attempts that are withdrawn before they have ended; returns how many.

    One that had ended before and waits again counts, because its result could be read, and so does
    one whose code has begun to run, because its participant reads what that prints.
    """
    waiting = set(_never_readable(attempts).values_list("pk", flat=True))
    return give_back(waiting - _begun(waiting))


def _never_readable(attempts: Iterable[UUID]) -> AttemptQuerySet:
    """Those of some attempts that have not ended before; while one waits, no value is shown."""
    return Attempt.objects.filter(pk__in=list(attempts), retried_at__isnull=True)


def _begun(attempts: Iterable[UUID]) -> set[UUID]:
    """Those of some attempts whose code has begun to run."""
    runs = ProgramRun.objects.filter(attempt__in=list(attempts), started_at__isnull=False)
    return set(runs.filter(step=ProgramRun.Step.INGESTION).values_list("attempt", flat=True))


def _without_values(attempts: Iterable[UUID]) -> list[UUID]:
    """Those of some attempts without a value that comes from hidden references or from a file."""
    attempts = list(attempts)
    compared = MetricRun.objects.filter(
        evaluation__in=attempts,
        finished_at__isnull=False,
        error_code="",
        config__references__isnull=False,
    )
    readable = set(compared.values_list("evaluation", flat=True))
    of_files = Score.objects.filter(attempt__in=attempts, attempt__submitted_file__isnull=False)
    for pk, values in of_files.values_list("attempt", "metric_values"):
        if any(value["value"] is not None for value in values.values()):
            readable.add(pk)
    return [pk for pk in attempts if pk not in readable]


def give_back(attempts: Iterable[UUID]) -> int:
    """Uncount attempts; returns how many were counted. Call it in a transaction.

    Only the call that removes the day from the attempt reduces the counters, so that simultaneous
    calls reduce them once.
    """
    charged = Attempt.objects.filter(pk__in=list(attempts), charged_day__isnull=False)
    names = ("pk", "phase", "participant", "submitted_by", "charged_day")
    of_accounts: Counter[tuple[int, int, date]] = Counter()
    given = 0
    for pk, phase, participant, user, day in charged.order_by("participant", "pk").values_list(
        *names
    ):
        mine = Attempt.objects.filter(pk=pk, charged_day__isnull=False)
        if not mine.update(charged_day=None):
            continue
        given += 1
        of_accounts[phase, user or NOBODY, day] += 1
        uses = QuotaUse.objects.filter(phase=phase, participant=participant)
        for kind in (DAY, MONTH, TOTAL, WEEK):
            uses.filter(kind=kind, period=period_of(kind, day), used__gt=0).update(
                used=F("used") - 1
            )
    _give_back_to_accounts(of_accounts)
    return given


def _give_back_to_accounts(counted: Mapping[tuple[int, int, date], int]) -> None:
    """counted: how many attempts, by phase, user and day.

    After all counters of participants: whoever submits locks the counters in this order.
    """
    for (phase, user, day), number in sorted(counted.items()):
        uses = AccountUse.objects.filter(phase=phase, user=user)
        for kind in (DAY, MONTH, TOTAL, WEEK):
            uses.filter(kind=kind, period=period_of(kind, day)).update(
                used=Greatest(F("used") - number, 0)
            )
