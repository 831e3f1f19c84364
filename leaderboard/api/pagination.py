"""Pages behind a cursor: the rest of a list after the last row of the page before.

`{"results": [...], "next": cursor or null}`, and the whole address in a `Link` header. A cursor
holds the values that the list is ordered by, so a page costs the same wherever it is, and rows
that come in between neither repeat nor hide others.
"""

from __future__ import annotations

import base64
import binascii
import json
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Model, Q, QuerySet
from rest_framework.pagination import BasePagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import replace_query_param
from rest_framework.views import APIView

from leaderboard.services.refused import invalid

LIMIT, MAX_LIMIT = 50, 100


class CursorPages(BasePagination):
    """Pages of a list ordered by `first`, then by the id, both in the same direction."""

    first: str
    descending = False

    def paginate_queryset(  # type: ignore[override]
        self, queryset: QuerySet[Any], request: Request, view: APIView | None = None
    ) -> list[Any]:
        self.request = request
        self.cursor: str | None = None
        sign = "-" if self.descending else ""
        found = queryset.order_by(f"{sign}{self.first}", f"{sign}pk")
        if cursor := request.query_params.get("cursor", ""):
            found = found.filter(self._after(cursor))
        limit = _limit(request.query_params.get("limit", ""))
        rows = list(found[: limit + 1])
        if len(rows) > limit:
            rows.pop()
            self.cursor = self._encoded(rows[-1])
        return rows

    def get_paginated_response(self, data: Any) -> Response:
        headers = {}
        if self.cursor:
            here = self.request.build_absolute_uri()
            headers["Link"] = f'<{replace_query_param(here, "cursor", self.cursor)}>; rel="next"'
        return Response({"results": data, "next": self.cursor}, headers=headers)

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        return {
            "type": "object",
            "required": ["results", "next"],
            "properties": {
                "results": schema,
                "next": {"type": "string", "nullable": True},
            },
        }

    def get_schema_operation_parameters(self, view: APIView) -> list[dict[str, Any]]:
        return [
            _parameter("limit", {"type": "integer", "minimum": 1, "maximum": MAX_LIMIT}),
            _parameter("cursor", {"type": "string"}),
        ]

    def _after(self, cursor: str) -> Q:
        value, pk = self._decoded(cursor)
        side = "lt" if self.descending else "gt"
        return Q(**{f"{self.first}__{side}": value}) | Q(**{self.first: value, f"pk__{side}": pk})

    def _encoded(self, row: Model) -> str:
        value = getattr(row, self.first)
        text = json.dumps(
            [value.isoformat() if isinstance(value, datetime) else value, str(row.pk)]
        )
        return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")

    def _decoded(self, cursor: str) -> tuple[Any, UUID]:
        try:
            text = base64.b64decode(cursor + "=" * (-len(cursor) % 4), b"-_", validate=True)
            value, pk = json.loads(text)
            return self.read(value), UUID(pk)
        except (binascii.Error, ValueError, TypeError, AttributeError, RecursionError):
            raise invalid("cursor", "must be the `next` of an earlier answer") from None

    def read(self, value: Any) -> Any:
        """What `first` is compared with. Raises ValueError."""
        raise NotImplementedError


class NewestFirst(CursorPages):
    """Attempts, by the time that they were submitted."""

    first = "submitted_at"
    descending = True

    def read(self, value: Any) -> datetime:
        moment = datetime.fromisoformat(value)
        if moment.tzinfo is None:
            raise ValueError
        return moment


class ByName(CursorPages):
    """Challenges, by their names."""

    first = "name"

    def read(self, value: Any) -> str:
        if not isinstance(value, str) or "\0" in value or not _is_unicode(value):
            raise ValueError
        return value


def _is_unicode(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)


def _limit(text: str) -> int:
    if not text:
        return LIMIT
    if text.isascii() and text.isdecimal() and len(text) < 6 and 1 <= int(text) <= MAX_LIMIT:
        return int(text)
    raise invalid("limit", f"must be a whole number from 1 to {MAX_LIMIT}")


def _parameter(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "in": "query", "required": False, "schema": schema}
