"""The table of people with their results, for organisers."""

from __future__ import annotations

from typing import Final

from django.http import HttpResponse
from django.utils.cache import patch_vary_headers
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from leaderboard.api.files.grades import grades_csv, grades_workbook
from leaderboard.api.files.spreadsheets import PLAIN, excel
from leaderboard.api.operations import operation
from leaderboard.api.permissions import check_organises
from leaderboard.api.serializers.errors import refusals
from leaderboard.api.views.base import AnyAccept, ApiView, challenge_or_404
from leaderboard.api.views.boards import board_in
from leaderboard.services.competition.visible.board import VisibleBoard

WORKBOOK: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
PHASE = OpenApiParameter(
    "phase", str, description="The slug of a phase; the one that the challenge shows without it."
)
FOR = OpenApiParameter("for", str, enum=["excel"], description="The form that Excel opens.")
LOCALE = OpenApiParameter(
    "locale", str, description="With `for=excel`: a language, instead of `Accept-Language`."
)


class GradesCsvView(ApiView):
    content_negotiation_class = AnyAccept

    @operation(
        operation_id="grades_csv",
        summary="People with their results, as CSV",
        parameters=[PHASE, FOR, LOCALE],
        responses={(200, "text/csv"): OpenApiTypes.STR, **refusals(400, 403, 404)},
    )
    def get(self, request: Request, slug: str) -> HttpResponse:
        """For organisers: a row for each registered participant, also for those without an attempt:
        members, addresses, answers, bracket, rank, best attempt and its values."""
        board, query = _board(request, slug), request.query_params
        is_excel = query.get("for") == "excel"
        languages = query.get("locale") or request.headers.get("Accept-Language", "")
        text = grades_csv(board, excel(languages) if is_excel else PLAIN)
        response = _attached(board, text, "text/csv; charset=utf-8", "csv")
        if is_excel:
            patch_vary_headers(response, ["Accept-Language"])
        return response


class GradesWorkbookView(ApiView):
    content_negotiation_class = AnyAccept

    @operation(
        operation_id="grades_workbook",
        summary="People with their results, as an Excel workbook",
        parameters=[PHASE],
        responses={(200, WORKBOOK): OpenApiTypes.BINARY, **refusals(400, 403, 404)},
    )
    def get(self, request: Request, slug: str) -> HttpResponse:
        """The table of `grades.csv`; numbers are numbers, and texts such as 0007 stay texts."""
        board = _board(request, slug)
        return _attached(board, grades_workbook(board), WORKBOOK, "xlsx")


def _board(request: Request, slug: str) -> VisibleBoard:
    """The board of the requested phase as organisers see it."""
    challenge = challenge_or_404(request, slug)
    check_organises(request, challenge)
    return board_in(request, challenge, request.query_params.get("phase", ""))


def _attached(board: VisibleBoard, content: str | bytes, kind: str, ending: str) -> HttpResponse:
    name = f"{board.challenge.slug}-grades.{ending}"
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return HttpResponse(content, content_type=kind, headers=headers)
