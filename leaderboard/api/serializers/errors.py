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
    "changed",
    "too_large",
    "throttled",
    "closed",
    "not_open",
    "not_registered",
    "disqualified",
    "quota",
    "unavailable",
    "disk_full",
    "authorization_pending",
    "access_denied",
    "expired_token",
)
REASONS = {
    400: "Something in the request is wrong; `fields` says what.",
    401: "A token or a session is needed, or the token is unknown, revoked or expired.",
    403: "Not allowed with this token or session; or the challenge is not open.",
    404: "There is no such thing, or it is hidden from you.",
    406: "Only other formats than this one's were accepted.",
    409: "It contradicts what is there already.",
    412: "It has changed since you read it; `message` says who changed what.",
    413: "The body is too large.",
    415: "The body is of another content type.",
    429: "Too many requests or attempts; `Retry-After` says how long to wait, if that is known.",
    503: "Something that this needs does not answer; `Retry-After` says when to try again.",
    507: "The disk of the server is full; nothing was kept.",
}
WRONG_COUNT = 'must be a whole number from 0 to 1000000000000000, or null; got "5"'
EXAMPLES = {
    400: error_body(
        "invalid",
        f"metrics.tokens_total: {WRONG_COUNT}",
        {"metrics.tokens_total": [WRONG_COUNT]},
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
    register_at = serializers.CharField(
        required=False, help_text="Of `not_registered`: the page on which people register."
    )
    reason = serializers.CharField(
        required=False, help_text="Of `disqualified`: why, as everybody reads it."
    )
    appeal_at = serializers.CharField(
        required=False, help_text="Of `disqualified`: the page on which members answer."
    )
    opens_at = serializers.DateTimeField(
        required=False, help_text="Of `not_open`: from when on attempts are taken."
    )
    closed_at = serializers.DateTimeField(
        required=False, help_text="Of `closed`, if the phase has a date: since when none are taken."
    )

    quota = serializers.ChoiceField(
        choices=("per_day", "per_week", "per_month", "total", "at_once"),
        required=False,
        help_text="Of `quota`: the limit that is reached.",
    )
    limit = serializers.IntegerField(required=False, help_text="Of `quota`.")
    used = serializers.IntegerField(required=False, help_text="Of `quota`: attempts that count.")
    next_at = serializers.DateTimeField(
        required=False,
        allow_null=True,
        help_text="Of `quota`: when the next attempt is possible; null: not known, or never.",
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
