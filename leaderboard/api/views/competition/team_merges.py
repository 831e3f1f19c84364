"""Merging of teams: one captain asks, and the other one accepts or refuses."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiResponse
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.serializers.competition.team import TeamSerializer
from leaderboard.api.serializers.errors import refusals
from leaderboard.api.views.attempts import submitter
from leaderboard.api.views.base import ApiView, challenge_or_404, switched_on
from leaderboard.api.views.competition.teams import team_of
from leaderboard.api.views.dry_runs import change_operation
from leaderboard.schemas.openapi import openapi_shape
from leaderboard.schemas.teams import MERGE_REQUEST
from leaderboard.services.competition.teams.merge_requests import (
    ask_to_merge,
    take_back_request,
)
from leaderboard.services.competition.teams.merging import accept_merge, refuse_merge
from leaderboard.services.errors import validated


class TeamMergeView(ApiView):
    scope = "submit"

    @change_operation(
        operation_id="team_merge_ask",
        summary="Ask to become a part of another team",
        example={"participant": "borealis"},
        request={"application/json": openapi_shape(MERGE_REQUEST)},
        responses={200: TeamSerializer, **refusals(400, 403, 404, 409, 413, 415, 429)},
    )
    def post(self, request: Request, slug: str) -> Response:
        """For captains. If the other captain accepts, all members and attempts move to that team.

        A new request replaces the one before. The answer does not tell whether a team has the name,
        or whether it can merge. A team asks another one once a day (429).
        """
        challenge = challenge_or_404(request, slug)
        body = validated(MERGE_REQUEST, request.data)
        dry_run = switched_on(request, "dry_run")
        ask_to_merge(challenge, submitter(request), body.participant, dry_run=dry_run)
        return team_of(request, challenge)

    @change_operation(
        operation_id="team_merge_take_back",
        summary="Take the request of your team back",
        responses={204: OpenApiResponse(description="It is done."), **refusals(403, 404)},
    )
    def delete(self, request: Request, slug: str) -> Response:
        """For captains."""
        take_back_request(challenge_or_404(request, slug), submitter(request))
        return Response(status=status.HTTP_204_NO_CONTENT)


class TeamMergeRequestView(ApiView):
    scope = "submit"

    @change_operation(
        operation_id="team_merge_accept",
        summary="Accept that another team becomes a part of yours",
        request=None,
        responses={200: TeamSerializer, **refusals(403, 404, 409)},
    )
    def post(self, request: Request, slug: str, participant: str) -> Response:
        """For captains. Refused (`conflict`) if the teams have too many members or attempts."""
        challenge = challenge_or_404(request, slug)
        accept_merge(challenge, submitter(request), participant)
        return team_of(request, challenge)

    @change_operation(
        operation_id="team_merge_refuse",
        summary="Refuse the request of another team",
        responses={204: OpenApiResponse(description="It is done."), **refusals(403, 404)},
    )
    def delete(self, request: Request, slug: str, participant: str) -> Response:
        """For captains."""
        refuse_merge(challenge_or_404(request, slug), submitter(request), participant)
        return Response(status=status.HTTP_204_NO_CONTENT)
