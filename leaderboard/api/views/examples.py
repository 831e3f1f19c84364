from __future__ import annotations

import json

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from rest_framework.request import Request

from leaderboard.api.operations import operation
from leaderboard.api.permissions import only_as, user_of
from leaderboard.api.serializers.errors import refusals
from leaderboard.api.views.base import AnyAccept, ApiView, challenge_or_404
from leaderboard.services.competition.participants.own_names import suggested_name
from leaderboard.services.imports.examples import PARTICIPANT, example_of


class ExampleView(ApiView):
    content_negotiation_class = AnyAccept

    @operation(
        operation_id="challenges_example",
        summary="An attempt that can be ranked",
        responses={(200, "application/json"): OpenApiTypes.OBJECT, **refusals(404)},
    )
    def get(self, request: Request, slug: str) -> HttpResponse:
        """The body of a submission with all that the challenge needs to rank it, in one line.

        Its participant is yours if you are signed in.
        """
        challenge = challenge_or_404(request, slug)
        user = user_of(request)
        name = suggested_name(challenge, user, only_as(request)) if user else PARTICIPANT
        return HttpResponse(
            json.dumps(example_of(challenge, name), ensure_ascii=False) + "\n",
            content_type="application/json",
            headers={
                "Content-Disposition": f'attachment; filename="{challenge.slug}-example.json"'
            },
        )
