"""Signing in from a program without a browser, as RFC 8628 describes it."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from django.conf import settings
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework.exceptions import Throttled
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.operations import operation
from leaderboard.api.serializers.device import (
    DeviceCodeSerializer,
    DeviceSerializer,
    DeviceTokenSerializer,
    NewDeviceSerializer,
)
from leaderboard.api.serializers.errors import refusals
from leaderboard.api.views.base import ApiView
from leaderboard.cache.rates import address_of, wait_for
from leaderboard.http.links import absolute
from leaderboard.models import ApiToken, Challenge, Participant, Tenant, User
from leaderboard.services.accounts.device_logins import (
    LIFETIME,
    POLL_SECONDS,
    AgreedToken,
    answer_of,
    begin_login,
)
from leaderboard.services.errors import Code, ServiceError
from leaderboard.services.tokens import create_token

REFUSALS: Final[dict[str, Code]] = {
    "pending": "authorization_pending",
    "denied": "access_denied",
    "expired": "expired_token",
}


class DeviceView(ApiView):
    authentication_classes = []
    permission_classes = []

    @operation(
        operation_id="device_begin",
        summary="Ask for a token that a user agrees to in a browser",
        example={"name": "laptop", "scopes": ["read", "submit"]},
        request=NewDeviceSerializer,
        responses={200: DeviceSerializer, **refusals(400, 403, 413, 415)},
    )
    def post(self, request: Request) -> Response:
        """Show `verification_uri` and `user_code` to the user, and ask `device/token/` until then.

        The codes are valid for 15 minutes.
        """
        asked = NewDeviceSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        name = f"device:{address_of(request._request)}"
        if wait := wait_for(settings.THROTTLE_SIGN_IN, name):
            raise Throttled(wait=wait)
        codes = begin_login(**asked.validated_data)
        page = absolute(request._request, reverse("device"))
        answer = {
            **codes._asdict(),
            "verification_uri": page,
            "verification_uri_complete": f"{page}?code={codes.user_code}",
            "expires_in": int(LIFETIME.total_seconds()),
            "interval": POLL_SECONDS,
        }
        return Response(DeviceSerializer(answer).data)


class DeviceTokenView(ApiView):
    authentication_classes = []
    permission_classes = []

    @operation(
        operation_id="device_token",
        summary="Take the token once the user has agreed",
        example={"device_code": "GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS"},
        request=DeviceCodeSerializer,
        responses={200: DeviceTokenSerializer, **refusals(400, 403, 413, 415)},
    )
    def post(self, request: Request) -> Response:
        """400 until then: `authorization_pending`, `access_denied` or `expired_token`."""
        asked = DeviceCodeSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        answer = answer_of(asked.validated_data["device_code"])
        if isinstance(answer, str):
            raise ServiceError(REFUSALS[answer], _no_token(answer))
        token, text = _token(answer)
        body = {"access_token": text, "token_type": "Bearer", "scopes": token.scopes}
        return Response(DeviceTokenSerializer(body).data)


def _no_token(state: str) -> str:
    texts = {
        "pending": _("The user has not agreed yet."),
        "denied": _("The user does not agree."),
        "expired": _("This code is unknown, used or expired: begin again."),
    }
    return texts[state]


def _token(agreed: AgreedToken) -> tuple[ApiToken, str]:
    """The token that the user has agreed to. Raises ServiceError if it is no longer allowed."""
    user = User.objects.filter(pk=agreed["user"], is_active=True).first()
    if user is None:
        raise ServiceError(REFUSALS["denied"], _no_token("denied"))
    days = agreed["days"]
    return create_token(
        user=user,
        name=agreed["name"],
        scopes=agreed["scopes"],
        tenant=Tenant.objects.filter(pk=agreed["tenant"] or 0).first(),
        challenge=_challenge(agreed["challenge"]),
        participant=Participant.objects.filter(pk=agreed["participant"] or 0).first(),
        expires_at=timezone.now() + timedelta(days=days) if days else None,
    )


def _challenge(pk: str | None) -> Challenge | None:
    return Challenge.objects.select_related("tenant").filter(pk=pk).first() if pk else None
