"""What the organisers of a challenge announce."""

from __future__ import annotations

from uuid import UUID

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiResponse
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.operations import operation
from leaderboard.api.pagination import CURSOR, LIMIT, NewestAnnouncements
from leaderboard.api.permissions import user_of
from leaderboard.api.serializers.competition.announcement import (
    AnnouncementPageSerializer,
    AnnouncementSerializer,
    announcement_json,
)
from leaderboard.api.serializers.errors import refusals
from leaderboard.api.views.base import ApiView, challenge_or_404, organised_challenge
from leaderboard.api.views.dry_runs import change_operation
from leaderboard.schemas.announcements import ANNOUNCEMENT_CHANGE, NEW_ANNOUNCEMENT
from leaderboard.schemas.openapi import openapi_shape
from leaderboard.services.competition.organisers.announcements import (
    announce,
    announcements_of,
    change_announcement,
    remove_announcement,
)


class AnnouncementListView(ApiView):
    @operation(
        operation_id="announcements_list",
        summary="List the announcements of a challenge",
        parameters=[LIMIT, CURSOR],
        responses={200: AnnouncementPageSerializer, **refusals(400, 404)},
    )
    def get(self, request: Request, slug: str) -> Response:
        """For everybody who may see the challenge, the newest first."""
        challenge = challenge_or_404(request, slug)
        pages = NewestAnnouncements()
        rows = pages.paginate_queryset(announcements_of(challenge), request)
        return pages.get_paginated_response([announcement_json(row) for row in rows])

    @change_operation(
        operation_id="announcements_make",
        summary="Announce something",
        example={"title": "Two more weeks", "text": "The phase now ends on **30 June**."},
        request={"application/json": openapi_shape(NEW_ANNOUNCEMENT)},
        responses={
            201: AnnouncementSerializer,
            **refusals(400, 403, 404, 413, 415),
        },
    )
    def post(self, request: Request, slug: str) -> Response:
        """The board of the challenge shows the newest three."""
        challenge = organised_challenge(request, slug)
        made = announce(challenge, request.data, by=user_of(request))
        return Response(announcement_json(made), status.HTTP_201_CREATED)


class AnnouncementView(ApiView):
    @change_operation(
        operation_id="announcements_change",
        summary="Change an announcement",
        example={"title": "Three more weeks"},
        request={"application/json": openapi_shape(ANNOUNCEMENT_CHANGE)},
        responses={200: AnnouncementSerializer, **refusals(400, 403, 404, 413, 415)},
    )
    def patch(self, request: Request, slug: str, pk: UUID) -> Response:
        """Only the fields that are sent change. The date of the announcement stays."""
        challenge = organised_challenge(request, slug)
        changed = change_announcement(
            get_object_or_404(announcements_of(challenge), pk=pk), request.data, by=user_of(request)
        )
        return Response(announcement_json(changed))

    @change_operation(
        operation_id="announcements_remove",
        summary="Delete an announcement",
        responses={204: OpenApiResponse(description="It is done."), **refusals(403, 404)},
    )
    def delete(self, request: Request, slug: str, pk: UUID) -> Response:
        """The organisers' log keeps what it said."""
        challenge = organised_challenge(request, slug)
        announcement = get_object_or_404(announcements_of(challenge), pk=pk)
        remove_announcement(announcement, by=user_of(request))
        return Response(status=status.HTTP_204_NO_CONTENT)
