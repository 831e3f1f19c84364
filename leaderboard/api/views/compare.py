from __future__ import annotations

from uuid import UUID

from django.utils.translation import gettext as _
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.operations import operation
from leaderboard.api.permissions import access_in
from leaderboard.api.serializers.compare import CompareQuery, ComparisonSerializer
from leaderboard.api.serializers.errors import refusals
from leaderboard.api.views.attempts import visible_or_404
from leaderboard.api.views.base import ApiView, challenge_or_404
from leaderboard.models import Attempt, Challenge
from leaderboard.services.competition.visible.compared import compare_attempts, metric_json
from leaderboard.services.errors import invalid


class CompareView(ApiView):
    @operation(
        operation_id="leaderboard_compare",
        summary="Compare two attempts on the tasks that both have",
        parameters=[CompareQuery],
        responses={200: ComparisonSerializer, **refusals(400, 403, 404)},
    )
    def get(self, request: Request, slug: str) -> Response:
        """Paired, metric by metric, by the shown version of the scoring.

        Files of predictions are compared on public rows, which count as tasks.
        403 with the reason where the samples of one are hidden from you: behind a freeze, or where
        scores are hidden or rounded.
        """
        challenge = challenge_or_404(request, slug)
        query = CompareQuery(data=request.query_params)
        query.is_valid(raise_exception=True)
        asked = query.validated_data
        first, second = (
            attempt_in(request, challenge, name, asked[name]) for name in ("first", "second")
        )
        metrics = compare_attempts(challenge, first, second, access_in(request, challenge))
        answer = {
            "first": first.pk,
            "second": second.pk,
            "metrics": [metric_json(metric) for metric in metrics],
        }
        return Response(ComparisonSerializer(answer).data)


def attempt_in(request: Request, challenge: Challenge, name: str, pk: UUID) -> Attempt:
    """An attempt at the challenge that the reader may know of. name: the parameter.

    Raises NotFound, and ServiceError for one at another challenge.
    """
    attempt = visible_or_404(request, pk)
    if attempt.challenge_id != challenge.pk:
        text = _("must be an attempt at this challenge; got {sent}")
        raise invalid(name, text.format(sent=pk))
    return attempt
