"""Boards in formats of the exchange: one view for all files of `leaderboard.exporters`."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.conditional import conditional
from leaderboard.api.files.exchange import exported_board
from leaderboard.api.operations import operation
from leaderboard.api.serializers.board_queries import ExportGiven, ExportQuery
from leaderboard.api.serializers.errors import refusals
from leaderboard.api.views.base import AnyAccept, ApiView, challenge_or_404
from leaderboard.api.views.boards import UNCHANGED, board_in, columns_in, meta_in, rows_in
from leaderboard.exporters import CannotExport, ExportedBoard, Exporter, known_exporters
from leaderboard.languages.translation import translated
from leaderboard.services.errors import ServiceError


class ExchangeFormatSerializer(serializers.Serializer[Any]):
    """A format of the exchange."""

    key = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    description = serializers.CharField()
    media_type = serializers.CharField(help_text="The type of the file, such as `application/zip`.")
    url = serializers.CharField()
    problem = serializers.CharField(
        allow_null=True, help_text="Why this board cannot be written in the format; null: it can."
    )


class ExportListView(ApiView):
    @operation(
        operation_id="exports_list",
        summary="List the formats of the exchange",
        parameters=[ExportQuery],
        responses={
            200: ExchangeFormatSerializer(many=True),
            **refusals(400, 403, 404, 413),
        },
    )
    def get(self, request: Request, slug: str) -> Response:
        """Each with the reason if the board cannot be written in it, as you see it."""
        board = _exported(request, slug)
        return Response(
            [
                {
                    "key": exporter.key,
                    "label": translated(exporter.label),
                    "description": translated(exporter.describes),
                    "media_type": exporter.media_type,
                    "url": reverse("api:exchange", args=[slug, exporter.key]),
                    "problem": translated(exporter.problem(board)) or None,
                }
                for exporter in known_exporters().values()
            ]
        )


class ExchangeView(ApiView):
    content_negotiation_class = AnyAccept

    @operation(
        operation_id="exports_read",
        summary="The board in a format of the exchange",
        parameters=[ExportQuery],
        responses={
            (200, "application/octet-stream"): OpenApiTypes.BINARY,
            304: UNCHANGED,
            **refusals(400, 403, 404, 409, 413),
        },
    )
    def get(self, request: Request, slug: str, key: str) -> HttpResponseBase:
        """409 with the reason if the format cannot say what the board says."""
        exporter = known_exporters().get(key)
        if exporter is None:
            raise NotFound
        query = ExportQuery(data=request.query_params)
        query.is_valid(raise_exception=True)
        board = board_in(request, challenge_or_404(request, slug), query.validated_data["phase"])
        return conditional(request, board, lambda: _file(request, slug, exporter))


def _file(request: Request, slug: str, exporter: Exporter) -> HttpResponse:
    try:
        content = exporter.file(_exported(request, slug))
    except CannotExport as refused:
        raise ServiceError("conflict", translated(refused.text)) from None
    name = f"{slug}.{exporter.ending}"
    return HttpResponse(
        content,
        content_type=exporter.media_type,
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


def _exported(request: Request, slug: str) -> ExportedBoard:
    query = ExportQuery(data=request.query_params)
    query.is_valid(raise_exception=True)
    asked: ExportGiven = query.validated_data
    board = board_in(request, challenge_or_404(request, slug), asked["phase"])
    columns, rows, meta = columns_in(board, asked), rows_in(board, asked), meta_in(board, asked)
    return exported_board(
        request, board, columns, asked=rows._replace(with_meta=bool(meta)), meta=meta
    )
