from __future__ import annotations

from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.operations import operation
from leaderboard.api.permissions import user_of
from leaderboard.api.serializers.code import CodeStateSerializer, DecisionSerializer
from leaderboard.api.serializers.errors import refusals
from leaderboard.api.views.base import ApiView, challenge_or_404, organised_challenge
from leaderboard.api.views.dry_runs import change_operation
from leaderboard.services.challenges.code_changes import code_state, decide


class CodeView(ApiView):
    @operation(
        operation_id="code_read",
        summary="Read which code of its plugins made a board",
        responses={200: CodeStateSerializer, **refusals(400, 403, 404)},
    )
    def get(self, request: Request, slug: str) -> Response:
        """The code of the board and that of the files now. For organisers."""
        challenge = organised_challenge(request, slug)
        return Response(CodeStateSerializer(code_state(challenge)).data)

    @change_operation(
        operation_id="code_decide",
        summary="Decide what becomes of a board whose plugins have changed",
        example={"decision": "rescore"},
        request=DecisionSerializer,
        responses={202: CodeStateSerializer, **refusals(400, 403, 404, 409, 413, 415)},
    )
    def post(self, request: Request, slug: str) -> Response:
        """`rescore` scores every attempt again by the new code, under a new version; `go_on` scores
        new attempts by it and leaves the others. Either way, attempts that are held go on."""
        challenge = organised_challenge(request, slug)
        asked = DecisionSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        decide(challenge, asked.validated_data["decision"], user=user_of(request))
        state = CodeStateSerializer(code_state(challenge_or_404(request, slug)))
        return Response(state.data, status.HTTP_202_ACCEPTED)
