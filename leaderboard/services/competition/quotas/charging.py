"""Quotas: each attempt of a participant counts towards the limits of its phase, exactly.

The counter of a limit is one row, changed by a conditional statement in the transaction that saves
the attempts. Simultaneous requests of a participant wait for one another at this row; those of
different participants do not. Rows are always locked in one order: the challenge, then its
attempts, then counters by participant and kind. `account_limits` counts for accounts as well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Count, F, OuterRef, Q, Subquery, Sum
from django.db.models.functions import Coalesce

from leaderboard.models import Attempt, Challenge, Grant, Phase, QuotaUse, User
from leaderboard.models.built_once import Values
from leaderboard.models.bulk import insert_missing
from leaderboard.services.competition.quotas.account_limits import (
    AccountUsage,
    charge_account,
    counts_accounts,
)
from leaderboard.services.competition.quotas.errors import over_limit, too_many_at_once
from leaderboard.services.competition.quotas.periods import QuotaLimit, end_of, limits_of, local_day
from leaderboard.services.competition.quotas.use_counters import (
    charged_kinds,
    counting,
    extras_of,
    uses_of,
)
from leaderboard.services.errors import ServiceError

_WAITING_OF_ONE, _HELD_OF_ONE = (
    Values(
        lambda phase, participant, attempts=attempts: (
            counting(attempts(), phase)
            .filter(participant=participant)
            .values("participant")
            .annotate(Count("pk"))
            .values_list("pk__count")
        ),
        phase=int,
        participant=int,
    )
    for attempts in (Attempt.objects.unfinished, Attempt.objects.held)
)
"""How many attempts of one participant wait for a worker, and for an organiser; built once, because
each submission runs them."""


def charge(phase: Phase, participant: int, received_at: datetime, *, account: User) -> None:
    """Count one attempt that was just saved towards the limits of its phase.

    account: the user who submits. Call it last in the transaction that saves the attempt, because
    others of the participant wait until its end. Raises ServiceError: `quota`.
    """
    limits = limits_of(phase, local_day(phase, received_at))
    if not limits:
        return
    # The foreign keys of the attempt would lock the challenge only after the counter, and others
    # lock it before.
    Challenge.objects.lock_challenge_shared(phase.challenge_id)
    charged = charged_kinds(QuotaUse, participant, participant, phase, limits, received_at)
    if full := [limit for limit in limits if limit.kind not in charged]:
        raise _Usage.read(phase, [participant], limits, received_at).refusal(participant, full[-1])
    if phase.at_once is not None:
        counts = (_WAITING_OF_ONE, _HELD_OF_ONE)
        rows = (
            row for count in counts for row in count.all(phase=phase.pk, participant=participant)
        )
        waiting = sum(n for (n,) in rows)
        if waiting > phase.at_once:
            raise too_many_at_once(phase.at_once, waiting - 1)
    if counts_accounts(phase):
        charge_account(phase, account, participant, limits, received_at)


def charge_many(
    phase: Phase, participants: Sequence[int], received_at: datetime, *, account: User
) -> list[ServiceError | None]:
    """Count the attempts of a batch, before they are saved, as far as the limits allow.

    participants: the id of each attempt's participant, in the order of the attempts. account: as of
    `charge`. Returns why each one is refused (`quota`), None for those that count: the first ones.
    """
    limits = limits_of(phase, local_day(phase, received_at))
    if not limits or not participants:
        return [None] * len(participants)
    Challenge.objects.lock_challenge_shared(phase.challenge_id)
    ids = sorted(set(participants))
    names = ("phase", "participant", "kind", "period", "used")
    rows = ([phase.pk, pk, limit.kind, limit.period, 0] for pk in ids for limit in limits)
    insert_missing(QuotaUse, names, rows)
    usage = _Usage.read(phase, ids, limits, received_at, lock=True)
    waiting = waiting_of(phase, ids) if phase.at_once is not None else Counter[int]()
    together = None
    if counts_accounts(phase):
        together = AccountUsage.read(phase, account, limits, received_at, usage.extras, lock=True)
    taken: Counter[int] = Counter()
    refusals: list[ServiceError | None] = []
    for participant in participants:
        refused = usage.why_refused(participant, taken[participant], waiting[participant])
        if refused is None and together is not None:
            refused = together.why_refused(participant, taken.total())
        taken[participant] += refused is None
        refusals.append(refused)
    _add(phase, limits, taken)
    if together is not None:
        together.add(taken.total())
    return refusals


class _Usage(NamedTuple):
    """What participants have used of the limits of one moment.

    used: by participant and kind. extras: of their grants.
    """

    phase: Phase
    limits: Sequence[QuotaLimit]
    received_at: datetime
    used: Mapping[tuple[int, str], int]
    extras: Mapping[int, int]

    @classmethod
    def read(
        cls,
        phase: Phase,
        participants: Sequence[int],
        limits: Sequence[QuotaLimit],
        received_at: datetime,
        *,
        lock: bool = False,
    ) -> _Usage:
        rows = uses_of(phase, limits).filter(participant__in=participants)
        if lock:
            rows = rows.select_for_update().order_by("participant", "kind")
        used = {(pk, kind): n for pk, kind, n in rows.values_list("participant", "kind", "used")}
        return cls(phase, limits, received_at, used, extras_of(phase, participants, received_at))

    def why_refused(self, participant: int, taken: int, waiting: int) -> ServiceError | None:
        """The refusal of one more attempt. taken: those that count already in this batch."""
        for limit in reversed(self.limits):  # the limit that lasts longest is reported
            used = self.used.get((participant, limit.kind), 0) + taken
            if used >= limit.most + self.extras.get(participant, 0):
                return self.refusal(participant, limit, taken)
        if self.phase.at_once is not None and waiting + taken >= self.phase.at_once:
            return too_many_at_once(self.phase.at_once, waiting + taken)
        return None

    def refusal(self, participant: int, limit: QuotaLimit, taken: int = 0) -> ServiceError:
        """The refusal of an attempt beyond a limit."""
        day = local_day(self.phase, self.received_at)
        used = self.used.get((participant, limit.kind), 0) + taken
        most = limit.most + self.extras.get(participant, 0)
        next_at = end_of(self.phase, limit.kind, day)
        return over_limit(limit.kind, most, used, next_at, self.received_at)


def extra_of_each(phase: Phase, received_at: datetime) -> Any:
    """The extra attempts that grants give the participant of a counter, for a query of counters."""
    valid = Q(until__isnull=True) | Q(until__gt=received_at)
    for_participant = Q(participant=OuterRef("participant")) | Q(participant__isnull=True)
    grants = Grant.objects.filter(valid, for_participant, phase=phase)
    total = grants.order_by().values("phase").annotate(total=Sum("extra")).values("total")
    return Coalesce(Subquery(total), 0)


def waiting_of(phase: Phase, participants: Sequence[int]) -> Counter[int]:
    """The number of each participant's waiting attempts that count towards the limit."""
    counts: Counter[int] = Counter()
    for attempts in (Attempt.objects.unfinished(), Attempt.objects.held()):
        waiting = counting(attempts, phase.pk).filter(participant__in=participants)
        counts.update(dict(waiting.values_list("participant").annotate(Count("pk"))))
    return counts


def _add(phase: Phase, limits: Sequence[QuotaLimit], taken: Counter[int]) -> None:
    for number in sorted(set(taken.values()) - {0}):
        some = [pk for pk, count in taken.items() if count == number]
        uses_of(phase, limits).filter(participant__in=some).update(used=F("used") + number)
