from __future__ import annotations

from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.attempt_files import stated_digest
from leaderboard.api.operations import operation
from leaderboard.api.parsers import PieceParser
from leaderboard.api.permissions import user_of
from leaderboard.api.serializers.errors import refusals
from leaderboard.api.serializers.files import NewUploadSerializer, UploadStateSerializer
from leaderboard.api.views.attempts import CONTENT_DIGEST, submitter
from leaderboard.api.views.base import ApiView
from leaderboard.api.views.dry_runs import change_operation
from leaderboard.models import UploadInPieces
from leaderboard.services.errors import invalid
from leaderboard.services.files.uploads import MAX_PIECE, add_piece, begin_upload, own_upload

OFFSET = OpenApiParameter(
    "Upload-Offset",
    {"type": "integer", "minimum": 0},
    OpenApiParameter.HEADER,
    required=True,
    description="Where the piece begins: the number of bytes that are there.",
)


class UploadListView(ApiView):
    scope = "submit"
    submits = True

    @change_operation(
        operation_id="uploads_begin",
        summary="Announce a large file",
        example={"name": "predictions.parquet", "size": 734003200, "sha256": "9f86d081" * 8},
        request=NewUploadSerializer,
        responses={201: UploadStateSerializer, **refusals(400, 403, 413, 415, 429, 503)},
    )
    def post(self, request: Request) -> Response:
        """It then arrives in pieces, and an attempt names it by its id. It is kept for a day."""
        sent = NewUploadSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        upload = begin_upload(submitter(request), **sent.validated_data)
        return _state(upload, status.HTTP_201_CREATED)


class UploadView(ApiView):
    parser_classes = [PieceParser]
    scope = "submit"
    submits = True

    @operation(
        operation_id="uploads_read",
        summary="How much of a large file is there",
        responses={200: UploadStateSerializer, **refusals(404)},
    )
    def get(self, request: Request, pk: UUID) -> Response:
        """The header `Upload-Offset` says where to go on, also for HEAD."""
        return _state(own_upload(user_of(request), pk))

    @operation(
        operation_id="uploads_add",
        summary="Send a piece of a large file",
        parameters=[OFFSET, CONTENT_DIGEST],
        request={"application/octet-stream": {"type": "string", "format": "binary"}},
        responses={200: UploadStateSerializer, **refusals(400, 403, 404, 409, 413, 415)},
    )
    def patch(self, request: Request, pk: UUID) -> Response:
        """Up to 32 MiB. 409 says at which offset to go on. `Content-Digest` states its SHA-256."""
        upload = own_upload(submitter(request), pk)
        body: Any = request.data
        piece = body if isinstance(body, bytes) else b""
        offset = request.headers.get("Upload-Offset", "")
        if not (offset.isascii() and offset.isdecimal() and len(offset) <= len(str(1 << 40))):
            raise invalid("Upload-Offset", _("must be a number of bytes"), got=offset)
        return _state(add_piece(upload, int(offset), piece, stated_digest(request)))


def _state(upload: UploadInPieces, code: int = status.HTTP_200_OK) -> Response:
    body = UploadStateSerializer(upload).data
    headers = {"Upload-Offset": str(upload.received), "Cache-Control": "no-store"}
    return Response({**body, "most": MAX_PIECE}, code, headers=headers)
