from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.operations import operation
from leaderboard.api.permissions import may_read, user_of
from leaderboard.api.serializers.errors import refusals
from leaderboard.api.serializers.me import MeSerializer
from leaderboard.api.views.base import ApiView
from leaderboard.http.links import absolute
from leaderboard.models import ApiToken, Participant
from leaderboard.models.api_token import SCOPES

API_NUMBER: Final = 2
"""Grows when something is added that clients may ask for; 1 had no `me/`."""
MOST_PARTICIPANTS: Final = 100


class MeView(ApiView):
    lists_challenges = True

    @operation(
        operation_id="me_read",
        summary="Who you are, and what you may do",
        responses={200: MeSerializer, **refusals(401)},
    )
    def get(self, request: Request) -> Response:
        """Also without signing in: then `user` is null. Programs read `api` from it."""
        user = user_of(request)
        token = request.auth if isinstance(request.auth, ApiToken) else None
        bound = token.participant if token else None
        mine = Participant.objects.none()
        if user and bound is None and may_read(request):
            mine = Participant.objects.of(user).select_related("tenant").order_by("handle")
        answer = {
            "user": user.username if user else None,
            "scopes": (token.scopes if token else SCOPES) if user else (),
            **_bounds(token),
            "participants": [bound] if bound else mine[:MOST_PARTICIPANTS],
            "api": API_NUMBER,
            "site": absolute(request._request, "/").rstrip("/"),
        }
        return Response(MeSerializer(answer).data)


def _bounds(token: ApiToken | None) -> Mapping[str, object]:
    """What a token is bound to, and until when it is valid."""
    if token is None:
        return dict.fromkeys(("tenant", "challenge", "participant", "expires_at"))
    return {
        "tenant": token.tenant and token.tenant.slug,
        "challenge": token.challenge and token.challenge.slug,
        "participant": token.participant and token.participant.slug,
        "expires_at": token.expiry,
    }
