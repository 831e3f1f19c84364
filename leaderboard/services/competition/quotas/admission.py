"""The checks of all attempts before they are saved: single, in bulk, from a form or a file.

To add a rule about who may submit, add a step to `Admission`. All steps run in the transaction that
saves the attempts.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from functools import cached_property
from typing import NamedTuple, cast

from django.utils.translation import gettext

from leaderboard.models import Challenge, Phase, User
from leaderboard.rules.texts.quoting import sent
from leaderboard.rules.visibility.open_phases import (
    last_phase,
    nearest_phase,
    next_phase,
    open_phases,
)
from leaderboard.services.competition.clock import iso
from leaderboard.services.competition.phases import stored_phases
from leaderboard.services.competition.quotas import charging
from leaderboard.services.competition.quotas.account_limits import counts_accounts
from leaderboard.services.competition.quotas.agreements import Agreements, agreements_of
from leaderboard.services.competition.quotas.periods import local_day
from leaderboard.services.errors import ServiceError, invalid


class Charge(NamedTuple):
    """An attempt that counts towards the limits of its phase."""

    phase_id: int
    participant_id: int


class Admission:
    """Checks the attempts of one request by the currently stored challenge and phases.

    received_at: when the request arrived, by the database's clock. user: who submits; a phase that
    has closed is open for participants with an agreed deadline. Organisers may submit before a
    phase opens and after it has closed. Raises ServiceError: `closed`, `not_open`.
    """

    def __init__(
        self, challenge: Challenge, received_at: datetime, *, user: User, organiser: bool
    ) -> None:
        self._phases = stored_phases(challenge.pk)
        self._by_id = {phase.pk: phase for phase in self._phases}
        self.received_at = received_at
        self.organiser = organiser
        self._user = user
        self._days: dict[int, date] = {}
        _check_active(self.challenge)
        if not organiser and not self._taking(received_at) and not self._agreed:
            raise self._none_is_open()

    @property
    def challenge(self) -> Challenge:
        """The challenge as it is stored now."""
        return self._phases[0].challenge

    def phase(self, phase_id: int) -> Phase:
        """One of the phases of the challenge, by its id."""
        return self._by_id[phase_id]

    @property
    def has_limits(self) -> bool:
        """Whether a phase limits the attempts that an account makes at this moment."""
        now = self._taking(self.received_at) or self._agreed_phases
        nearest = nearest_phase(self._phases, self.received_at)
        limited = (phase for phase in now or [nearest] if phase.has_limits)
        return any(counts_accounts(phase) for phase in limited)

    def phase_of(self, slug: str, submitted_at: datetime | None) -> Phase:
        """The phase of an attempt.

        slug: of the phase that the attempt names, or "". submitted_at: for history, to which
        organisers give a date. Raises ServiceError: `invalid`, `closed`, `not_open`.
        """
        if slug:
            return self._named(slug)
        at = submitted_at or self.received_at
        among = self._taking(at) or self._agreed_phases
        if len(among) > 1:
            text = gettext("must be one of {names}, because several phases are open; got none")
            raise invalid("phase", text.format(names=_slugs(among)))
        return among[0] if among else nearest_phase(self._phases, at)

    def agreed_until(self, phase_id: int, participant: int) -> datetime | None:
        """The agreed deadline of an attempt; None in a phase that is open, and for organisers.

        Raises ServiceError (`closed`) if the phase is open for other participants only.
        """
        phase = self._by_id[phase_id]
        if self.organiser or phase.takes(self.received_at):
            return None
        until = self._agreed.get(phase_id, {}).get(participant)
        if until is None:
            raise _closed(self.challenge, phase)
        return until

    def charged_day(self, phase_id: int) -> date | None:
        """The day on which the attempts count; None for organisers, who have no limits."""
        if self.organiser:
            return None
        if phase_id not in self._days:
            self._days[phase_id] = local_day(self._by_id[phase_id], self.received_at)
        return self._days[phase_id]

    def charge(self, phase_id: int, participant: int) -> None:
        """Count one saved attempt towards the quotas. Raises ServiceError: `quota`."""
        if not self.organiser:
            charging.charge(
                self._by_id[phase_id], participant, self.received_at, account=self._user
            )

    def charge_many(self, charges: Sequence[Charge]) -> Sequence[ServiceError | None]:
        """Count attempts that are about to be saved; returns why each one is refused, or None."""
        refusals: list[ServiceError | None] = [None] * len(charges)
        if self.organiser:
            return refusals
        places: dict[int, list[int]] = {}
        for at, charge in enumerate(charges):
            places.setdefault(charge.phase_id, []).append(at)
        for phase_id, those in sorted(places.items()):
            ids = [charges[at].participant_id for at in those]
            phase_refusals = charging.charge_many(
                self._by_id[phase_id], ids, self.received_at, account=self._user
            )
            for at, refused in zip(those, phase_refusals, strict=True):
                refusals[at] = refused
        return refusals

    def _taking(self, moment: datetime) -> list[Phase]:
        """The phases that take attempts of a moment: the open ones, else those in their grace."""
        late = [phase for phase in self._phases if phase.takes(moment)]
        return open_phases(self._phases, moment) or late

    def _named(self, slug: str) -> Phase:
        """The phase with a slug, which is open unless an organiser submits."""
        phase = next((phase for phase in self._phases if phase.slug == slug), None)
        if phase is None:
            text = gettext("must be one of {names}; got {sent}")
            raise invalid("phase", text.format(names=_slugs(self._phases), sent=sent(slug)))
        if self.organiser or phase.takes(self.received_at) or phase.pk in self._agreed:
            return phase
        if phase.opens_at is not None and self.received_at < phase.opens_at:
            raise _not_open(self.challenge, phase)
        raise _closed(self.challenge, phase)

    @cached_property
    def _agreed(self) -> Agreements:
        """The agreed deadlines of the user's participants, read when a phase is not open."""
        if self.organiser:
            return {}
        return agreements_of(self.challenge.pk, self._user, self.received_at)

    @property
    def _agreed_phases(self) -> list[Phase]:
        """The phases that are open by agreement alone, asked about while no phase is open."""
        return [phase for phase in self._phases if phase.pk in self._agreed]

    def _none_is_open(self) -> ServiceError:
        if later := next_phase(self._phases, self.received_at):
            return _not_open(self.challenge, later)
        # Else one would be open or open later.
        return _closed(self.challenge, cast("Phase", last_phase(self._phases, self.received_at)))


def _slugs(phases: Sequence[Phase]) -> str:
    return ", ".join(phase.slug for phase in phases)


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


def _closed(challenge: Challenge, phase: Phase) -> ServiceError:
    moment = iso(cast("datetime", phase.closes_at))
    text = gettext("{name} has taken no attempts since {moment}.").format(
        name=challenge.name, moment=moment
    )
    return ServiceError("closed", text, facts={"closed_at": moment})
