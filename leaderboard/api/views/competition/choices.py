"""Participants choose the attempts that count."""

from __future__ import annotations

from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.permissions import check_submits_as, organises, user_of
from leaderboard.api.serializers.attempt import OneAttemptSerializer
from leaderboard.api.serializers.errors import refusals
from leaderboard.api.views.attempts import ONE, readings_of, visible_or_404
from leaderboard.api.views.base import ApiView
from leaderboard.api.views.dry_runs import change_operation
from leaderboard.http.arrivals import moment_of
from leaderboard.services.competition.clock import time_of
from leaderboard.services.competition.schedule.choosing import choose, unchoose

ANSWERS = {200: OneAttemptSerializer, **refusals(403, 404, 409)}


class ChoiceView(ApiView):
    scope = "submit"
    submits = True

    @change_operation(
        operation_id="choice_set",
        summary="Choose an attempt to count",
        request=None,
        responses=ANSWERS,
    )
    def put(self, request: Request, pk: UUID) -> Response:
        """For its participant and organisers, in a phase whose `counting` is `chosen`. The best of
        the chosen attempts stands on the board. 409 if as many as `counted` are chosen, or after
        `choose_until`."""
        return self._set(request, pk, wanted=True)

    @change_operation(
        operation_id="choice_remove",
        summary="Take the choice of an attempt back",
        responses=ANSWERS,
    )
    def delete(self, request: Request, pk: UUID) -> Response:
        """For its participant and organisers."""
        return self._set(request, pk, wanted=False)

    def _set(self, request: Request, pk: UUID, *, wanted: bool) -> Response:
        attempt = visible_or_404(request, pk)
        check_submits_as(request, attempt.participant_id)
        organiser = organises(request, attempt.challenge)
        change = choose if wanted else unchoose
        at = time_of(moment_of(request.META))
        change(attempt, user=user_of(request), organiser=organiser, received_at=at)
        (reading,) = readings_of(request, attempt.challenge, [attempt])
        return Response(ONE.to_representation(reading))
