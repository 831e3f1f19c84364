"""Who reads, and what they see: the phases and the reader's registrations by one statement."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple
from uuid import UUID

from django.db.models import (
    Aggregate,
    BooleanField,
    ExpressionWrapper,
    OuterRef,
    QuerySet,
    Subquery,
    TextField,
    Value,
)
from django.db.models.functions import Cast, Concat, Now

from leaderboard.models import Challenge, Phase, User
from leaderboard.models.built_once import Lookup
from leaderboard.rules.visibility.view import Actor, Extent, PhaseView, ViewSettings, view_of
from leaderboard.rules.visibility.withholding import Withholding
from leaderboard.schemas.choices import RegistrationStatus
from leaderboard.services.competition.participants.ownership import registrations_as
from leaderboard.services.competition.roles import sees_all
from leaderboard.services.competition.visible.access import Access, Freeze

_REGISTERED: Final = Concat(
    Cast("participant_id", TextField()), Value(":"), "status", output_field=TextField()
)


class _Joined(Aggregate):
    """Texts with commas between them; NULL if there are none."""

    function = "GROUP_CONCAT"
    output_field = TextField()

    def as_postgresql(self, *args: Any, **options: Any) -> Any:
        template = "STRING_AGG(%(expressions)s, ',')"
        return self.as_sql(*args, **options, template=template)


class Viewer(NamedTuple):
    """The reader of a request. user: None without an account, or if the token may not read.

    sender: the user of a token that may only submit; they see the attempts that they have sent.
    organises: whether the request may act as an organiser or reviewer if the user is one.
    """

    user: User | None = None
    sender: User | None = None
    organises: bool = False


def access_of(challenge: Challenge, reader: Viewer) -> Access:
    """What the reader may see of a challenge; no statement if its phases hide nothing, else one."""
    return accesses_of([challenge], reader)[challenge.pk]


def accesses_of(challenges: Sequence[Challenge], reader: Viewer) -> dict[UUID, Access]:
    """What the reader may see of each challenge; one statement for all that hide something."""
    accesses = {challenge.pk: Access(challenge.pk) for challenge in challenges}
    restricted = [challenge.pk for challenge in challenges if challenge.is_restricted]
    if not restricted or (reader.organises and reader.user and reader.user.is_superuser):
        return accesses
    rows: dict[UUID, list[Any]] = {pk: [] for pk in restricted}
    for row in _phases(restricted, reader.user):
        rows[row.challenge_id].append(row)
    return accesses | {pk: _access(pk, mine, reader) for pk, mine in rows.items()}


def _phases(challenges: Sequence[UUID], user: User | None) -> Iterable[Phase]:
    """The phases with the time, the user's registrations, and whether they see everything."""
    if len(challenges) > 1:
        return _with_reader(Phase.objects.filter(challenge__in=challenges), user)
    if user is None:
        return _OF_ONE_FOR_ANYONE.instances(challenge=challenges[0])
    return _OF_ONE.instances(challenge=challenges[0], user=user.pk)


def _with_reader(phases: QuerySet[Phase], user: User | None) -> QuerySet[Phase]:
    phases = phases.annotate(now=Now()).order_by("challenge", "position", "pk")
    if user is None:
        return phases
    registered = registrations_as(user).filter(challenge=OuterRef("challenge")).order_by()
    own = registered.values("challenge").annotate(all=_Joined(_REGISTERED)).values("all")
    everything = sees_all(user, challenge="challenge", tenant="challenge__tenant")
    return phases.annotate(
        sees_all=ExpressionWrapper(everything, BooleanField()),
        own=Subquery(own),
    )


_OF_ONE: Final = Lookup(
    lambda challenge, user: _with_reader(
        Phase.objects.filter(challenge_id=challenge), User(pk=user)
    ),
    challenge=UUID,
    user=int,
)
_OF_ONE_FOR_ANYONE: Final = Lookup(
    lambda challenge: _with_reader(Phase.objects.filter(challenge_id=challenge), None),
    challenge=UUID,
)
"""The phases of one challenge: the most frequent case."""


def _access(challenge_id: UUID, rows: Sequence[Any], reader: Viewer) -> Access:
    sender = reader.sender.pk if reader.sender else None
    own: set[int] = set()
    actor = Actor.ANYONE
    if reader.user is not None:
        sender = reader.user.pk
        registered = _registered(rows[0].own)
        own = {*registered}
        if RegistrationStatus.ACCEPTED in registered.values():
            actor = Actor.PARTICIPANT
        if reader.organises and any(row.sees_all for row in rows):
            actor = Actor.ORGANISER
    views = {row.pk: _view(row, actor, row.now) for row in rows}
    frozen = {
        row.pk: Freeze(row.freezes_at, Extent.OWN if row.own_while_frozen else Extent.NONE)
        for row in rows
        if actor is not Actor.ORGANISER and row.is_frozen(row.now)
    }
    return Access(challenge_id, views, frozen, frozenset(own), sender)


def _registered(text: str | None) -> dict[int, str]:
    """The statuses of registrations by participant, from `7:accepted,9:pending`."""
    pairs = (pair.split(":") for pair in text.split(",")) if text else ()
    return {int(participant): status for participant, status in pairs}


def view_of_anyone(phase: Phase, now: datetime) -> PhaseView:
    """What a reader without an account sees of a phase, apart from a freeze."""
    return _view(phase, Actor.ANYONE, now)


def _view(row: Any, actor: Actor, now: datetime) -> PhaseView:
    settings = ViewSettings(*[getattr(row, f"{name}_visibility") for name in ViewSettings._fields])
    withheld = Withholding(*[getattr(row, name) for name in Withholding._fields])
    return view_of(settings, actor, ended=row.has_ended(now), withheld=withheld)
