"""Finds the objects that a reader may see; all others answer 404."""

from __future__ import annotations

from typing import Final, cast
from uuid import UUID

from django.db.models import Count, Exists, OuterRef, QuerySet, Subquery
from django.http import Http404, HttpRequest

from leaderboard.models import Announcement, Attempt, Board, Challenge, Edition, User
from leaderboard.models.built_once import Lookup
from leaderboard.services.competition.roles import UserRole, role_of
from leaderboard.services.competition.visible.access import Access
from leaderboard.services.competition.visible.board import VisibleBoard, visible_board
from leaderboard.services.competition.visible.viewers import Viewer, access_of

SAFE_METHODS = frozenset(("GET", "HEAD", "OPTIONS"))
CONFIGS = ("tenant", "shown_config__challenge", "newest_config", "registration_rules")
_EDITIONS: Final = (
    Edition.objects.filter(config=OuterRef("shown_config"), scores__gt=0)
    .order_by()
    .values("config")
)
_FACTS: Final = {
    "has_announcements": Exists(Announcement.objects.filter(challenge=OuterRef("pk"))),
    "edition_count": Subquery(_EDITIONS.annotate(count=Count("pk")).values("count")),
}
"""Facts for the pages of a challenge, read with it to save statements."""


def _called(slug: str, user: User | None) -> QuerySet[Challenge]:
    challenges = Challenge.objects.select_related(*CONFIGS).annotate(**_FACTS)
    return challenges.all_called(slug, user)[:1]


_CALLED: Final = Lookup(lambda slug, user: _called(slug, User(pk=user)), slug=str, user=int)
_CALLED_BY_SUPERUSER: Final = Lookup(
    lambda slug, user: _called(slug, User(pk=user, is_superuser=True)), slug=str, user=int
)
_CALLED_BY_ANYONE: Final = Lookup(lambda slug: _called(slug, None), slug=str)


def challenge_or_404(request: HttpRequest, slug: str) -> Challenge:
    user = request.user
    if "\0" in slug:
        challenge = None
    elif not user.is_authenticated or not user.is_active:
        challenge = _CALLED_BY_ANYONE.first(slug=slug)
    elif user.is_superuser:
        challenge = _CALLED_BY_SUPERUSER.first(slug=slug, user=user.pk)
    else:
        challenge = _CALLED.first(slug=slug, user=user.pk)
    if challenge is None:
        raise Http404("There is no such challenge.")
    return challenge


def access_in(request: HttpRequest, challenge: Challenge) -> Access:
    """What the reader sees of the challenge; decided once for each request."""
    accesses: dict[UUID, Access] = request.__dict__.setdefault("_accesses", {})
    if challenge.pk not in accesses:
        accesses[challenge.pk] = access_of(challenge, reader_in(request))
    return accesses[challenge.pk]


def reader_in(request: HttpRequest) -> Viewer:
    """Who reads a page."""
    user = signed_in(request) if request.user.is_authenticated else None
    return Viewer(user=user, organises=True)


def board_for(request: HttpRequest, board: Board) -> VisibleBoard:
    """A board as the reader sees it."""
    return visible_board(board, access_in(request, board.challenge))


def organised_or_404(request: HttpRequest, slug: str) -> Challenge:
    """A challenge whose organiser the reader is; for a request that only reads, or its reviewer."""
    challenge = challenge_or_404(request, slug)
    needed = is_reviewer if request.method in SAFE_METHODS else is_organiser
    if not needed(request, challenge):
        raise Http404("There is no such page.")
    return challenge


def is_organiser(request: HttpRequest, challenge: Challenge) -> bool:
    """Whether the reader may configure the challenge."""
    return role_in(request, challenge) is UserRole.ORGANISER


def is_reviewer(request: HttpRequest, challenge: Challenge) -> bool:
    """Whether the reader sees what organisers of the challenge see."""
    return role_in(request, challenge) >= UserRole.REVIEWER


def role_in(request: HttpRequest, challenge: Challenge) -> UserRole:
    """What the reader is in the challenge; looked up once for each request."""
    if not request.user.is_authenticated:
        return UserRole.NONE
    roles: dict[UUID, UserRole] = request.__dict__.setdefault("_roles", {})
    if challenge.pk not in roles:
        roles[challenge.pk] = role_of(signed_in(request), challenge)
    return roles[challenge.pk]


def signed_in(request: HttpRequest) -> User:
    """The user of a view that only signed-in users reach."""
    return cast(User, request.user)


def _visible(pk: UUID, user: User | None) -> QuerySet[Attempt]:
    attempts = Attempt.objects.visible_to(user).filter(pk=pk)
    return attempts.select_related(
        "participant", "scoring_config", *(f"challenge__{name}" for name in CONFIGS)
    )


_ATTEMPT: Final = Lookup(lambda pk, user: _visible(pk, User(pk=user)), pk=UUID, user=int)
_ATTEMPT_FOR_SUPERUSER: Final = Lookup(lambda pk: _visible(pk, User(is_superuser=True)), pk=UUID)
_ATTEMPT_FOR_ANYONE: Final = Lookup(lambda pk: _visible(pk, None), pk=UUID)


def attempt_or_404(request: HttpRequest, pk: UUID) -> Attempt:
    user = request.user
    if not user.is_authenticated or not user.is_active:
        attempt = _ATTEMPT_FOR_ANYONE.first(pk=pk)
    elif user.is_superuser:
        attempt = _ATTEMPT_FOR_SUPERUSER.first(pk=pk)
    else:
        attempt = _ATTEMPT.first(pk=pk, user=user.pk)
    if attempt is None or not access_in(request, attempt.challenge).sees(attempt):
        raise Http404("There is no such attempt.")
    return attempt
