"""The table of people with their results, for organisers."""

from __future__ import annotations

from typing import Final

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from leaderboard.api.files.grades import grades_table, grades_workbook
from leaderboard.api.files.spreadsheets import FOR, LOCALE, csv_file
from leaderboard.api.operations import operation
from leaderboard.api.serializers.errors import refusals
from leaderboard.api.views.base import AnyAccept, ApiView, organised_challenge
from leaderboard.api.views.boards import board_in
from leaderboard.services.competition.visible.board import VisibleBoard

WORKBOOK: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
PHASE = OpenApiParameter(
    "phase", str, description="The slug of a phase; the one that the challenge shows without it."
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
        board = _board(request, slug)
        return csv_file(request, f"{board.challenge.slug}-grades.csv", grades_table(board))


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
        name = f"{board.challenge.slug}-grades.xlsx"
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        headers["Cache-Control"] = "no-store"
        return HttpResponse(grades_workbook(board), content_type=WORKBOOK, headers=headers)


def _board(request: Request, slug: str) -> VisibleBoard:
    """The board of the requested phase as organisers see it."""
    challenge = organised_challenge(request, slug)
    return board_in(request, challenge, request.query_params.get("phase", ""))
