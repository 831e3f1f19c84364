"""What organisers do with a draft before they publish it."""

from __future__ import annotations

from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.operations import operation
from leaderboard.api.permissions import user_of
from leaderboard.api.serializers.attempt import OneAttemptSerializer
from leaderboard.api.serializers.checklist import ChecklistSerializer
from leaderboard.api.serializers.errors import refusals
from leaderboard.api.views.attempts import ONE, readings_of, submitter
from leaderboard.api.views.base import ApiView, organised_challenge
from leaderboard.api.views.dry_runs import change_operation
from leaderboard.services.challenges.checklist import checklist
from leaderboard.services.imports.samples import send_sample


class ChecklistView(ApiView):
    @operation(
        operation_id="challenges_checklist",
        summary="Read what a draft needs before it is published",
        responses={200: ChecklistSerializer, **refusals(403, 404)},
    )
    def get(self, request: Request, slug: str) -> Response:
        """For organisers. A draft can be published when at most the sample attempt is missing."""
        challenge = organised_challenge(request, slug)
        challenge_checklist = checklist(challenge, user_of(request))
        return Response(ChecklistSerializer(challenge_checklist).data)


class SampleView(ApiView):
    @change_operation(
        operation_id="challenges_sample",
        summary="Send a sample attempt through a draft",
        request=None,
        responses={202: OneAttemptSerializer, **refusals(403, 404, 409)},
    )
    def post(self, request: Request, slug: str) -> Response:
        """The example of the challenge is submitted, scored and ranked like any attempt.

        It replaces an earlier one, counts nowhere, and is removed when the draft is published.
        """
        challenge = organised_challenge(request, slug)
        attempt = send_sample(challenge, user=submitter(request))
        (reading,) = readings_of(request, challenge, [attempt])
        body = ONE.to_representation(reading)
        return Response(body, status.HTTP_202_ACCEPTED, headers={"Location": body["url"]})
