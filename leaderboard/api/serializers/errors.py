from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiExample, OpenApiResponse
from rest_framework import serializers

from leaderboard.api.errors import error_body

CODES = (
    "invalid",
    "not_authenticated",
    "permission_denied",
    "not_found",
    "conflict",
    "too_large",
    "throttled",
    "closed",
    "unavailable",
    "disk_full",
)
REASONS = {
    400: "Something in the request is wrong; `fields` says what.",
    401: "A token or a session is needed, or the token is unknown, revoked or expired.",
    403: "Not allowed with this token or session; or the challenge is closed.",
    404: "There is no such thing, or it is hidden from you.",
    406: "Only other formats than this one's were accepted.",
    409: "It contradicts what is there already.",
    413: "The body is too large.",
    415: "The body is of another content type.",
    429: "Too many requests, or attempts that wait; `Retry-After` says how long to wait.",
    503: "Something that this needs does not answer; `Retry-After` says when to try again.",
    507: "The disk of the server is full; nothing was kept.",
}
EXAMPLES = {
    400: error_body(
        "invalid",
        "metrics.tokens_total: must be a whole number",
        {"metrics.tokens_total": ["must be a whole number"]},
    ),
    403: error_body("closed", "Prompt escape takes no attempts any more."),
    404: error_body("not_found", "There is nothing here."),
}


class ErrorSerializer(serializers.Serializer[Any]):
    """What went wrong."""

    code = serializers.ChoiceField(choices=CODES)
    message = serializers.CharField()
    fields = serializers.DictField(  # type: ignore[assignment]
        child=serializers.ListField(child=serializers.CharField()),
        help_text="What is wrong with which field, by its path in the request.",
    )


class ErrorBodySerializer(serializers.Serializer[Any]):
    """The body of every answer that is not a success."""

    error = ErrorSerializer()


def refusals(*statuses: int) -> dict[int, OpenApiResponse]:
    """The documented errors of an operation; 400, 401, 406 and 429 are every operation's."""
    return {
        status: OpenApiResponse(
            ErrorBodySerializer,
            REASONS[status],
            [OpenApiExample("error", EXAMPLES[status])] if status in EXAMPLES else [],
        )
        for status in sorted({400, 401, 406, 429, *statuses})
    }
