"""Boards as files: a view for each format of `FORMATS`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Final, NamedTuple, Protocol

from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import patch_vary_headers
from drf_spectacular.types import OpenApiTypes
from rest_framework.request import Request

from leaderboard.api.conditional import conditional, unchanged
from leaderboard.api.files.board_csv import csv_text
from leaderboard.api.files.board_parquet import parquet
from leaderboard.api.files.board_state import state_json
from leaderboard.api.files.boards import jsonl, row_facts
from leaderboard.api.files.exports import document, markdown
from leaderboard.api.files.spreadsheets import Style, excel
from leaderboard.api.operations import operation
from leaderboard.api.serializers.board import BoardSerializer
from leaderboard.api.serializers.board_queries import CsvQuery, ExportGiven, ExportQuery
from leaderboard.api.serializers.errors import refusals
from leaderboard.api.views.base import AnyAccept, ApiView, challenge_or_404
from leaderboard.api.views.boards import (
    UNCHANGED,
    board_in,
    columns_in,
    meta_in,
    rows_in,
    unlisted_in,
)
from leaderboard.columns import Column
from leaderboard.http.kept_files import kept
from leaderboard.rules.visibility.meta_values import MetaField
from leaderboard.services.board.reading.reported_columns import Unlisted
from leaderboard.services.board.reading.row_filter import RowsAsked
from leaderboard.services.competition.visible.board import VisibleBoard


class WritesBoard(Protocol):
    """Writes a board as a file, in pieces."""

    def __call__(
        self,
        board: VisibleBoard,
        columns: Sequence[Column],
        unlisted: Unlisted | None,
        *,
        asked: RowsAsked,
        meta: Sequence[MetaField],
    ) -> Iterator[str] | Iterator[bytes]: ...


class FileFormat(NamedTuple):
    """A format of boards: how it is written, and how the API's documentation describes it.

    name: that of the route and of the operation. body: its type in the schema. charset: None for
    formats that have one of their own. is_exact: whether the same rows always have the same bytes.
    """

    name: str
    ending: str
    media_type: str
    write: WritesBoard
    summary: str
    description: str
    body: Any = OpenApiTypes.STR
    charset: str | None = None
    query: type[ExportQuery] = ExportQuery
    is_exact: bool = True

    @property
    def content_type(self) -> str:
        return f"{self.media_type}; charset={self.charset}" if self.charset else self.media_type


def _document(
    board: VisibleBoard,
    columns: Sequence[Column],
    unlisted: Unlisted | None,
    *,
    asked: RowsAsked,
    meta: Sequence[MetaField],
) -> Iterator[str]:
    state = state_json(board, columns, row_facts(board).certainty)
    return document(board, columns, unlisted, asked=asked, meta=meta, state=state)


FORMATS: Final = (
    FileFormat(
        "csv",
        "csv",
        "text/csv",
        csv_text,
        summary="The whole board as CSV",
        description="An empty cell is empty, and no name begins a formula. Programs read it as it"
        " is:\nUTF-8 without a byte order mark, commas and points; `for=excel` writes it for"
        " spreadsheets.",
        charset="utf-8",
        query=CsvQuery,
    ),
    FileFormat(
        "json",
        "json",
        "application/json",
        _document,
        summary="The whole board as one document",
        description="As a page of the board with all rows that are asked for.",
        body=BoardSerializer,
    ),
    FileFormat(
        "jsonl",
        "jsonl",
        "application/x-ndjson",
        jsonl,
        summary="The whole board, a row per line",
        description="The rows as in pages of the board, without loss.",
    ),
    FileFormat(
        "markdown",
        "md",
        "text/markdown",
        markdown,
        summary="The whole board as a table in Markdown",
        description="For people: values are rounded as on pages, in English. Programs read"
        " another format.",
        charset="utf-8",
    ),
    FileFormat(
        "parquet",
        "parquet",
        "application/vnd.apache.parquet",
        parquet,
        summary="The whole board as Parquet",
        description="The columns of the CSV, with types; undefined values are null.",
        body=OpenApiTypes.BINARY,
        is_exact=False,  # the writer puts the metadata of a file into any order
    ),
)


def file_view(kind: FileFormat) -> type[ApiView]:
    """The view of a format."""

    class BoardFileView(ApiView):
        content_negotiation_class = AnyAccept

        @operation(
            operation_id=f"leaderboard_{kind.name}",
            summary=kind.summary,
            description=kind.description,
            parameters=[kind.query],
            responses={
                (200, kind.media_type): kind.body,
                304: UNCHANGED,
                **refusals(400, 404),
            },
        )
        def get(self, request: Request, slug: str) -> HttpResponseBase:
            query = kind.query(data=request.query_params)
            query.is_valid(raise_exception=True)
            asked: ExportGiven = query.validated_data
            style = _spreadsheet(request, asked)
            response = _file(request, slug, kind, asked, style)
            if style and not asked.get("locale"):
                patch_vary_headers(response, ["Accept-Language"])
            return response

    return BoardFileView


def _spreadsheet(request: Request, asked: ExportGiven) -> Style | None:
    """The style of a CSV with `for=excel`; None for all other files."""
    if "for" not in asked:
        return None
    return excel(asked.get("locale") or request.headers.get("Accept-Language", ""))


def _file(
    request: Request, slug: str, kind: FileFormat, asked: ExportGiven, style: Style | None
) -> HttpResponseBase:
    """The rows that are asked for, streamed."""
    if same := unchanged(request, slug, style, is_exact=kind.is_exact):
        return same
    challenge = challenge_or_404(request, slug)
    board = board_in(request, challenge, asked["phase"])
    columns, wanted = columns_in(board, asked), rows_in(board, asked)
    write: WritesBoard = partial(csv_text, style=style) if style else kind.write

    def answer() -> HttpResponseBase:
        name = f"{challenge.slug}.{kind.ending}"
        unlisted = unlisted_in(board, asked, columns)
        meta = meta_in(board, asked)
        rows = wanted._replace(with_meta=bool(meta))
        return StreamingHttpResponse(
            write(board, columns, unlisted, asked=rows, meta=meta),
            content_type=kind.content_type,
            headers={"Content-Disposition": f'attachment; filename="{name}"'},
        )

    return _kept(conditional(request, board, answer, style, is_exact=kind.is_exact))


def _kept(response: HttpResponseBase) -> HttpResponseBase:
    """The answer, from the disk if the same file was rendered before. Its ETag says which it is."""
    if isinstance(response, StreamingHttpResponse) and "ETag" in response:
        rendered: Any = response.streaming_content
        response.streaming_content = kept(response["ETag"], rendered)
    return response
