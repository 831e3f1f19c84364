"""What the user is told of challenges."""

from __future__ import annotations

from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.operations import operation
from leaderboard.api.pagination import CURSOR, LIMIT, NewestAnnouncements
from leaderboard.api.permissions import reader_of
from leaderboard.api.serializers.errors import refusals
from leaderboard.api.serializers.notice import (
    NoticePageSerializer,
    NoticesReadSerializer,
    notice_json,
)
from leaderboard.api.views.base import ApiView
from leaderboard.api.views.dry_runs import change_operation
from leaderboard.models import ApiToken, Notice
from leaderboard.schemas.notices import READ_NOTICES
from leaderboard.schemas.openapi import openapi_shape
from leaderboard.services.notices.reading import notices_of, read_notices


class NoticeListView(ApiView):
    lists_challenges = True

    @operation(
        operation_id="notices_list",
        summary="List your notices",
        parameters=[LIMIT, CURSOR],
        responses={200: NoticePageSerializer, **refusals(400)},
    )
    def get(self, request: Request) -> Response:
        """The newest first, of what your token is for. Without signing in, there are none."""
        user, token = reader_of(request), _token(request)
        mine = Notice.objects.none()
        if user is not None and not (token and token.participant_id):
            mine = notices_of(user)
        if token is not None and token.tenant_id:
            mine = mine.filter(challenge__tenant=token.tenant_id)
        if token is not None and token.challenge_id:
            mine = mine.filter(challenge=token.challenge_id)
        pages = NewestAnnouncements()
        rows = pages.paginate_queryset(mine, request)
        return pages.get_paginated_response([notice_json(row) for row in rows])


class NoticesReadView(ApiView):
    scope = "read"

    @change_operation(
        operation_id="notices_read",
        summary="Mark notices as read",
        example={},
        request={"application/json": openapi_shape(READ_NOTICES)},
        responses={200: NoticesReadSerializer, **refusals(400, 403, 413, 415)},
    )
    def post(self, request: Request) -> Response:
        """Those of which you send the ids, or all. Tokens for one challenge may not."""
        user, token = reader_of(request), _token(request)
        if user is None or (token and (token.challenge_id or token.participant_id)):
            raise PermissionDenied
        tenant = token.tenant_id if token else None
        return Response({"read": read_notices(user, request.data, tenant=tenant)})


def _token(request: Request) -> ApiToken | None:
    return request.auth if isinstance(request.auth, ApiToken) else None
