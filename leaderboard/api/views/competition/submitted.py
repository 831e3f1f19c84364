"""What participants submitted, as files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from uuid import UUID

from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import NotFound
from rest_framework.request import Request

from leaderboard.api.files.attempts_zip import attempts_zip
from leaderboard.api.operations import operation
from leaderboard.api.permissions import (
    access_in,
    check_reads_attempt,
    reviews,
    user_of,
)
from leaderboard.api.schema import SWITCH
from leaderboard.api.serializers.errors import refusals
from leaderboard.api.views.base import CONFIGS, AnyAccept, ApiView, organised_challenge, switched_on
from leaderboard.api.views.phases import phase_or_404
from leaderboard.models import Attempt
from leaderboard.services.attempts.submitted import submitted_attempts, submitted_files
from leaderboard.services.competition.participants.ownership import is_own
from leaderboard.services.evaluation.instances import may_see_references

PHASE = OpenApiParameter("phase", str, description="The slug of a phase; all without it.")
COUNTING = OpenApiParameter(
    "counting", SWITCH, description="`1`: only the attempts that stand on a board."
)


class AttemptsZipView(ApiView):
    content_negotiation_class = AnyAccept

    @operation(
        operation_id="attempts_zip",
        summary="What everybody submitted, as one zip",
        parameters=[PHASE, COUNTING],
        responses={(200, "application/zip"): OpenApiTypes.BINARY, **refusals(400, 403, 404)},
    )
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        """For organisers: `attempts.csv`, and for each attempt a folder with `attempt.json` and, if
        there are any, `samples.jsonl` and `outputs.jsonl`. Samples of tasks that are private until
        the end of the phase are left out before it."""
        challenge = organised_challenge(request, slug)
        asked = request.query_params.get("phase", "")
        phase = phase_or_404(challenge, asked) if asked else None
        only_counting = switched_on(request, "counting")
        attempts = submitted_attempts(challenge, phase, only_counting=only_counting)
        name = "-".join(filter(None, (challenge.slug, asked, "attempts")))
        return StreamingHttpResponse(
            attempts_zip(challenge, attempts, reader=user_of(request)),
            content_type="application/zip",
            headers={"Content-Disposition": f'attachment; filename="{name}.zip"'},
        )


class OutputsView(ApiView):
    content_negotiation_class = AnyAccept

    @operation(
        operation_id="attempts_outputs",
        summary="The outputs that an attempt submitted, a line for each instance",
        responses={(200, "application/x-ndjson"): OpenApiTypes.STR, **refusals(404)},
    )
    def get(self, request: Request, pk: UUID) -> HttpResponseBase:
        """`{"id", "outputs"}`, and `input` and `references` if they were submitted. For the
        participant and organisers, and for everybody where references and results are public;
        then without instances that are private until the end of the phase."""
        related = (f"challenge__{name}" for name in CONFIGS)
        attempts = Attempt.objects.visible_to(user_of(request)).select_related(
            "participant", *related
        )
        attempt = get_object_or_404(attempts, pk=pk, instance_count__isnull=False)
        access = access_in(request, attempt.challenge)
        if not (access.sees(attempt) and access.sees_evidence(attempt)):
            raise NotFound
        organiser, user = reviews(request, attempt.challenge), user_of(request)
        is_involved = organiser or (user is not None and is_own(attempt, user))
        if not (is_involved or may_see_references(attempt, organiser=organiser)):
            raise NotFound
        check_reads_attempt(request, attempt)
        return StreamingHttpResponse(
            _lines(attempt, for_everybody=not is_involved),
            content_type="application/x-ndjson",
            headers={"Content-Disposition": 'attachment; filename="outputs.jsonl"'},
        )


def _lines(attempt: Attempt, *, for_everybody: bool) -> Iterator[str]:
    for line in submitted_files(attempt, for_everybody=for_everybody).outputs:
        yield json.dumps(line, ensure_ascii=False) + "\n"
