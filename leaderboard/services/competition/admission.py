"""The checks of all attempts before they are saved: single, in bulk, from a form or a file.

To add a rule about who may submit, add a step to `Admission`. All steps run in the transaction that
saves the attempts.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import cast

from django.utils.translation import gettext

from leaderboard.models import Challenge, Phase
from leaderboard.rules.open_phases import last_phase, nearest_phase, next_phase, open_phase
from leaderboard.services.competition import quotas
from leaderboard.services.competition.clock import iso
from leaderboard.services.competition.periods import local_day
from leaderboard.services.competition.phases import stored_phases
from leaderboard.services.errors import ServiceError


class Admission:
    """Checks the attempts of one request by the currently stored challenge and phases.

    received_at: when the request began, by the database's clock. Organisers may submit before a
    phase opens and after it has closed. Raises ServiceError: `closed`, `not_open`.
    """

    def __init__(self, challenge: Challenge, received_at: datetime, *, organiser: bool) -> None:
        self._phases = stored_phases(challenge.pk)
        self.received_at = received_at
        self.organiser = organiser
        _check_active(self.challenge)
        self.phase = self._phase()

    @property
    def challenge(self) -> Challenge:
        """The challenge as it is stored now."""
        return self._phases[0].challenge

    def phase_of(self, submitted_at: datetime | None) -> Phase:
        """The phase of an attempt. submitted_at: for history, to which organisers give a date."""
        return self.phase if submitted_at is None else nearest_phase(self._phases, submitted_at)

    @property
    def charged_day(self) -> date | None:
        """The day on which the attempts count; None for organisers, who have no limits."""
        return None if self.organiser else local_day(self.phase, self.received_at)

    def charge(self, participant: int) -> None:
        """Count one saved attempt towards the quotas. Raises ServiceError: `quota`."""
        if not self.organiser:
            quotas.charge(self.phase, participant, self.received_at)

    def charge_many(
        self, participants: Sequence[int], *, atomic: bool
    ) -> Sequence[ServiceError | None]:
        """Count attempts that are about to be saved; returns why each one is refused, or None."""
        if self.organiser:
            return [None] * len(participants)
        return quotas.charge_many(self.phase, participants, self.received_at, atomic=atomic)

    def _phase(self) -> Phase:
        if found := open_phase(self._phases, self.received_at):
            return found
        if self.organiser:
            return nearest_phase(self._phases, self.received_at)
        if later := next_phase(self._phases, self.received_at):
            raise _not_open(self.challenge, later)
        raise _closed(self.challenge, self._phases, self.received_at)


def _check_active(challenge: Challenge) -> None:
    if not challenge.is_active:
        text = gettext("{name} takes no attempts any more.").format(name=challenge.name)
        raise ServiceError("closed", text)


def _not_open(challenge: Challenge, phase: Phase) -> ServiceError:
    moment = iso(cast("datetime", phase.opens_at))
    text = gettext("{name} takes attempts from {moment} on.").format(
        name=challenge.name, moment=moment
    )
    return ServiceError("not_open", text, facts={"opens_at": moment})


def _closed(challenge: Challenge, phases: Sequence[Phase], received_at: datetime) -> ServiceError:
    phase = cast("Phase", last_phase(phases, received_at))  # for else one is open or opens later
    moment = iso(cast("datetime", phase.closes_at))
    text = gettext("{name} has taken no attempts since {moment}.").format(
        name=challenge.name, moment=moment
    )
    return ServiceError("closed", text, facts={"closed_at": moment})
