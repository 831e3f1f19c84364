"""Finds the objects that a reader may see; all others answer 404."""

from __future__ import annotations

from typing import Final, cast
from uuid import UUID

from django.db.models import Count, Exists, OuterRef, Subquery
from django.http import Http404, HttpRequest

from leaderboard.models import Announcement, Attempt, Board, Challenge, Edition, User
from leaderboard.services.competition.roles import UserRole, role_of
from leaderboard.services.competition.seen_board import SeenBoard, seen
from leaderboard.services.competition.sight import Sight
from leaderboard.services.competition.viewers import Viewer, sight_of

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
"""What pages of a challenge would otherwise ask by statements of their own."""


def challenge_or_404(request: HttpRequest, slug: str) -> Challenge:
    found = Challenge.objects.select_related(*CONFIGS).annotate(**_FACTS)
    challenge: Challenge | None = found.called(slug, request.user)
    if challenge is None:
        raise Http404("There is no such challenge.")
    return challenge


def sight_in(request: HttpRequest, challenge: Challenge) -> Sight:
    """What the reader sees of the challenge; decided once for each request."""
    known: dict[UUID, Sight] = request.__dict__.setdefault("_sights", {})
    if challenge.pk not in known:
        known[challenge.pk] = sight_of(challenge, reader_in(request))
    return known[challenge.pk]


def reader_in(request: HttpRequest) -> Viewer:
    """Who reads a page."""
    user = signed_in(request) if request.user.is_authenticated else None
    return Viewer(user=user, organises=True)


def seen_board(request: HttpRequest, board: Board) -> SeenBoard:
    """A board as the reader sees it."""
    return seen(board, sight_in(request, board.challenge))


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
        return UserRole.NOBODY
    known: dict[UUID, UserRole] = request.__dict__.setdefault("_roles", {})
    if challenge.pk not in known:
        known[challenge.pk] = role_of(signed_in(request), challenge)
    return known[challenge.pk]


def signed_in(request: HttpRequest) -> User:
    """The user of a view that only signed-in users reach."""
    return cast(User, request.user)


def attempt_or_404(request: HttpRequest, pk: UUID) -> Attempt:
    visible = Attempt.objects.visible_to(request.user).select_related(
        "participant", "scoring_config", *(f"challenge__{name}" for name in CONFIGS)
    )
    attempt = visible.filter(pk=pk).first()
    if attempt is None or not sight_in(request, attempt.challenge).sees(attempt):
        raise Http404("There is no such attempt.")
    return attempt
