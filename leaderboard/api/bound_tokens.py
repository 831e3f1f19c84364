"""Tokens that are bound to a challenge.

A request with such a token about anything else is one without a token, and may not write.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.contrib.auth.models import AnonymousUser
from django.db.models import Q
from django.utils.translation import gettext as _
from rest_framework.exceptions import NotFound
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request

from leaderboard.api.permissions import reader_of
from leaderboard.models import ApiToken, Attempt, Challenge
from leaderboard.models.challenge import ChallengeQuerySet
from leaderboard.services.errors import ServiceError


def bound_to(request: Request) -> UUID | None:
    """The challenge that the token of a request is bound to; None if it is bound to none."""
    return request.auth.challenge_id if isinstance(request.auth, ApiToken) else None


def keep_to_challenge(request: Request, named: Mapping[str, Any]) -> None:
    """Forget a token that is bound to another challenge than the one that the address names.

    named: the names and values in the address. Raises NotFound for a change of another challenge,
    ServiceError (`permission_denied`) for one of no challenge.
    """
    challenge_id = bound_to(request)
    if challenge_id is None or _is_about(challenge_id, named):
        return
    if request.method in SAFE_METHODS:
        request.user, request.auth = AnonymousUser(), None
    elif named:
        raise NotFound
    else:
        raise ServiceError("permission_denied", _("This token is bound to one challenge."))


def listed_challenges(request: Request) -> ChallengeQuerySet:
    """The challenges in the reader's list: of those that are not public, only what a bound token is
    for.
    """
    listed, challenge_id = Challenge.objects.listed_for(reader_of(request)), bound_to(request)
    if challenge_id is None:
        return listed
    public = Challenge.objects.listed_for(None)
    return listed.filter(Q(pk=challenge_id) | Q(pk__in=public.values("pk")))


def _is_about(challenge_id: UUID, named: Mapping[str, Any]) -> bool:
    """Whether an address is about this challenge or one of its attempts."""
    if "slug" in named:
        return Challenge.objects.filter(pk=challenge_id, slug=named["slug"]).exists()
    if "pk" in named:
        return Attempt.objects.filter(pk=named["pk"], challenge=challenge_id).exists()
    return False
