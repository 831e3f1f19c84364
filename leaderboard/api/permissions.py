"""What a request may do. A token never may more than its user."""

from __future__ import annotations

from typing import Any

from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from leaderboard.models import ApiToken, Attempt, Challenge, Tenant, User
from leaderboard.services.errors import ServiceError, invalid


class ScopeToWrite(BasePermission):
    """Reading is open to all; writing needs somebody signed in with the view's `scope`.

    What exists for somebody is decided by the querysets, whose tenant they organise below.
    """

    message = ""

    def has_permission(self, request: Request, view: APIView) -> bool:
        if request.method in SAFE_METHODS:
            return True
        scope = getattr(view, "scope", "")
        self.message = f"This needs a token with the scope {scope}."
        return request.user.is_authenticated and has_scope(request, scope)


def has_scope(request: Request, scope: str) -> bool:
    """A session has every scope; a token those it was made with."""
    return not isinstance(request.auth, ApiToken) or request.auth.allows(scope)


def may_read(request: Request) -> bool:
    """Whether a request may read what is private: a session, or a token made for reading."""
    return has_scope(request, "read") or has_scope(request, "organise")


def reader_of(request: Request) -> User | None:
    """Whose eyes a request reads lists with: nobody's for a token that may only submit."""
    return user_of(request) if may_read(request) else None


def check_reads(request: Request, challenge: Challenge) -> None:
    """Raises ServiceError, `permission_denied`: the token may not read a private challenge."""
    if challenge.visibility == Challenge.Visibility.PRIVATE and not may_read(request):
        raise ServiceError("permission_denied", "This needs a token with the scope read.")


def check_reads_attempt(request: Request, attempt: Attempt) -> None:
    """The same for an attempt. Whoever submitted it may see what becomes of it."""
    user = user_of(request)
    if user is None or attempt.submitted_by_id != user.pk:
        check_reads(request, attempt.challenge)


def user_of(request: Request) -> User | None:
    return request.user if isinstance(request.user, User) else None


def organises(request: Request, tenant_id: Any) -> bool:
    """May this request configure challenges of the tenant? Tokens do so in their own only."""
    user, token = user_of(request), request.auth
    if user is None or not has_scope(request, "organise"):
        return False
    if isinstance(token, ApiToken) and token.tenant_id != tenant_id:
        return False
    return user.organises(tenant_id)


def check_organises(request: Request, challenge: Challenge) -> None:
    """Raises ServiceError (`permission_denied`) unless the request may configure the challenge."""
    if not organises(request, challenge.tenant_id):
        raise ServiceError("permission_denied", "Only organisers of this challenge may do this.")


def tenant_for(request: Request, slug: str | None) -> Tenant:
    """The tenant of a new challenge: the one named, else the only one that may be meant.

    Raises ServiceError: `permission_denied` when it is not this request's, `invalid` when there are
    several.
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
