"""Disqualifying a participant of a challenge, and its appeal."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.permissions import user_of
from leaderboard.api.serializers.competition.registration import (
    RegistrationSerializer,
    registration_json,
)
from leaderboard.api.serializers.errors import refusals
from leaderboard.api.views.attempts import submitter
from leaderboard.api.views.base import ApiView, challenge_or_404, organised_challenge
from leaderboard.api.views.competition.registrations import registration_or_404
from leaderboard.api.views.dry_runs import change_operation
from leaderboard.schemas.disqualifications import APPEAL, DISQUALIFICATION
from leaderboard.schemas.openapi import openapi_shape
from leaderboard.services.competition.participants.disqualification import (
    appeal,
    disqualify,
    reinstate,
)


class DisqualificationView(ApiView):
    @change_operation(
        operation_id="disqualification_set",
        summary="Disqualify a participant",
        example={"reason": "Two accounts"},
        request={"application/json": openapi_shape(DISQUALIFICATION)},
        responses={200: RegistrationSerializer, **refusals(400, 403, 404, 413, 415)},
    )
    def put(self, request: Request, slug: str, participant: str) -> Response:
        """For organisers. It loses its rank with all its attempts, and may not submit. The board
        shows the reason. Sent again, it only changes the reason. All names of its accounts
        alone are disqualified together."""
        challenge = organised_challenge(request, slug)
        registration = registration_or_404(challenge, participant)
        disqualify(registration, request.data, by=user_of(request))
        return Response(registration_json(registration_or_404(challenge, participant)))

    @change_operation(
        operation_id="disqualification_undo",
        summary="Reinstate a disqualified participant",
        responses={200: RegistrationSerializer, **refusals(403, 404, 409)},
    )
    def delete(self, request: Request, slug: str, participant: str) -> Response:
        """For organisers. The board ranks its attempts again, and those of the names that were
        disqualified together with it."""
        challenge = organised_challenge(request, slug)
        reinstate(registration_or_404(challenge, participant), by=user_of(request))
        return Response(registration_json(registration_or_404(challenge, participant)))


class AppealView(ApiView):
    scope = "submit"

    @change_operation(
        operation_id="appeal_make",
        summary="Answer a disqualification",
        example={"text": "The second account belongs to a colleague."},
        request={"application/json": openapi_shape(APPEAL)},
        responses={200: RegistrationSerializer, **refusals(400, 403, 404, 409, 413, 415)},
    )
    def post(self, request: Request, slug: str) -> Response:
        """For members of a disqualified participant; organisers read the text. 404 if you do not
        take part."""
        challenge, user = challenge_or_404(request, slug), submitter(request)
        registration = appeal(challenge, user, request.data)
        return Response(
            registration_json(registration_or_404(challenge, registration.participant.slug))
        )
