"""Counts the uses of quotas again from the attempts, to verify or to replace the counters."""

from __future__ import annotations

from collections import Counter
from typing import Final, NamedTuple

from django.db import transaction
from django.db.models import Count
from django.utils.translation import gettext as _

from leaderboard.models import AccountUse, Attempt, Challenge, Phase, QuotaUse
from leaderboard.models.bulk import insert_rows
from leaderboard.models.quota import DAY, MONTH, TOTAL, WEEK
from leaderboard.services.competition.quotas.account_limits import counts_accounts
from leaderboard.services.competition.quotas.periods import period_of
from leaderboard.services.competition.quotas.use_counters import UseModel
from leaderboard.services.transactions import snapshot


class CountedUse(NamedTuple):
    """What a counter counts: the attempts of a participant, or of an account, in one period."""

    owner: int
    kind: str
    period: str


class OwnedUses(NamedTuple):
    """The counters of one kind of owner. attempt_owner: the owner of an attempt."""

    model: UseModel
    owner: str
    attempt_owner: str


OF_PARTICIPANTS: Final = OwnedUses(QuotaUse, "participant", "participant")
OF_ACCOUNTS: Final = OwnedUses(AccountUse, "user", "submitted_by")


def verify_quotas(challenge: Challenge) -> list[str]:
    """The differences between the counters and the attempts, one line each."""
    differences = []
    with snapshot():
        for phase in challenge.phases.all():
            differences += _differences(phase, OF_PARTICIPANTS) + _differences(phase, OF_ACCOUNTS)
    return differences


def recount_quotas(challenge: Challenge) -> None:
    """Replace the counters of all phases. No attempt arrives or ends meanwhile."""
    with transaction.atomic():
        Challenge.objects.lock_challenge(challenge.pk)
        for phase in challenge.phases.all():
            for counters in (OF_PARTICIPANTS, OF_ACCOUNTS):
                counted = _counted(phase, counters)
                counters.model.objects.filter(phase=phase).delete()
                names = ("phase", counters.owner, "kind", "period", "used")
                rows = ([phase.pk, *use, number] for use, number in sorted(counted.items()))
                insert_rows(counters.model, names, rows)


def _differences(phase: Phase, counters: OwnedUses) -> list[str]:
    counted, stored = _counted(phase, counters), _stored(phase, counters)
    if counters is OF_PARTICIPANTS:
        text = _("{phase}: participant {owner}, {period}: {stored}, counted {counted}")
    else:
        text = _("{phase}: account {owner}, {period}: {stored}, counted {counted}")
    return [
        text.format(
            phase=phase.slug,
            owner=use.owner,
            period=use.period or use.kind,
            stored=stored[use],
            counted=counted[use],
        )
        for use in sorted(counted.keys() | stored.keys())
        if counted[use] != stored[use]
    ]


def _counted(phase: Phase, counters: OwnedUses) -> Counter[CountedUse]:
    """The attempts that count towards the limits that the phase has."""
    kinds = [
        kind
        for kind, limit in (
            (DAY, phase.per_day),
            (MONTH, phase.per_month),
            (TOTAL, phase.total or phase.at_once),
            (WEEK, phase.per_week),
        )
        if limit is not None
    ]
    if counters is OF_ACCOUNTS and not counts_accounts(phase):
        kinds = []
    counted: Counter[CountedUse] = Counter()
    if kinds:
        owned = {f"{counters.attempt_owner}__isnull": False}
        attempts = Attempt.objects.filter(phase=phase, charged_day__isnull=False, **owned)
        names = (counters.attempt_owner, "charged_day")
        days = attempts.order_by().values_list(*names).annotate(Count("pk"))
        for owner, day, number in days.iterator():
            for kind in kinds:
                counted[CountedUse(owner, kind, period_of(kind, day))] += number
    return counted


def _stored(phase: Phase, counters: OwnedUses) -> Counter[CountedUse]:
    rows = counters.model.objects.filter(phase=phase, used__gt=0)
    names = (counters.owner, "kind", "period", "used")
    return Counter({CountedUse(*use): used for *use, used in rows.values_list(*names)})
