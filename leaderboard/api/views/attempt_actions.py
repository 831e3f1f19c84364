from __future__ import annotations

from uuid import UUID

from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.permissions import check_submits_as, organises, user_of
from leaderboard.api.serializers.attempt import OneAttemptSerializer
from leaderboard.api.serializers.attempt_actions import ReasonSerializer
from leaderboard.api.serializers.errors import refusals
from leaderboard.api.views.attempts import ONE, readings_of, visible_or_404
from leaderboard.api.views.base import ApiView
from leaderboard.api.views.dry_runs import change_operation
from leaderboard.services.scoring.attempt_actions import Action, act

ANSWERS = {200: OneAttemptSerializer, **refusals(400, 403, 404, 409, 413, 415)}


class CancelView(ApiView):
    scope = "submit"
    submits = True

    @change_operation(
        operation_id="attempts_cancel",
        summary="Cancel an attempt that is not scored yet",
        example={"reason": "Started with the wrong model"},
        request=ReasonSerializer,
        responses=ANSWERS,
    )
    def post(self, request: Request, pk: UUID) -> Response:
        """For its participant and organisers. It ends as `failed` with the code `cancelled`, is
        withdrawn, and counts towards no quota, unless its code has begun to run. 409 once it has
        ended."""
        return _acted(request, pk, "cancel")


class WithdrawView(ApiView):
    scope = "submit"
    submits = True

    @change_operation(
        operation_id="attempts_withdraw",
        summary="Withdraw an attempt",
        example={"reason": "The log shows that the answer was known"},
        request=ReasonSerializer,
        responses=ANSWERS,
    )
    def post(self, request: Request, pk: UUID) -> Response:
        """It stays readable, but the board no longer ranks it. Its participant may withdraw it
        once it is scored or has failed; organisers may at any time, and say why."""
        return _acted(request, pk, "withdraw")


class RestoreView(ApiView):
    @change_operation(
        operation_id="attempts_restore",
        summary="Restore a withdrawn attempt",
        request=None,
        responses=ANSWERS,
    )
    def post(self, request: Request, pk: UUID) -> Response:
        """For organisers. The board ranks it again."""
        return _acted(request, pk, "restore")


class RetryView(ApiView):
    @change_operation(
        operation_id="attempts_retry",
        summary="Score a failed attempt again",
        request=None,
        responses={**ANSWERS, 202: OneAttemptSerializer},
    )
    def post(self, request: Request, pk: UUID) -> Response:
        """For organisers. The attempt waits for a worker again, and counts towards no quota."""
        answer = _acted(request, pk, "retry")
        answer.status_code = status.HTTP_202_ACCEPTED
        return answer


def _acted(request: Request, pk: UUID, action: Action) -> Response:
    user = user_of(request)
    attempt = visible_or_404(request, pk)
    check_submits_as(request, attempt.participant_id)
    reason = ""
    if action in ("cancel", "withdraw"):
        asked = ReasonSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        reason = asked.validated_data["reason"]
    organiser = organises(request, attempt.challenge)
    act(attempt, action, user=user, organiser=organiser, reason=reason)
    (reading,) = readings_of(request, attempt.challenge, [attempt])
    return Response(ONE.to_representation(reading))
