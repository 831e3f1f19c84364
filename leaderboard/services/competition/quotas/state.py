"""The state of phases and quotas that participants can see before they submit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal, NamedTuple

from django.utils.translation import gettext

from leaderboard.models import Challenge, Phase, User
from leaderboard.rules.texts.quoting import sent
from leaderboard.rules.visibility.open_phases import last_phase, next_phase, open_phase, open_phases
from leaderboard.services.competition.phases import stored_phases
from leaderboard.services.competition.quotas.account_limits import AccountUsage, counts_accounts
from leaderboard.services.competition.quotas.charging import waiting_of
from leaderboard.services.competition.quotas.errors import NAMES
from leaderboard.services.competition.quotas.periods import ENDLESS, end_of, limits_of, local_day
from leaderboard.services.competition.quotas.use_counters import extras_of, uses_of
from leaderboard.services.errors import invalid

PhaseState = Literal["open", "not_open", "closed", "agreed"]
"""agreed: closed, and open for participants with an agreed deadline."""


class CurrentPhase(NamedTuple):
    """The current phase: the open one, else the next one, else the last one."""

    phase: Phase
    state: PhaseState


class QuotaState(NamedTuple):
    """What a participant, or its account, has used of one limit, with extra attempts of grants.

    next_at: when the next attempt is possible, if the limit is reached and that is known.
    """

    quota: str
    limit: int
    used: int
    next_at: datetime | None

    @property
    def left(self) -> int:
        return max(0, self.limit - self.used)


def current_phases(challenge: Challenge, moment: datetime) -> list[CurrentPhase]:
    """The open phases of a challenge at a time; else the current one."""
    open_ones = open_phases(stored_phases(challenge.pk), moment) if challenge.is_active else []
    return [CurrentPhase(phase, "open") for phase in open_ones] or [
        current_phase(challenge, moment)
    ]


def current_phase(challenge: Challenge, moment: datetime, slug: str = "") -> CurrentPhase:
    """The current phase of a challenge at a time, or the one with a slug. Raises ServiceError."""
    phases = stored_phases(challenge.pk)
    if slug:
        phases = [phase for phase in phases if phase.slug == slug]
        if not phases:
            names = ", ".join(stored_phase.slug for stored_phase in stored_phases(challenge.pk))
            text = gettext("must be one of {names}; got {sent}")
            raise invalid("phase", text.format(names=names, sent=sent(slug)))
    if phase_now := open_phase(phases, moment):
        return CurrentPhase(phase_now, "open" if challenge.is_active else "closed")
    if coming_phase := next_phase(phases, moment):
        return CurrentPhase(coming_phase, "not_open" if challenge.is_active else "closed")
    return CurrentPhase(last_phase(phases, moment) or phases[-1], "closed")


def quotas_of(
    phase: Phase, participants: Sequence[int], moment: datetime, *, account: User | None = None
) -> Mapping[int, Sequence[QuotaState]]:
    """The limits of a phase for each participant, in seven statements at most.

    account: a user whose attempts under all names count as well, if the phase says so.
    """
    day = local_day(phase, moment)
    limits = limits_of(phase, day)
    if not limits or not participants:
        return dict.fromkeys(participants, ())
    rows = uses_of(phase, limits).filter(participant__in=participants)
    used = {(pk, kind): n for pk, kind, n in rows.values_list("participant", "kind", "used")}
    extras = extras_of(phase, participants, moment)
    waiting = waiting_of(phase, participants) if phase.at_once is not None else {}
    together = None
    if account is not None and counts_accounts(phase):
        together = AccountUsage.read(phase, account, limits, moment, extras)
    states_by_participant: dict[int, Sequence[QuotaState]] = {}
    for participant in participants:
        states = []
        for limit in limits:
            if limit.most == ENDLESS:
                continue
            most = limit.most + extras.get(participant, 0)
            of_account = together.used.get(limit.kind, 0) if together else 0
            count = max(used.get((participant, limit.kind), 0), of_account)
            next_at = end_of(phase, limit.kind, day) if count >= most else None
            states.append(QuotaState(NAMES[limit.kind], most, count, next_at))
        if phase.at_once is not None:
            count = max(waiting.get(participant, 0), together.waiting if together else 0)
            states.append(QuotaState("at_once", phase.at_once, count, None))
        states_by_participant[participant] = states
    return states_by_participant
