"""Votes about pairs of participants, and the board that follows from them."""

from __future__ import annotations

from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.files.arena import arena_json
from leaderboard.api.operations import operation
from leaderboard.api.parsers import ManyParser
from leaderboard.api.permissions import access_in
from leaderboard.api.serializers.arena import ArenaSerializer, VotesStoredSerializer
from leaderboard.api.serializers.errors import refusals
from leaderboard.api.views.attempts import submitter
from leaderboard.api.views.base import ApiView, challenge_or_404, organised_challenge
from leaderboard.api.views.dry_runs import change_operation
from leaderboard.schemas.openapi import openapi_shape
from leaderboard.schemas.votes import NEW_VOTES
from leaderboard.services.board.boards import current_board, shown_boards
from leaderboard.services.competition.arena.reading import arena_of
from leaderboard.services.competition.arena.voting import store_votes
from leaderboard.services.competition.visible.board import visible_board


class ArenaView(ApiView):
    @operation(
        operation_id="arena_read",
        summary="Read the board of an arena",
        responses={200: ArenaSerializer, **refusals(404)},
    )
    def get(self, request: Request, slug: str) -> Response:
        """Ratings by the model of Bradley and Terry, computed some seconds after new votes. No rows
        where the board is hidden."""
        challenge = challenge_or_404(request, slug)
        stored = current_board(shown_boards(challenge))
        board = visible_board(stored, access_in(request, challenge))
        return Response(arena_json(arena_of(board)))


class VoteListView(ApiView):
    parser_classes = [ManyParser]

    @change_operation(
        operation_id="votes_send",
        summary="Send votes about pairs of participants",
        example={
            "votes": [
                {
                    "first": "atlas",
                    "second": "borea",
                    "winner": "tie",
                    "voter": "reader-7",
                    "prompt": "letter-3",
                }
            ]
        },
        request={"application/json": openapi_shape(NEW_VOTES)},
        responses={201: VotesStoredSerializer, **refusals(400, 403, 404, 413, 415)},
    )
    def post(self, request: Request, slug: str) -> Response:
        """For organisers, up to 10 000 in a request. All are stored, or none. A voter has one vote
        for a pair and a prompt; the last one counts."""
        challenge = organised_challenge(request, slug)
        stored = store_votes(challenge, request.data, user=submitter(request))
        return Response({"stored": stored}, status.HTTP_201_CREATED)
