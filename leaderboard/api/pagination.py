"""Pages by cursor: each begins after the last row of the page before.

`{"results": [...], "next": cursor or null}`, and the whole address in a `Link` header. Every page
costs the same, and rows that are added meanwhile neither repeat nor hide others.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet, Subquery
from drf_spectacular.utils import OpenApiParameter
from rest_framework.pagination import BasePagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import replace_query_param
from rest_framework.views import APIView

from leaderboard.api.queries import limit_in, wrong_cursor, wrong_limit
from leaderboard.http.links import absolute
from leaderboard.rules.json.untyped_dicts import OpenApiShape
from leaderboard.services.errors import invalid

USUAL_LIMIT, MAX_LIMIT = 50, 100
CURSOR_SHAPE = {
    "type": "string",
    "pattern": "^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})?$",
    "description": "The `next` of an earlier answer.",
}
LIMIT_SHAPE = {"type": "integer", "minimum": 1, "maximum": MAX_LIMIT}
CURSOR = OpenApiParameter("cursor", CURSOR_SHAPE)
LIMIT = OpenApiParameter("limit", LIMIT_SHAPE)


class CursorPages(BasePagination):
    """Pages of a list ordered by `first`, then by the id, both in the same direction.

    A cursor is the id of the last row. The database looks up its place, because a time that was
    converted to Python and back is not always equal to the stored one.
    """

    first: str
    descending = False

    def paginate_queryset(  # type: ignore[override]
        self, queryset: QuerySet[Any], request: Request, view: APIView | None = None
    ) -> list[Any]:
        self.request = request
        self.cursor: str | None = None
        sign = "-" if self.descending else ""
        ordered = queryset.order_by(f"{sign}{self.first}", f"{sign}pk")
        if cursor := request.query_params.get("cursor", ""):
            ordered = ordered.filter(self._after(queryset, cursor))
        limit = _limit(request.query_params.get("limit", ""))
        rows = list(ordered[: limit + 1])
        if len(rows) > limit:
            rows.pop()
            self.cursor = str(rows[-1].pk)
        return rows

    def get_paginated_response(self, data: Any) -> Response:
        headers = {}
        if self.cursor:
            here = absolute(self.request._request, self.request.get_full_path())
            headers["Link"] = f'<{replace_query_param(here, "cursor", self.cursor)}>; rel="next"'
        return Response({"results": data, "next": self.cursor}, headers=headers)

    def get_paginated_response_schema(self, schema: OpenApiShape) -> OpenApiShape:
        return {
            "type": "object",
            "required": ["results", "next"],
            "properties": {"results": schema, "next": {"type": "string", "nullable": True}},
        }

    def get_schema_operation_parameters(self, view: APIView) -> list[OpenApiShape]:
        return [
            _parameter("limit", LIMIT_SHAPE),
            _parameter("cursor", CURSOR_SHAPE),
        ]

    def _after(self, queryset: QuerySet[Any], cursor: str) -> Q:
        """A condition for the rows after the cursor's row, in a form that can use an index."""
        last = queryset.filter(pk=_id(cursor)).order_by()
        if not last.exists():
            raise wrong_cursor(cursor)
        place, side = Subquery(last.values(self.first)[:1]), "lt" if self.descending else "gt"
        beyond = Q(**{f"{self.first}__{side}": place}) | Q(**{f"pk__{side}": cursor})
        return Q(**{f"{self.first}__{side}e": place}) & beyond


class NewestFirst(CursorPages):
    """Attempts, the newest first by the time of submission."""

    first = "submitted_at"
    descending = True


class NewestRegistrations(CursorPages):
    """Registrations, the newest first."""

    first = "created_at"
    descending = True


class NewestAnnouncements(CursorPages):
    """Announcements, the newest first."""

    first = "at"
    descending = True


class ByName(CursorPages):
    """Challenges, by their names."""

    first = "name"


def _id(cursor: str) -> UUID:
    try:
        return UUID(cursor)
    except ValueError:
        raise wrong_cursor(cursor) from None


def _limit(text: str) -> int:
    limit = limit_in(text, MAX_LIMIT) if text else USUAL_LIMIT
    if limit is None:
        raise invalid("limit", wrong_limit(text, MAX_LIMIT))
    return limit


def _parameter(name: str, schema: OpenApiShape) -> OpenApiShape:
    return {"name": name, "in": "query", "required": False, "schema": schema}
