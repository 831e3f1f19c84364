"""Extra attempts that organisers give to a participant."""

from __future__ import annotations

from typing import Final

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiResponse
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.operations import operation
from leaderboard.api.permissions import user_of
from leaderboard.api.serializers.competition.grant import (
    GrantListSerializer,
    GrantSerializer,
    grant_json,
)
from leaderboard.api.serializers.errors import refusals
from leaderboard.api.views.base import ApiView, organised_challenge
from leaderboard.api.views.dry_runs import change_operation
from leaderboard.schemas.grants import NEW_GRANT
from leaderboard.schemas.openapi import openapi_shape
from leaderboard.services.competition.quotas.grants import give_extra, grants_of, take_back

MOST_LISTED: Final = 1_000


class GrantListView(ApiView):
    @operation(
        operation_id="grants_list",
        summary="List extra attempts",
        responses={200: GrantListSerializer, **refusals(400, 403, 404)},
    )
    def get(self, request: Request, slug: str) -> Response:
        """For organisers, the newest 1000 grants."""
        challenge = organised_challenge(request, slug)
        grants = grants_of(challenge)[:MOST_LISTED]
        return Response({"results": [grant_json(grant) for grant in grants]})

    @change_operation(
        operation_id="grants_give",
        summary="Give extra attempts",
        example={"participant": "atlas", "phase": "main", "extra": 2, "reason": "Outage on Monday"},
        request={"application/json": openapi_shape(NEW_GRANT)},
        responses={201: GrantSerializer, **refusals(400, 403, 404, 413, 415)},
    )
    def post(self, request: Request, slug: str) -> Response:
        """To one participant, or to all, on top of each limit per day, per week and in total of one
        phase. With an `until` after its end, the phase stays open for this participant until then,
        and attempts are late by agreement."""
        challenge = organised_challenge(request, slug)
        grant = give_extra(challenge, request.data, by=user_of(request))
        return Response(grant_json(grant), status.HTTP_201_CREATED)


class GrantView(ApiView):
    @change_operation(
        operation_id="grants_take_back",
        summary="Take extra attempts back",
        responses={204: OpenApiResponse(description="It is done."), **refusals(403, 404)},
    )
    def delete(self, request: Request, slug: str, pk: int) -> Response:
        """Attempts that were made still count."""
        challenge = organised_challenge(request, slug)
        take_back(get_object_or_404(grants_of(challenge), pk=pk), by=user_of(request))
        return Response(status=status.HTTP_204_NO_CONTENT)
