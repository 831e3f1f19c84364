from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from uuid import UUID

from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import APIException
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.bulk_parsers import JsonLine, LinesParser, ListParser
from leaderboard.api.errors import refusal
from leaderboard.api.operations import operation
from leaderboard.api.permissions import only_as, organises
from leaderboard.api.schema import SWITCH
from leaderboard.api.serializers.attempt import BulkSerializer
from leaderboard.api.serializers.errors import refusals
from leaderboard.api.serializers.new_attempt import ManyBody, NewAttemptBody
from leaderboard.api.throttling import who_asks
from leaderboard.api.views.admission_reports import verdicts_on_lines
from leaderboard.api.views.attempts import (
    IDEMPOTENCY_KEY,
    checked_attempt,
    idempotency_key,
    own_handle,
    submitter,
)
from leaderboard.api.views.base import ApiView, challenge_or_404, switched_on
from leaderboard.api.views.dry_runs import DRY_RUN, tried
from leaderboard.http.arrivals import moment_of
from leaderboard.rules.json.canonical import digest
from leaderboard.rules.json.values import JsonObject
from leaderboard.services.attempts.bulk_limits import count_lines
from leaderboard.services.attempts.new_attempts import UseKey
from leaderboard.services.attempts.submit import BulkResult, NewAttempt, submit_many
from leaderboard.services.competition.clock import time_of
from leaderboard.services.errors import ServiceError, invalid

Rejected = list[tuple[int, ServiceError | APIException]]

ATOMIC = OpenApiParameter(
    "atomic",
    SWITCH,
    description="`1`: when one line is wrong, nothing is accepted.",
)


class BulkView(ApiView):
    parser_classes = [LinesParser, ListParser]
    scope = "submit"
    submits = True

    @operation(
        operation_id="attempts_submit_many",
        summary="Submit many attempts",
        example={"attempts": [{"participant": "atlas", "metrics": {"rating": 8}}]},
        parameters=[ATOMIC, DRY_RUN, IDEMPOTENCY_KEY],
        request={"application/x-ndjson": NewAttemptBody, "application/json": ManyBody},
        responses={200: BulkSerializer, **refusals(400, 403, 404, 413, 415)},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Up to 10 000 attempts, one per line or as `{"attempts": [...]}`.

        A wrong attempt is rejected alone; `line` is its number, counted from 1. With an
        `Idempotency-Key` each line is saved once, even if the request is sent again.
        """
        challenge = challenge_or_404(request, slug)
        atomic = switched_on(request, "atomic")
        lines = _lines(request)
        received_at = time_of(moment_of(request.META))
        organiser = organises(request, challenge)
        if not organiser:
            count_lines(who_asks(request), len(lines))
        key = idempotency_key(request)
        read = partial(
            checked_attempt,
            organiser=organiser,
            default_participant=own_handle(request, challenge),
        )
        numbers, news, rejected = _checked(lines, read)
        uses = _uses(key, lines, numbers) if key else ()
        with tried(request):
            result = submit_many(
                challenge=challenge,
                user=submitter(request),
                news=news,
                organiser=organiser,
                atomic=atomic,
                dry_run=atomic and bool(rejected),
                uses=uses,
                received_at=received_at,
                only_as=only_as(request),
            )
            verdicts = verdicts_on_lines(request, challenge, _lines_of(result, numbers))
        answer = _answer(result, numbers, rejected)
        return Response({**answer, "admission": verdicts} if verdicts else answer)


def _lines_of(result: BulkResult, numbers: Sequence[int]) -> Mapping[UUID, int]:
    """The lines of the accepted attempts. numbers: as of `_answer`."""
    refused = {at for at, _ in result.rejected}
    lines = (number for at, number in enumerate(numbers) if at not in refused)
    return dict(zip((attempt.pk for attempt in result.accepted), lines, strict=False))


def _answer(result: BulkResult, numbers: Sequence[int], rejected: Rejected) -> JsonObject:
    """The body of the answer. numbers: the lines of the attempts in `result`, by position.

    rejected: the lines that were wrong before any attempt was saved.
    """
    refused = [*rejected, *((numbers[at], error) for at, error in result.rejected)]
    renamed = [
        {"line": numbers[at], "participant": {"sent": sent, "kept": kept}}
        for at, sent, kept in result.renamed
    ]
    return {
        "accepted": len(result.accepted),
        "rejected": [
            {"line": number, **refusal(error)}
            for number, error in sorted(refused, key=lambda numbered_error: numbered_error[0])
        ],
        "attempts": [str(attempt.pk) for attempt in result.accepted],
        **({"renamed": renamed} if renamed else {}),
    }


def _lines(request: Request) -> Sequence[JsonLine]:
    """The lines of the parsed body; an empty body, which is not JSON, has none."""
    lines = request.data
    if isinstance(lines, list):
        return lines
    if request.content_type.startswith(ListParser.media_type):
        raise invalid("attempts", _("is required, a list; got an empty body"))
    return []


def _uses(key: str, lines: Sequence[JsonLine], numbers: Sequence[int]) -> list[UseKey]:
    """The keys that make each line take effect only once: the request's key and its number."""
    stem = f"bulk:{hashlib.sha256(key.encode()).hexdigest()}"
    values = {line.number: line.value for line in lines}
    return [UseKey(f"{stem}:{number}", digest(values[number])) for number in numbers]


def _checked(
    lines: Sequence[JsonLine], read: Callable[[object], NewAttempt]
) -> tuple[list[int], list[NewAttempt], Rejected]:
    """The valid attempts with the numbers of their lines, and the rejected lines."""
    numbers: list[int] = []
    news: list[NewAttempt] = []
    rejected: Rejected = []
    for line in lines:
        try:
            if line.error is not None:
                raise line.error
            news.append(read(line.value))
            numbers.append(line.number)
        except (ServiceError, APIException) as error:
            rejected.append((line.number, error))
    return numbers, news, rejected
