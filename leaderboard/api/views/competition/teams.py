"""The team of the user in a challenge."""

from __future__ import annotations

from django.urls import reverse
from drf_spectacular.utils import OpenApiResponse
from rest_framework import status
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.operations import operation
from leaderboard.api.permissions import check_reads_own
from leaderboard.api.serializers.competition.team import (
    TeamLinkSerializer,
    TeamSerializer,
    team_json,
)
from leaderboard.api.serializers.errors import refusals
from leaderboard.api.views.attempts import submitter
from leaderboard.api.views.base import ApiView, challenge_or_404
from leaderboard.api.views.dry_runs import change_operation
from leaderboard.http.links import absolute
from leaderboard.models import Challenge
from leaderboard.schemas.openapi import openapi_shape
from leaderboard.schemas.teams import MEMBER_CHANGE, TEAM_CHANGE, TEAM_CODE
from leaderboard.services.accounts.team_links import join_by_code, make_team_link
from leaderboard.services.competition.teams.membership import (
    change_team,
    leave,
    make_captain,
    members_of,
    own_entry,
    remove_member,
)
from leaderboard.services.competition.teams.merge_requests import merge_asked, merges_offered
from leaderboard.services.errors import validated


class TeamView(ApiView):
    scope = "submit"

    @operation(
        operation_id="team_read",
        summary="Read your team",
        responses={200: TeamSerializer, **refusals(403, 404)},
    )
    def get(self, request: Request, slug: str) -> Response:
        """404 if you do not take part. A person who takes part alone is a team with one member.

        A token needs the scope `read`.
        """
        challenge = challenge_or_404(request, slug)
        check_reads_own(request)
        return team_of(request, challenge)

    @change_operation(
        operation_id="team_change",
        summary="Rename your team",
        example={"name": "Atlas and friends"},
        request={"application/json": openapi_shape(TEAM_CHANGE)},
        responses={200: TeamSerializer, **refusals(400, 403, 404, 409, 413, 415)},
    )
    def patch(self, request: Request, slug: str) -> Response:
        """For captains who own the name: it changes in all challenges of the tenant. Links to the
        former name redirect.
        """
        challenge = challenge_or_404(request, slug)
        body = validated(TEAM_CHANGE, request.data)
        change_team(challenge, submitter(request), handle=body.participant, name=body.name)
        return team_of(request, challenge)


class TeamLinksView(ApiView):
    scope = "submit"

    @change_operation(
        operation_id="team_links_make",
        summary="Invite somebody into your team",
        request=None,
        responses={201: TeamLinkSerializer, **refusals(403, 404, 409)},
    )
    def post(self, request: Request, slug: str) -> Response:
        """For captains. One person can join with each link, within 14 days.

        The link of a dry run opens nothing.
        """
        challenge = challenge_or_404(request, slug)
        link, code = make_team_link(challenge, submitter(request))
        address = f"{absolute(request._request, reverse('link'))}#{code}"
        made = {"code": code, "url": address, "expires_at": link.expires_at}
        return Response(TeamLinkSerializer(made).data, status.HTTP_201_CREATED)


class TeamJoinView(ApiView):
    scope = "submit"

    @change_operation(
        operation_id="team_join",
        summary="Join a team by the code of a link",
        example={"code": "CODE"},
        request={"application/json": openapi_shape(TEAM_CODE)},
        responses={200: TeamSerializer, **refusals(400, 403, 404, 409, 413, 415)},
    )
    def post(self, request: Request, slug: str) -> Response:
        """409 if the team is full, or if you take part already."""
        challenge = challenge_or_404(request, slug)
        body = validated(TEAM_CODE, request.data)
        join_by_code(challenge, body.code, submitter(request), body.answers)
        return team_of(request, challenge)


class TeamMemberView(ApiView):
    scope = "submit"

    @change_operation(
        operation_id="team_members_change",
        summary="Make another member the captain",
        example={"role": "captain"},
        request={"application/json": openapi_shape(MEMBER_CHANGE)},
        responses={200: TeamSerializer, **refusals(400, 403, 404, 413, 415)},
    )
    def patch(self, request: Request, slug: str, username: str) -> Response:
        """For captains. The new captain then owns the name of the team, if you own it."""
        challenge = challenge_or_404(request, slug)
        validated(MEMBER_CHANGE, request.data)
        make_captain(challenge, submitter(request), username)
        return team_of(request, challenge)

    @change_operation(
        operation_id="team_members_remove",
        summary="Leave your team, or remove a member",
        responses={204: OpenApiResponse(description="It is done."), **refusals(403, 404, 409)},
    )
    def delete(self, request: Request, slug: str, username: str) -> Response:
        """With your own name, you leave. A captain can remove other members. Attempts stay."""
        challenge, user = challenge_or_404(request, slug), submitter(request)
        if username == user.username:
            leave(challenge, user)
        else:
            remove_member(challenge, user, username)
        return Response(status=status.HTTP_204_NO_CONTENT)


def team_of(request: Request, challenge: Challenge) -> Response:
    """The team of the user. Raises NotFound if they do not take part."""
    own = own_entry(challenge, submitter(request))
    if own is None:
        raise NotFound
    team = own.participant
    asked, offered = merge_asked(challenge, team), merges_offered(challenge, team)
    return Response(team_json(own, members_of(challenge, team), asked, offered))
