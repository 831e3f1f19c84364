"""Permissions of requests. A token never has more permissions than its user."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from leaderboard.models import ApiToken, Attempt, Challenge, Tenant, User
from leaderboard.services.competition.roles import UserRole, role_of
from leaderboard.services.competition.visible.access import Access
from leaderboard.services.competition.visible.viewers import Viewer, access_of
from leaderboard.services.errors import ServiceError, invalid


class ScopeToWrite(BasePermission):
    """Reading is open to all; writing needs a signed-in user with the view's `scope`.

    Querysets decide which objects a user can see, and `organises` which challenges they may change.
    """

    message = ""

    def has_permission(self, request: Request, view: APIView) -> bool:
        if request.method in SAFE_METHODS:
            return True
        scope = getattr(view, "scope", "")
        if only_as(request) is not None and not getattr(view, "submits", False):
            self.message = _("This token is bound to a participant: it only submits attempts.")
            return False
        self.message = _needs_scope(scope)
        return request.user.is_authenticated and has_scope(request, scope)


def _needs_scope(scope: str) -> str:
    return _("This needs a token with the scope {scope}.").format(scope=scope)


def has_scope(request: Request, scope: str) -> bool:
    """Whether a request has a scope: a session has every one, a token those it was made with."""
    return not isinstance(request.auth, ApiToken) or request.auth.allows(scope)


def only_as(request: Request) -> int | None:
    """The participant that the token of a request is bound to; None if it is bound to none."""
    return request.auth.participant_id if isinstance(request.auth, ApiToken) else None


def check_submits_as(request: Request, participant_id: int) -> None:
    """Raise ServiceError (`permission_denied`) if the token is bound to another participant."""
    if only_as(request) not in (None, participant_id):
        text = _("This token is bound to another participant.")
        raise ServiceError("permission_denied", text)


def may_read(request: Request) -> bool:
    """Whether a request may read what is private: a session, or a token made for reading."""
    return has_scope(request, "read") or has_scope(request, "organise")


def reader_of(request: Request) -> User | None:
    """The user whose permissions apply to reading lists; None for a token that may only submit."""
    return user_of(request) if may_read(request) else None


def check_reads(request: Request, challenge: Challenge) -> None:
    """Raise ServiceError (`permission_denied`) if the token may not read a private challenge, or
    a draft.
    """
    if challenge.is_hidden and not may_read(request):
        raise ServiceError("permission_denied", _needs_scope("read"))


def check_reads_own(request: Request) -> None:
    """Raise ServiceError (`permission_denied`) if the token may not read what is its user's."""
    if not may_read(request):
        raise ServiceError("permission_denied", _needs_scope("read"))


def check_reads_attempt(request: Request, attempt: Attempt) -> None:
    """Raise ServiceError (`permission_denied`) if the request may not read an attempt.

    The user who submitted it may always read it.
    """
    user = user_of(request)
    if user is None or attempt.submitted_by_id != user.pk:
        check_reads(request, attempt.challenge)


def user_of(request: Request) -> User | None:
    return request.user if isinstance(request.user, User) else None


def access_in(request: Request, challenge: Challenge) -> Access:
    """What the reader of a request sees of a challenge; decided once for each request."""
    accesses: dict[Any, Access] = request._request.__dict__.setdefault("_accesses", {})
    if challenge.pk not in accesses:
        reader = reader_of(request)
        accesses[challenge.pk] = access_of(
            challenge,
            Viewer(
                user=reader if reader and reader.is_active else None,
                sender=user_of(request),
                organises=_token_organises(request, challenge),
            ),
        )
    return accesses[challenge.pk]


def organises(request: Request, challenge: Challenge) -> bool:
    """Whether the request may configure the challenge."""
    return _role_in(request, challenge) is UserRole.ORGANISER


def reviews(request: Request, challenge: Challenge) -> bool:
    """Whether the answer may hold what organisers of the challenge see."""
    return _role_in(request, challenge) >= UserRole.REVIEWER


def _role_in(request: Request, challenge: Challenge) -> UserRole:
    """What the request is in the challenge; looked up once for each request."""
    user = user_of(request)
    if user is None or not _token_organises(request, challenge):
        return UserRole.NONE
    roles: dict[Any, UserRole] = request._request.__dict__.setdefault("_roles", {})
    if challenge.pk not in roles:
        roles[challenge.pk] = role_of(user, challenge)
    return roles[challenge.pk]


def _token_organises(request: Request, challenge: Challenge) -> bool:
    """Whether the request may organise or review the challenge if its user does.

    A token holds for its tenant, and for one challenge if it is bound to it.
    """
    token = request.auth
    if not isinstance(token, ApiToken):
        return True
    holds = token.tenant_id == challenge.tenant_id and token.is_for(challenge.pk)
    return holds and token.allows("organise")


def check_organises(request: Request, challenge: Challenge) -> None:
    """Raise ServiceError (`permission_denied`) unless the request may configure the challenge.

    Reviewers may make requests that only read.
    """
    if organises(request, challenge):
        return
    if not reviews(request, challenge):
        text = _("Only organisers of this challenge may do this.")
        raise ServiceError("permission_denied", text)
    if request.method not in SAFE_METHODS:
        text = _("You review this challenge: only its organisers may change something.")
        raise ServiceError("permission_denied", text)


def organises_tenant(request: Request, challenge: Challenge) -> bool:
    """Whether the request may change what belongs to the tenant of a challenge.

    A token that is bound to one challenge may not.
    """
    user, token = user_of(request), request.auth
    is_bound = isinstance(token, ApiToken) and token.challenge_id is not None
    return (
        user is not None
        and not is_bound
        and _token_organises(request, challenge)
        and user.organises(challenge.tenant_id)
    )


def tenant_for(request: Request, slug: str | None) -> Tenant:
    """The tenant of a new challenge: the named one, or the only one that the user organises.

    Raises ServiceError: `permission_denied` if the request may not configure it, `invalid` if there
    are several.
    """
    user, token = user_of(request), request.auth
    tenants = Tenant.objects.organised_by(user) if user else Tenant.objects.none()
    if isinstance(token, ApiToken):
        tenants = tenants.filter(pk=token.tenant_id)
    own_tenants = list(tenants.filter(slug=slug) if slug is not None else tenants[:2])
    if not own_tenants:
        raise ServiceError(
            "permission_denied", _("Only organisers of a tenant may create challenges.")
        )
    if len(own_tenants) > 1:
        text = _("must be the slug of one of your tenants, because you organise several; got none")
        raise invalid("tenant", text)
    return own_tenants[0]
