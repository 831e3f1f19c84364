"""What organisers do with a phase, beside changing it with its challenge."""

from __future__ import annotations

from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.operations import operation
from leaderboard.api.permissions import check_organises, user_of
from leaderboard.api.serializers.challenge import ChallengeSerializer
from leaderboard.api.serializers.errors import refusals
from leaderboard.api.views.base import ApiView, challenge_or_404
from leaderboard.api.views.challenges import shown_to
from leaderboard.services.competition.reveal import reveal


class RevealView(ApiView):
    @operation(
        operation_id="phases_reveal",
        summary="Reveal a frozen board",
        request=None,
        responses={200: ChallengeSerializer, **refusals(403, 404, 409)},
    )
    def post(self, request: Request, slug: str, phase: str) -> Response:
        """For organisers, when the phase has closed: everybody sees the final board from now on."""
        challenge = challenge_or_404(request, slug)
        check_organises(request, challenge)
        found = challenge.phases.filter(slug=phase).first()
        if found is None:
            raise NotFound
        reveal(found, user=user_of(request))
        return Response(shown_to(request, challenge))
