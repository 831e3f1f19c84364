"""What organisers do with a phase, beside changing it with its challenge."""

from __future__ import annotations

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.operations import operation
from leaderboard.api.permissions import user_of
from leaderboard.api.schema import SWITCH
from leaderboard.api.serializers.challenge import ChallengeSerializer
from leaderboard.api.serializers.competition.advance import AdvanceSerializer
from leaderboard.api.serializers.errors import refusals
from leaderboard.api.views.base import ApiView, organised_challenge, switched_on
from leaderboard.api.views.challenges import challenge_for
from leaderboard.api.views.dry_runs import change_operation
from leaderboard.models import Challenge, Phase
from leaderboard.schemas.advances import ADVANCE
from leaderboard.schemas.openapi import openapi_shape
from leaderboard.services.attempts.advance import advance
from leaderboard.services.competition.schedule.ending import confirm_end
from leaderboard.services.competition.schedule.reveal import reveal
from leaderboard.services.errors import validated

DRY_RUN = OpenApiParameter("dry_run", SWITCH, description="`1`: only say who would move.")


class AdvanceView(ApiView):
    @operation(
        operation_id="phases_advance",
        summary="Move the best attempts of a phase into the next one",
        example={"best": 20},
        parameters=[DRY_RUN],
        request={"application/json": openapi_shape(ADVANCE)},
        responses={200: AdvanceSerializer, **refusals(400, 403, 404, 409, 413, 415)},
    )
    def post(self, request: Request, slug: str, phase: str) -> Response:
        """For organisers, once for each phase, after it has closed and all its attempts are scored.
        The copies count towards no limit."""
        challenge = organised_challenge(request, slug)
        dry_run = switched_on(request, "dry_run")
        asked = validated(ADVANCE, request.data)
        phase_row = phase_or_404(challenge, phase)
        done = advance(phase_row, asked, user=user_of(request), dry_run=dry_run)
        return Response(AdvanceSerializer(done).data)


def phase_or_404(challenge: Challenge, slug: str) -> Phase:
    """A phase of a challenge by its slug. Raises Http404."""
    return get_object_or_404(challenge.phases, slug=slug)


class RevealView(ApiView):
    @change_operation(
        operation_id="phases_reveal",
        summary="Reveal a frozen board",
        request=None,
        responses={200: ChallengeSerializer, **refusals(403, 404, 409)},
    )
    def post(self, request: Request, slug: str, phase: str) -> Response:
        """For organisers, when the phase has closed: everybody sees the final board from now on."""
        challenge = organised_challenge(request, slug)
        reveal(phase_or_404(challenge, phase), user=user_of(request))
        return Response(challenge_for(request, challenge))


class ConfirmEndView(ApiView):
    @change_operation(
        operation_id="phases_confirm_end",
        summary="Confirm the end of a phase",
        request=None,
        responses={200: ChallengeSerializer, **refusals(403, 404, 409)},
    )
    def post(self, request: Request, slug: str, phase: str) -> Response:
        """For organisers, within ten minutes after they changed the end of a phase with private
        tasks: its final scores are computed now, and no longer ten minutes after the change."""
        challenge = organised_challenge(request, slug)
        confirm_end(phase_or_404(challenge, phase), user=user_of(request))
        return Response(challenge_for(request, challenge))
