from __future__ import annotations

from operator import itemgetter

from django.db.models import Exists, OuterRef
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.operations import operation
from leaderboard.api.permissions import user_of
from leaderboard.api.serializers.competition.quotas import QuotaSerializer
from leaderboard.api.serializers.errors import refusals
from leaderboard.api.views.base import ApiView, challenge_or_404
from leaderboard.models import Challenge, Participant, Registration, User
from leaderboard.services.competition.clock import received_now
from leaderboard.services.competition.quotas.agreements import agreements_of
from leaderboard.services.competition.quotas.state import current_phase, quotas_of

PHASE = OpenApiParameter("phase", str, description="The slug of a phase, instead of this one.")
MOST = 100
"""The most participants of one user in an answer."""


def _slugs(challenge: Challenge, user: User) -> dict[int, str]:
    """The slugs of the participants that a user owns or is a member of, by their ids.

    If there are too many, those that take part in the challenge come before the others.
    """
    mine = Participant.objects.of(user).named_at(challenge)
    takes_part = Registration.objects.filter(challenge=challenge, participant=OuterRef("pk"))
    first = mine.order_by(Exists(takes_part).desc(), "slug").values_list("pk", "slug")[:MOST]
    return dict(sorted(first, key=itemgetter(1)))


class QuotaView(ApiView):
    @operation(
        operation_id="quota_read",
        summary="Read how many attempts are left",
        parameters=[PHASE],
        responses={200: QuotaSerializer, **refusals(400, 404)},
    )
    def get(self, request: Request, slug: str) -> Response:
        """Covers up to 100 of your participants and teams. Attempts of organisers do not count."""
        challenge = challenge_or_404(request, slug)
        moment = received_now()
        current = current_phase(challenge, moment, request.query_params.get("phase", ""))
        user = user_of(request)
        slugs = _slugs(challenge, user) if user else {}
        states = quotas_of(current.phase, list(slugs), moment, account=user)
        agreed = (
            agreements_of(challenge.pk, user, moment) if user and current.state == "closed" else {}
        )
        until = agreed.get(current.phase.pk, {})
        quotas = [
            {"participant": slug, "agreed_until": until.get(pk), "quotas": states[pk]}
            for pk, slug in slugs.items()
        ]
        return Response(QuotaSerializer({"current": current, "participants": quotas}).data)
