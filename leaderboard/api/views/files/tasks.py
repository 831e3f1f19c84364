from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import TypedDict
from uuid import UUID

from django.shortcuts import get_object_or_404
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.operations import operation
from leaderboard.api.permissions import access_in, check_reads_attempt, user_of
from leaderboard.api.queries import wrong_cursor
from leaderboard.api.serializers.errors import refusals
from leaderboard.api.serializers.tasks import TaskPageSerializer, TasksQuery
from leaderboard.api.views.base import AnyAccept, ApiView
from leaderboard.models import Attempt, Evidence
from leaderboard.rules.rewards.evidence import Sample


class SampleJson(TypedDict):
    """A sample of a task."""

    sample: int
    rewards: Mapping[str, float | None] | None
    usage: Mapping[str, float | int | None]
    error: str


class TasksView(ApiView):
    content_negotiation_class = AnyAccept

    @operation(
        operation_id="attempts_tasks",
        summary="Read the samples of an attempt, by task",
        parameters=[TasksQuery],
        responses={200: TaskPageSerializer, **refusals(400, 404)},
    )
    def get(self, request: Request, pk: UUID) -> Response:
        """As they were submitted. Declared tasks that were not run have no samples.

        Private tasks are left out until the end of the phase.
        """
        query = TasksQuery(data=request.query_params)
        query.is_valid(raise_exception=True)
        start, limit = int(query.validated_data["cursor"]), query.validated_data["limit"]
        visible = Attempt.objects.visible_to(user_of(request)).select_related(
            "scoring_config", "challenge"
        )
        attempt = get_object_or_404(visible, pk=pk)
        access = access_in(request, attempt.challenge)
        if not (access.sees(attempt) and access.sees_evidence(attempt)):
            raise NotFound
        check_reads_attempt(request, attempt)
        tasks = _tasks_of(attempt)
        if start > len(tasks):
            raise wrong_cursor(str(start))
        end = start + limit
        page = islice(tasks.items(), start, end)
        return Response(
            {
                "tasks": [{"task": task, "samples": _json(samples)} for task, samples in page],
                "total": len(tasks),
                "next": str(end) if end < len(tasks) else None,
            }
        )


def _tasks_of(attempt: Attempt) -> dict[str, Sequence[Sample]]:
    evidence = Evidence.objects.filter(attempt=attempt).first()
    if evidence is None:
        return {}
    shows = attempt.challenge.shown.shows(attempt.phase_id)
    stored_evidence = evidence.under(attempt.scoring_config, shows)
    return dict(zip(stored_evidence.tasks, stored_evidence.samples, strict=True))


def _json(samples: Sequence[Sample]) -> list[SampleJson]:
    return [
        {
            "sample": sample.sample,
            "rewards": sample.rewards,
            "usage": sample.usage or {},
            "error": sample.error,
        }
        for sample in samples
    ]
