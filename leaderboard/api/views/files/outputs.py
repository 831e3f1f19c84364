from __future__ import annotations

from uuid import UUID

from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.operations import operation
from leaderboard.api.permissions import access_in, check_reads_attempt, reviews, user_of
from leaderboard.api.serializers.errors import refusals
from leaderboard.api.serializers.outputs import OUTPUT_EXAMPLES, OUTPUT_SHAPE
from leaderboard.api.views.base import CONFIGS, AnyAccept, ApiView
from leaderboard.models import Attempt
from leaderboard.services.attempts.read import Reading, read_attempts
from leaderboard.services.attempts.reading import ReadScore
from leaderboard.services.attempts.visibility import may_see_config
from leaderboard.services.errors import ServiceError
from leaderboard.services.evaluation.instances import may_see_references
from leaderboard.services.evaluation.output_documents import log_of, output_document


class OutputView(ApiView):
    content_negotiation_class = AnyAccept

    @operation(
        operation_id="attempts_output",
        summary="The output document of text evaluation",
        responses={200: OUTPUT_SHAPE, **refusals(404, 409)},
        examples=OUTPUT_EXAMPLES,
    )
    def get(self, request: Request, pk: UUID) -> Response:
        """An object for each text metric, as HarpIA Lab writes them.

        409 until the attempt is scored or has failed; 404 for an attempt without outputs of a
        model.
        """
        reading, score = _evaluated(request, pk)
        document = output_document(
            reading.attempt, score, sees_config=_sees_config(reading), decimals=reading.decimals
        )
        return Response(document, headers=_attached("output.json"))


class LogView(ApiView):
    content_negotiation_class = AnyAccept

    @operation(
        operation_id="attempts_log",
        summary="The log of text evaluation, a line for each instance and metric",
        responses={
            (200, "application/x-ndjson"): OpenApiTypes.STR,
            **refusals(403, 404, 409),
        },
    )
    def get(self, request: Request, pk: UUID) -> HttpResponseBase:
        """`{"instance_id", "id", "parameters", "result"}` and perhaps a `warning`, metric by metric
        in the order of the instances. A metric that failed has one line, with its `error`. If the
        challenge hides its references, only its organisers may read this.
        """
        reading, score = _evaluated(request, pk)
        if not reading.is_exact:
            text = _("This phase does not show exact scores, so its logs are the organisers'.")
            raise ServiceError("permission_denied", text)
        if not may_see_references(reading.attempt, organiser=reading.organiser):
            text = _(
                "This challenge does not show what it expects, so its logs are the organisers'."
            )
            raise ServiceError("permission_denied", text)
        return StreamingHttpResponse(
            log_of(reading.attempt, score, sees_config=_sees_config(reading)),
            content_type="application/x-ndjson",
            headers=_attached("log.jsonl"),
        )


def _evaluated(request: Request, pk: UUID) -> tuple[Reading, ReadScore]:
    """An evaluated attempt, and the score that its board uses."""
    user = user_of(request)
    attempts = Attempt.objects.visible_to(user).select_related(
        "participant", "scoring_config", *(f"challenge__{name}" for name in CONFIGS)
    )
    attempt = get_object_or_404(attempts, pk=pk, instance_count__isnull=False)
    challenge = attempt.challenge
    access = access_in(request, challenge)
    if not (access.sees(attempt) and access.sees_score(attempt)):
        raise NotFound
    check_reads_attempt(request, attempt)
    organiser = reviews(request, challenge)
    (reading,) = read_attempts(
        challenge, [attempt], reader=user, organiser=organiser, access=access
    )
    if reading.score_hidden:
        raise NotFound
    if reading.score is None:
        raise ServiceError(
            "conflict", _("The attempt is not evaluated yet; its `progress` says how far.")
        )
    reading.score.config = reading.config
    return reading, reading.score


def _sees_config(reading: Reading) -> bool:
    return may_see_config(reading.attempt.challenge, organiser=reading.organiser)


def _attached(name: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{name}"'}
