"""Limits count for accounts, so that several names of one account have no more attempts than one.

An attempt counts for its participant and, unless its phase says *per name*, for the account that
submits it, whatever its name. Grants of the participant count on top of the limits of both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from django.db.models import F

from leaderboard.models import AccountUse, Attempt, Participant, Phase, User
from leaderboard.models.bulk import insert_missing
from leaderboard.schemas.choices import LimitsPer
from leaderboard.services.competition.quotas.errors import over_limit, too_many_of_account
from leaderboard.services.competition.quotas.periods import QuotaLimit, end_of, local_day
from leaderboard.services.competition.quotas.use_counters import (
    charged_kinds,
    counting,
    extras_of,
    uses_of,
)
from leaderboard.services.errors import ServiceError


def counts_accounts(phase: Phase) -> bool:
    """Whether the limits of a phase count the attempts of an account under all of its names."""
    return phase.limits_per == LimitsPer.ACCOUNT


def charge_account(
    phase: Phase,
    account: User,
    participant: int,
    limits: Sequence[QuotaLimit],
    received_at: datetime,
) -> None:
    """Count one attempt that was just saved and counted for its participant.

    Raises ServiceError: `quota`.
    """
    charged = charged_kinds(AccountUse, account.pk, participant, phase, limits, received_at)
    if full := [limit for limit in limits if limit.kind not in charged]:
        extras = extras_of(phase, [participant], received_at)
        usage = AccountUsage.read(phase, account, limits, received_at, extras)
        raise usage.refusal(participant, full[-1], 0)
    if phase.at_once is not None:
        waiting = waiting_of_account(phase, account)
        if waiting > phase.at_once:
            raise too_many_of_account(phase.at_once, waiting - 1)


class AccountUsage(NamedTuple):
    """What an account has used of the limits of one moment, under all of its names.

    used: by kind. extras: of the grants, by participant. waiting: attempts without a result.
    """

    phase: Phase
    account: User
    limits: Sequence[QuotaLimit]
    received_at: datetime
    used: Mapping[str, int]
    extras: Mapping[int, int]
    waiting: int

    @classmethod
    def read(
        cls,
        phase: Phase,
        account: User,
        limits: Sequence[QuotaLimit],
        received_at: datetime,
        extras: Mapping[int, int],
        *,
        lock: bool = False,
    ) -> AccountUsage:
        rows = uses_of(phase, limits, AccountUse).filter(user=account)
        if lock:
            names = ("phase", "user", "kind", "period", "used")
            new = ([phase.pk, account.pk, limit.kind, limit.period, 0] for limit in limits)
            insert_missing(AccountUse, names, new)
            rows = rows.select_for_update().order_by("kind")
        used = dict(rows.values_list("kind", "used"))
        waiting = waiting_of_account(phase, account) if phase.at_once is not None else 0
        return cls(phase, account, limits, received_at, used, extras, waiting)

    def why_refused(self, participant: int, taken: int) -> ServiceError | None:
        """The refusal of one more attempt. taken: those that count already in this batch."""
        for limit in reversed(self.limits):  # the limit that lasts longest is reported
            most = limit.most + self.extras.get(participant, 0)
            if self.used.get(limit.kind, 0) + taken >= most:
                return self.refusal(participant, limit, taken)
        if self.phase.at_once is not None and self.waiting + taken >= self.phase.at_once:
            return too_many_of_account(self.phase.at_once, self.waiting + taken)
        return None

    def refusal(self, participant: int, limit: QuotaLimit, taken: int) -> ServiceError:
        """The refusal of an attempt beyond a limit."""
        day = local_day(self.phase, self.received_at)
        used = self.used.get(limit.kind, 0) + taken
        most = limit.most + self.extras.get(participant, 0)
        next_at = end_of(self.phase, limit.kind, day)
        return over_limit(limit.kind, most, used, next_at, self.received_at, of_account=True)

    def add(self, taken: int) -> None:
        """Add the attempts of a batch to the counters, which `read` has locked."""
        if taken:
            mine = uses_of(self.phase, self.limits, AccountUse).filter(user=self.account)
            mine.update(used=F("used") + taken)


def waiting_of_account(phase: Phase, account: User) -> int:
    """How many attempts that an account has submitted wait for a worker, or for an organiser."""
    names = Participant.objects.of(account)  # Their waiting attempts have an index.
    return sum(
        counting(attempts, phase.pk)
        .filter(submitted_by=account, participant__in=names.values("pk"))
        .count()
        for attempts in (Attempt.objects.unfinished(), Attempt.objects.held())
    )
