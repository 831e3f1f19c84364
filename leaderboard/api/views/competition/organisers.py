"""Who organises and reviews one challenge."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiResponse
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.operations import operation
from leaderboard.api.permissions import user_of
from leaderboard.api.serializers.competition.organiser import (
    OrganiserListSerializer,
    OrganiserSerializer,
    organiser_json,
    organisers_json,
)
from leaderboard.api.serializers.errors import refusals
from leaderboard.api.views.base import ApiView, organised_challenge
from leaderboard.api.views.dry_runs import change_operation
from leaderboard.schemas.openapi import openapi_shape
from leaderboard.schemas.roles import GIVEN_ROLE
from leaderboard.services.competition.organisers.appointing import (
    give_role,
    organisers_of,
    take_role,
)


class OrganiserListView(ApiView):
    @operation(
        operation_id="organisers_list",
        summary="List who organises and reviews a challenge",
        responses={200: OrganiserListSerializer, **refusals(403, 404)},
    )
    def get(self, request: Request, slug: str) -> Response:
        """For organisers and reviewers."""
        challenge = organised_challenge(request, slug)
        return Response(organisers_json(organisers_of(challenge)))


class OrganiserView(ApiView):
    @change_operation(
        operation_id="organisers_put",
        summary="Make somebody a co-organiser or a reviewer",
        example={"role": "reviewer"},
        request={"application/json": openapi_shape(GIVEN_ROLE)},
        responses={200: OrganiserSerializer, **refusals(400, 403, 404, 409, 413, 415)},
    )
    def put(self, request: Request, slug: str, username: str) -> Response:
        """For organisers. The address ends in a username or a confirmed e-mail address.

        Co-organisers may do everything in this challenge, and nothing in others. Reviewers see what
        organisers see, and change nothing. The new role replaces the one that somebody has here.
        """
        challenge = organised_challenge(request, slug)
        given = give_role(challenge, username, request.data, by=user_of(request))
        return Response(organiser_json(given))

    @change_operation(
        operation_id="organisers_remove",
        summary="End a role in a challenge",
        responses={204: OpenApiResponse(description="It is done."), **refusals(403, 404)},
    )
    def delete(self, request: Request, slug: str, username: str) -> Response:
        """For organisers. Organisers of the tenant have no role to end here."""
        challenge = organised_challenge(request, slug)
        take_role(challenge, username, by=user_of(request))
        return Response(status=status.HTTP_204_NO_CONTENT)
