"""What the row of a participant is on the boards of a challenge."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.permissions import user_of
from leaderboard.api.serializers.competition.registration import (
    RegistrationSerializer,
    registration_json,
)
from leaderboard.api.serializers.errors import refusals
from leaderboard.api.views.base import ApiView, organised_challenge
from leaderboard.api.views.competition.registrations import registration_or_404
from leaderboard.api.views.dry_runs import change_operation
from leaderboard.schemas.openapi import openapi_shape
from leaderboard.schemas.row_kinds import PARTICIPANT_ROW
from leaderboard.services.competition.participants.row_kinds import set_row_kind


class RowKindView(ApiView):
    @change_operation(
        operation_id="row_set",
        summary="Take a participant's rows out of the ranking, or put them back",
        example={"row": "baseline"},
        request={"application/json": openapi_shape(PARTICIPANT_ROW)},
        responses={200: RegistrationSerializer, **refusals(400, 403, 404, 413, 415)},
    )
    def put(self, request: Request, slug: str, participant: str) -> Response:
        """For organisers. Rows of the kinds `baseline`, `human` and `out_of_competition` stand in
        their places without a rank, and change no rank of others."""
        challenge = organised_challenge(request, slug)
        registration = registration_or_404(challenge, participant)
        set_row_kind(registration, request.data, by=user_of(request))
        return Response(registration_json(registration_or_404(challenge, participant)))
