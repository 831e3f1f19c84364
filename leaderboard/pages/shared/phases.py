"""The phases of a challenge as pages show them: dates, limits, remaining attempts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NamedTuple

from django.db.models import prefetch_related_objects
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from leaderboard.models import AuditEntry, Board, Challenge, Participant, Phase, User
from leaderboard.pages.labels.counting import counting_of_phase
from leaderboard.pages.labels.limits import limits_in_words
from leaderboard.pages.labels.splits import split_rules
from leaderboard.pages.labels.visibility import visibility_rules
from leaderboard.pages.labels.zones import in_zone
from leaderboard.services.competition.audit import entries_of
from leaderboard.services.competition.clock import received_now
from leaderboard.services.competition.quotas.agreements import agreements_of
from leaderboard.services.competition.quotas.state import (
    CurrentPhase,
    QuotaState,
    current_phases,
    quotas_of,
)

EVENTS_SHOWN: Final = 50
QUOTAS: Final[Mapping[str, str | Promise]] = {
    "per_day": gettext_lazy("per day"),
    "per_week": gettext_lazy("per week"),
    "per_month": gettext_lazy("per month"),
    "total": gettext_lazy("in this phase"),
    "at_once": gettext_lazy("waiting at once"),
}


@dataclass(frozen=True, slots=True)
class PhaseEntry:
    """A phase as a page shows it. opens, closes: the dates in its zone, "" if that is UTC.

    hides: what is hidden from some readers, a sentence each. counting: which attempts count, if the
    phase has a rule of its own, else "".
    """

    phase: Phase
    opens: str
    closes: str
    limits: Sequence[str]
    hides: Sequence[str]
    counting: str


@dataclass(frozen=True, slots=True)
class Used:
    """What a participant has used of a limit."""

    participant: str
    quota: str | Promise
    state: QuotaState


def phase_entries(challenge: Challenge) -> list[PhaseEntry]:
    """The phases of a challenge; none if it declares no dates, no limits and hides nothing."""
    phases = phases_of(challenge)
    plain = [phase for phase in phases if not _says_something(phase)]
    return [] if len(phases) == len(plain) == 1 else [phase_entry(phase) for phase in phases]


def phases_of(challenge: Challenge) -> list[Phase]:
    """The phases in their order, read once for this instance."""
    prefetch_related_objects([challenge], "phases")
    return list(challenge.phases.all())


def know_phases(challenge: Challenge, phases: Sequence[Phase]) -> None:
    """Use phases that were read with the boards, so that `phases_of` does not read them again."""
    queryset = challenge.phases.all()
    queryset._result_cache = list(phases)
    challenge._prefetched_objects_cache = {"phases": queryset}  # type: ignore[attr-defined]


def is_open_now(challenge: Challenge) -> bool:
    """Whether the challenge takes attempts now. A submitted one is checked again."""
    now = timezone.now()
    return challenge.is_active and any(phase.is_open(now) for phase in phases_of(challenge))


def is_frozen_now(challenge: Challenge) -> bool:
    """Whether the board of a phase is frozen now, for everybody but organisers."""
    now = timezone.now()
    return any(phase.is_frozen(now) for phase in phases_of(challenge))


class PhaseTab(NamedTuple):
    """A link to the board of a phase."""

    name: str
    slug: str
    is_shown: bool


def phase_tabs(boards: Sequence[Board], board: Board) -> list[PhaseTab]:
    """Links to the boards of a challenge's phases; none if it has a single phase."""
    if len(boards) == 1:
        return []
    return [PhaseTab(str(other.phase), other.phase.slug, other.pk == board.pk) for other in boards]


def open_elsewhere(boards: Sequence[Board], board: Board) -> list[PhaseTab]:
    """The phases that take attempts now, for a page that shows the board of another one."""
    now = timezone.now()
    if len(boards) == 1 or not board.challenge.is_active or board.phase.is_open(now):
        return []
    is_open = [other for other in boards if other.phase.is_open(now)]
    return [PhaseTab(str(other.phase), other.phase.slug, is_shown=False) for other in is_open]


def phase_entry(phase: Phase) -> PhaseEntry:
    """A phase in words."""
    return PhaseEntry(
        phase,
        _in_zone(phase, phase.opens_at),
        _in_zone(phase, phase.closes_at),
        list(limits_in_words(phase)),
        [*split_rules(phase.challenge.shown, phase), *visibility_rules(phase)],
        counting_of_phase(phase),
    )


def _says_something(phase: Phase) -> bool:
    dates = (phase.opens_at, phase.closes_at, phase.freezes_at)
    dated = any(date is not None for date in dates)
    ruled = phase.has_limits or bool(phase.counting) or phase.file_mib is not None
    hides = phase.view_settings.hides_something or phase.withheld.hides_something
    return dated or ruled or hides or phase.challenge.shown.parts is not None


def changes_of(challenge: Challenge) -> Sequence[AuditEntry]:
    """The newest changes of phases."""
    return list(entries_of(challenge.pk, AuditEntry.Kind.PHASE).filter(public=True)[:EVENTS_SHOWN])


class Agreed(NamedTuple):
    """Until when a participant may submit to a phase that has closed."""

    participant: str
    until: datetime


@dataclass(frozen=True, slots=True)
class Left:
    """A phase with its limits, and how much of them participants have used.

    agreed: the participants for whom the phase is open although it has closed.
    """

    current: CurrentPhase
    limits: Sequence[str]
    used: Sequence[Used]
    agreed: Sequence[Agreed] = ()


def left_for(challenge: Challenge, participants: Sequence[Participant], user: User) -> list[Left]:
    """The phases that take attempts of a user, with what is left of their limits.

    Those that are open, and those with an agreed deadline; else the next or the last one.
    """
    moment = received_now()
    phases = current_phases(challenge, moment)
    agreed = agreements_of(challenge.pk, user, moment)
    late = [phase for phase in phases_of(challenge) if phase.pk in agreed]
    if late:
        late_ids = {phase.pk for phase in late}
        phases = [
            current
            for current in phases
            if current.state == "open" and current.phase.pk not in late_ids
        ]
        phases += [CurrentPhase(phase, "agreed") for phase in late]
    return [
        _left(current, participants, user, agreed.get(current.phase.pk, {}), moment)
        for current in phases
    ]


def _left(
    current: CurrentPhase,
    participants: Sequence[Participant],
    user: User,
    agreed: Mapping[int, datetime],
    moment: datetime,
) -> Left:
    states = quotas_of(
        current.phase, [participant.pk for participant in participants], moment, account=user
    )
    used = [
        Used(participant.shown_name, QUOTAS[state.quota], state)
        for participant in participants
        for state in states[participant.pk]
    ]
    late = [
        Agreed(participant.shown_name, agreed[participant.pk])
        for participant in participants
        if participant.pk in agreed
    ]
    return Left(current, list(limits_in_words(current.phase)), used, late)


def _in_zone(phase: Phase, moment: datetime | None) -> str:
    if moment is None or phase.time_zone == "UTC":
        return ""
    return in_zone(moment, phase.time_zone)
