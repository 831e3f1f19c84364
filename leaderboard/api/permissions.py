"""Permissions of requests. A token never has more permissions than its user."""

from __future__ import annotations

from typing import Any

from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from leaderboard.models import ApiToken, Attempt, Challenge, Tenant, User
from leaderboard.services.errors import ServiceError, invalid


class ScopeToWrite(BasePermission):
    """Reading is open to all; writing needs a signed-in user with the view's `scope`.

    Querysets decide which objects a user can see, and `organises` which tenants they may change.
    """

    message = ""

    def has_permission(self, request: Request, view: APIView) -> bool:
        if request.method in SAFE_METHODS:
            return True
        scope = getattr(view, "scope", "")
        self.message = f"This needs a token with the scope {scope}."
        return request.user.is_authenticated and has_scope(request, scope)


def has_scope(request: Request, scope: str) -> bool:
    """Whether a request has a scope: a session has every one, a token those it was made with."""
    return not isinstance(request.auth, ApiToken) or request.auth.allows(scope)


def may_read(request: Request) -> bool:
    """Whether a request may read what is private: a session, or a token made for reading."""
    return has_scope(request, "read") or has_scope(request, "organise")


def reader_of(request: Request) -> User | None:
    """The user whose permissions apply to reading lists; None for a token that may only submit."""
    return user_of(request) if may_read(request) else None


def check_reads(request: Request, challenge: Challenge) -> None:
    """Raise ServiceError (`permission_denied`) if the token may not read a private challenge."""
    if challenge.visibility == Challenge.Visibility.PRIVATE and not may_read(request):
        raise ServiceError("permission_denied", "This needs a token with the scope read.")


def check_reads_attempt(request: Request, attempt: Attempt) -> None:
    """Raise ServiceError (`permission_denied`) if the request may not read an attempt.

    The user who submitted it may always read it.
    """
    user = user_of(request)
    if user is None or attempt.submitted_by_id != user.pk:
        check_reads(request, attempt.challenge)


def user_of(request: Request) -> User | None:
    return request.user if isinstance(request.user, User) else None


def organises(request: Request, tenant_id: Any) -> bool:
    """Whether the request may configure a tenant's challenges; a token is bound to its tenant."""
    user, token = user_of(request), request.auth
    if user is None or not has_scope(request, "organise"):
        return False
    if isinstance(token, ApiToken) and token.tenant_id != tenant_id:
        return False
    return user.organises(tenant_id)


def check_organises(request: Request, challenge: Challenge) -> None:
    """Raise ServiceError (`permission_denied`) unless the request may configure the challenge."""
    if not organises(request, challenge.tenant_id):
        raise ServiceError("permission_denied", "Only organisers of this challenge may do this.")


def tenant_for(request: Request, slug: str | None) -> Tenant:
    """The tenant of a new challenge: the named one, or the only one that the user organises.

    Raises ServiceError: `permission_denied` if the request may not configure it, `invalid` if there
    are several.
    """
    user, token = user_of(request), request.auth
    tenants = Tenant.objects.organised_by(user) if user else Tenant.objects.none()
    if isinstance(token, ApiToken):
        tenants = tenants.filter(pk=token.tenant_id)
    found = list(tenants.filter(slug=slug) if slug is not None else tenants[:2])
    if not found:
        raise ServiceError(
            "permission_denied", "Only organisers of a tenant may create challenges."
        )
    if len(found) > 1:
        raise invalid("tenant", "you organise several: name one")
    return found[0]
