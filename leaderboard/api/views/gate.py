from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.operations import operation
from leaderboard.api.parsers import AttemptParser, FileParser
from leaderboard.api.permissions import access_in
from leaderboard.api.serializers.compare import GateQuery, GateSerializer
from leaderboard.api.serializers.errors import refusals
from leaderboard.api.serializers.imports import UploadSerializer
from leaderboard.api.serializers.new_attempt import NewAttemptBody
from leaderboard.api.views.attempts import checked_attempt
from leaderboard.api.views.base import ApiView, challenge_or_404
from leaderboard.api.views.boards import board_in
from leaderboard.api.views.compare import attempt_in
from leaderboard.importers import ImportFailed, Source
from leaderboard.languages.translation import translated
from leaderboard.models import Attempt, Challenge
from leaderboard.rules.rewards.evidence import Sample
from leaderboard.rules.texts.quoting import sent
from leaderboard.services.attempts.evidence import RewardsByTask
from leaderboard.services.attempts.gates import gate_candidate
from leaderboard.services.competition.visible.compared import metric_json
from leaderboard.services.errors import ServiceError, invalid
from leaderboard.services.imports.contents import SentResults
from leaderboard.services.imports.jobs import rows_for_a_worker, too_many_rows
from leaderboard.services.imports.previews import samples_of

CANDIDATE = "candidate"
"""The name of a candidate that has none: nothing is stored under it."""


class GateView(ApiView):
    parser_classes = [AttemptParser, FileParser]
    scope = "submit"
    submits = True
    keeps_nothing = True

    @operation(
        operation_id="leaderboard_gate",
        summary="Compare a candidate with a baseline, and keep nothing",
        example={"task_rewards": {"task-1": [1.0], "task-2": [0.0]}},
        parameters=[GateQuery],
        request={"application/json": NewAttemptBody, "multipart/form-data": UploadSerializer},
        responses={200: GateSerializer, **refusals(400, 403, 404, 413, 415)},
    )
    def post(self, request: Request, slug: str) -> Response:
        """The samples of an attempt, or a result file of one agent. It stands on no board.

        The comparison is that of `compare/`, and needs the same permission to see the baseline.
        """
        challenge = challenge_or_404(request, slug)
        samples, task_rewards = _candidate(challenge, request.data)
        query = GateQuery(data=request.query_params)
        query.is_valid(raise_exception=True)
        asked = query.validated_data
        baseline = _baseline(request, challenge, asked["baseline"])
        gate = gate_candidate(
            challenge,
            samples,
            task_rewards,
            baseline,
            access_in(request, challenge),
            require=asked["require"],
            margin=asked.get("margin"),
            key=asked.get("metric", ""),
        )
        who = access_in(request, challenge).participant(baseline.participant, baseline.phase_id)
        answer = {
            "state": gate.verdict.state,
            "reason": translated(gate.verdict.reason),
            "metric": gate.metric.column.key,
            "require": asked["require"],
            "margin": asked.get("margin"),
            "baseline": {
                "attempt": baseline.pk,
                "participant": who.slug,
                "html_url": baseline.get_absolute_url(),
            },
            "metrics": [metric_json(metric) for metric in gate.metrics],
        }
        return Response(GateSerializer(answer).data)


def _baseline(request: Request, challenge: Challenge, named: str) -> Attempt:
    """An attempt by its id, or the one that counts of a participant on the current board."""
    try:
        return attempt_in(request, challenge, "baseline", UUID(named))
    except ValueError:
        board = board_in(request, challenge)
    called = board.access.called(challenge, named)
    row = board.standing_of(called.participant) if called else None
    if row is None or row.attempt_id is None:
        text = _("must be the id of an attempt, or a participant on the board; got {sent}")
        text = text.format(sent=sent(named))
        raise ServiceError("not_found", f"baseline: {text}", {"baseline": [text]})
    return attempt_in(request, challenge, "baseline", row.attempt_id)


def _candidate(challenge: Challenge, body: Any) -> tuple[Sequence[Sample], RewardsByTask]:
    """The samples, or the rewards by task, of a body or of a result file."""
    if not hasattr(body, "getlist"):
        new = checked_attempt(body, organiser=False, default_participant=lambda: CANDIDATE)
        return new.samples, new.task_rewards
    asked = UploadSerializer(data=body)
    asked.is_valid(raise_exception=True)
    upload = asked.validated_data["file"]
    try:
        source = Source.open(upload.file, upload.name or "upload")
    except ImportFailed as error:
        raise invalid("file", error.text) from None
    with source:
        form = asked.validated_data.get("format", "")
        if rows := rows_for_a_worker(source, form):
            raise too_many_rows(rows)
        file = SentResults(challenge, source, CANDIDATE, form, (), None)
        attempts = file.contents(None, organiser=False).attempts
        if len(attempts) != 1:
            raise invalid("file", _("must hold the results of one agent"), got=len(attempts))
        return samples_of(attempts[0]), {}
