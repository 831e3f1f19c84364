"""Members who have joined a team after organisers had accepted it."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiResponse
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.operations import operation
from leaderboard.api.permissions import user_of
from leaderboard.api.serializers.competition.team import WaitingMemberSerializer
from leaderboard.api.serializers.errors import refusals
from leaderboard.api.views.base import ApiView, organised_challenge
from leaderboard.api.views.dry_runs import change_operation
from leaderboard.schemas.openapi import openapi_shape
from leaderboard.schemas.registration import MEMBER_DECISION
from leaderboard.services.competition.teams.new_members import decide_member, waiting_members


class WaitingMembersView(ApiView):
    @operation(
        operation_id="waiting_members_list",
        summary="List new members of teams who wait for a decision",
        responses={200: WaitingMemberSerializer(many=True), **refusals(403, 404)},
    )
    def get(self, request: Request, slug: str) -> Response:
        """For organisers, in the order in which they joined."""
        challenge = organised_challenge(request, slug)
        return Response(WaitingMemberSerializer(waiting_members(challenge), many=True).data)


class WaitingMemberView(ApiView):
    @change_operation(
        operation_id="waiting_members_decide",
        summary="Accept or decline a new member of a team",
        example={"status": "accepted"},
        request={"application/json": openapi_shape(MEMBER_DECISION)},
        responses={
            204: OpenApiResponse(description="It is done."),
            **refusals(400, 403, 404, 413, 415),
        },
    )
    def patch(self, request: Request, slug: str, username: str) -> Response:
        """For organisers. Who is declined leaves the team, and may join one again."""
        challenge = organised_challenge(request, slug)
        decide_member(challenge, username, by=user_of(request), fields=request.data)
        return Response(status=status.HTTP_204_NO_CONTENT)
