"""What a reader may see of a challenge, decided once for each request by `viewers`.

Pages and the API read boards through `VisibleBoard` and attempts through `read_attempts`, and both
ask an `Access`. A challenge whose phases hide nothing needs no statement for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import F, Q
from django.utils.crypto import salted_hmac

from leaderboard.models import Attempt, Challenge, Participant, Standing
from leaderboard.rules.visibility.aliases import PREFIX, alias_of, number_of
from leaderboard.rules.visibility.view import EVERYTHING, Extent, PhaseView, narrowest
from leaderboard.services.board.reading.rows import RowParticipant


class Called(NamedTuple):
    """A participant that an address names, and the phases in which the reader sees that name.

    phases: their ids; None for all. is_alias: the name in the address is an alias.
    """

    participant: Participant
    phases: frozenset[int] | None = None
    is_alias: bool = False

    def covers(self, phase_id: int) -> bool:
        return self.phases is None or phase_id in self.phases

    def attempts(self) -> Q:
        """The attempts of the participant under this name."""
        mine = Q(participant=self.participant)
        return mine if self.phases is None else mine & Q(phase__in=self.phases)


class Freeze(NamedTuple):
    """A phase that is frozen for a reader.

    since: attempts from then on do not count on the board that the reader sees. results: of whose
    such attempts the reader sees the result.
    """

    since: datetime
    results: Extent


@dataclass(frozen=True)
class Access:
    """What a reader may see of a challenge.

    phases: of each phase, by its id; empty if nothing is hidden. frozen: those that are frozen for
    the reader, by their ids. own: the ids of the reader's participants. sender: the id of a user
    whose attempts the reader sees as well.
    """

    challenge_id: UUID
    phases: Mapping[int, PhaseView] = field(default_factory=dict)
    frozen: Mapping[int, Freeze] = field(default_factory=dict)
    own: frozenset[int] = frozenset()
    sender: int | None = None
    _keys: dict[int | None, bytes] = field(default_factory=dict, repr=False, compare=False)
    _counted: dict[UUID, bool] = field(default_factory=dict, repr=False, compare=False)

    @property
    def is_limited(self) -> bool:
        """Whether something is hidden from the reader."""
        return bool(self.frozen) or any(view != EVERYTHING for view in self.phases.values())

    @property
    def links_phases(self) -> bool:
        """Whether the reader may know which attempts of several phases belong together."""
        view = self.view(None)
        return min(view.names, view.attempts) is Extent.ALL

    @property
    def counts_attempts(self) -> bool:
        """Whether the reader may know of all attempts, and so how many there are."""
        return self.view(None).attempts is Extent.ALL

    @property
    def key(self) -> tuple[Any, ...]:
        """Readers with the same key get the same answers; it changes as phases freeze and end."""
        views, frozen = sorted(self.phases.items()), sorted(self.frozen.items())
        return (tuple(views), tuple(frozen), tuple(sorted(self.own)))

    def view(self, phase_id: int | None) -> PhaseView:
        """What the reader sees of a phase. phase_id: None for what is visible in all phases."""
        view = None if phase_id is None else self.phases.get(phase_id)
        return view or narrowest(self.phases.values())

    def is_own(self, attempt: Attempt) -> bool:
        """Whether an attempt is one of the reader's participants, or was sent by the reader."""
        if attempt.participant_id in self.own:
            return True
        return self.sender is not None and attempt.submitted_by_id == self.sender

    def freeze_of(self, attempt: Attempt) -> Freeze | None:
        """The freeze that hides an attempt's result; None if it came before, or there is none."""
        freeze = None if attempt.phase_id is None else self.frozen.get(attempt.phase_id)
        return freeze if freeze and attempt.submitted_at >= freeze.since else None

    def before_freezes(self) -> Q:
        """The attempts whose results no freeze hides from the reader."""
        condition = Q()
        for phase_id, freeze in self.frozen.items():
            condition &= ~Q(phase=phase_id, submitted_at__gte=freeze.since)
        return condition

    def looks_waiting(self) -> Q:
        """The attempts of others that look as if they waited, because of a freeze."""
        behind = Q(pk=None)
        for phase_id, freeze in self.frozen.items():
            view = self.view(phase_id)
            if min(view.scores, freeze.results) is not Extent.ALL or view.counted_only:
                behind |= Q(phase=phase_id, submitted_at__gte=freeze.since)
        mine = Q(participant__in=self.own)
        if self.sender is not None:
            mine |= Q(submitted_by=self.sender)
        return behind & ~mine

    def sees(self, attempt: Attempt) -> bool:
        """Whether the reader may know that an attempt exists."""
        return _reaches(self.view(attempt.phase_id).attempts, self.is_own(attempt))

    def sees_score(self, attempt: Attempt) -> bool:
        """Whether the reader sees the result of an attempt, and everything that would reveal it."""
        extent = self.view(attempt.phase_id).scores
        if freeze := self.freeze_of(attempt):
            extent = min(extent, freeze.results)
        if not _reaches(extent, self.is_own(attempt)):
            return False
        return not self.view(attempt.phase_id).counted_only or self._counts(attempt)

    def _counts(self, attempt: Attempt) -> bool:
        """Whether the participant stands on the board with an attempt."""
        if attempt.pk not in self._counted:
            standings = Standing.objects.filter(
                attempt=attempt.pk,
                participant=attempt.participant_id,
                board__until=None,
                board__filled_to=None,
                board__config__challenge__shown_config=F("board__config"),
            )
            self._counted[attempt.pk] = standings.exists()
        return self._counted[attempt.pk]

    def sees_all_attempts(self, attempt: Attempt) -> bool:
        """Whether the reader may know of all attempts in the phase of one, and how they went."""
        view = self.view(attempt.phase_id)
        return view.attempts is Extent.ALL and self.freeze_of(attempt) is None

    def sees_evidence(self, attempt: Attempt) -> bool:
        """Whether the reader sees what was submitted, from which one could compute a score."""
        if self.is_own(attempt):
            return True
        view = self.view(attempt.phase_id)
        is_public = view.scores is Extent.ALL and view.is_exact
        return is_public and self.freeze_of(attempt) is None

    def decimals(self, attempt: Attempt) -> int | None:
        """To how many digits the scores of an attempt are rounded for the reader; None: exact."""
        return self.view(attempt.phase_id).decimals

    def covers_enough(self, attempt: Attempt, share: float) -> bool:
        """Whether an attempt covers so many tasks that the reader may see its score."""
        least = self.view(attempt.phase_id).least_coverage
        return least is None or share >= least

    def sees_place(self, attempt: Attempt) -> bool:
        """Whether the reader sees the rank of an attempt, and whether it is on the board."""
        if self.freeze_of(attempt):
            return False
        return _reaches(self.view(attempt.phase_id).board, self.is_own(attempt))

    def sees_note(self, attempt: Attempt) -> bool:
        """Whether the reader sees the note and the meta of an attempt."""
        return _reaches(self.view(attempt.phase_id).notes, self.is_own(attempt))

    def attempts(self) -> Q:
        """The attempts of the challenge that the reader may know of."""
        if not self.is_limited:
            return Q()
        mine = Q(participant__in=self.own)
        if self.sender is not None:
            mine |= Q(submitted_by=self.sender)
        if self.view(None).attempts is Extent.ALL:
            mine |= Q(phase=None)
        public = [pk for pk, view in self.phases.items() if view.attempts is Extent.ALL]
        return mine | Q(phase__in=public)

    def names(self, participant_id: int, phase_id: int | None) -> bool:
        """Whether the reader sees the name of a participant in a phase."""
        return participant_id in self.own or self.view(phase_id).names is Extent.ALL

    def row_participant(self, who: RowParticipant, phase_id: int) -> RowParticipant:
        """A participant of a row, under an alias if the name is hidden."""
        if self.names(who.pk, phase_id):
            return who
        alias = alias_of(who.pk, self._key_of(phase_id))
        return who._replace(handle=alias, slug=alias, name=_spelled(alias))

    def participant(self, who: Participant, phase_id: int | None) -> Participant:
        """A participant; if the name is hidden, an instance under an alias that is not stored."""
        if self.names(who.pk, phase_id):
            return who
        alias = alias_of(who.pk, self._key_of(phase_id))
        return Participant(
            pk=who.pk,
            tenant_id=who.tenant_id,
            handle=alias,
            slug=alias,
            name=_spelled(alias),
            kind=who.kind,
            owner_id=who.owner_id,
        )

    def under_name(self, who: Participant) -> Called | None:
        """A participant under its own name; None if the reader sees that name nowhere."""
        if not self.is_limited or who.pk in self.own:
            return Called(who)
        named = [pk for pk, view in self.phases.items() if view.names is Extent.ALL]
        return Called(who, frozenset(named)) if named else None

    def called(self, challenge: Challenge, slug: str) -> Called | None:
        """The participant that a slug in an address names: its own, or its alias in a phase."""
        who = Participant.objects.called(challenge, slug)
        if who is not None:
            return self.under_name(who)
        for phase_id, view in self.phases.items():
            number = None if view.names is Extent.ALL else number_of(slug, self._key_of(phase_id))
            if number is None or number in self.own:
                continue
            matches = Participant.objects.filter(pk=number, attempts__phase=phase_id)
            if hidden_participant := matches.first():
                return Called(hidden_participant, frozenset([phase_id]), is_alias=True)
        return None

    def _key_of(self, phase_id: int | None) -> bytes:
        """The key for computing the aliases of a phase; each phase has its own aliases."""
        if phase_id not in self._keys:
            place = f"{self.challenge_id} {phase_id}"
            made = salted_hmac("leaderboard.aliases", place, algorithm="sha256")
            self._keys[phase_id] = made.digest()
        return self._keys[phase_id]


def _reaches(extent: Extent, is_own: bool) -> bool:
    return extent is Extent.ALL or (is_own and extent is Extent.OWN)


def _spelled(alias: str) -> str:
    return f"Anonymous {alias.removeprefix(PREFIX)}"
