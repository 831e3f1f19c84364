"""ETags of boards: a reader with the current version gets a 304 before the board is read."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response, patch_vary_headers
from rest_framework.request import Request

from leaderboard import version
from leaderboard.api.files.board_shapes import RescoringJson
from leaderboard.api.files.boards import rescoring_json
from leaderboard.models import Challenge
from leaderboard.services.board.reading.state import BoardState, open_state
from leaderboard.services.challenges.code_changes import held_at, visible_editions
from leaderboard.services.competition.visible.board import VisibleBoard


def unchanged(
    request: Request, slug: str, variant: object = None, *, is_exact: bool = True
) -> HttpResponseBase | None:
    """The 304 for a reader whose copy of a board is current, by one statement.

    None for all other readers, for whom the view calls `conditional`, which explains the
    parameters.
    """
    if "If-None-Match" not in request.headers:
        return None
    state = open_state(slug)
    if state is None:
        return None
    etag = _etag(request, state, None, variant, is_exact)
    not_modified = get_conditional_response(request._request, etag=etag)
    if not_modified is None or not_modified.status_code != HTTPStatus.NOT_MODIFIED:
        return None
    return _marked(not_modified, etag, state)


def conditional(
    request: Request,
    board: VisibleBoard,
    answer: Callable[[], HttpResponseBase],
    variant: object = None,
    *,
    is_exact: bool = True,
) -> HttpResponseBase:
    """`answer()` with its ETag, or a 304 without calling it.

    No ETag for readers who do not see the whole board, as it would change with hidden attempts.

    The ETag contains everything that a board depends on: the version changes with its rows, its
    participants' names and the challenge itself, the build with each upgrade of the product.
    variant: what the answer depends on besides the board and its address. is_exact: whether two
    answers for the same state have the same bytes; otherwise the ETag is a weak one.
    """
    challenge = board.challenge
    if not board.is_whole:
        return _private(answer())
    if challenge.is_restricted:
        variant = (variant, board.access.key)
    if challenge.has_several_boards:
        variant = (variant, *_of_all_phases(board))
    state = board.state
    etag = _etag(request, state, rescoring_json(challenge, board.access), variant, is_exact)
    not_modified = get_conditional_response(request._request, etag=etag)
    response = _marked(answer() if not_modified is None else not_modified, etag, state)
    return _private(response) if challenge.is_restricted else response


def _of_all_phases(board: VisibleBoard) -> tuple[Any, ...]:
    """What a board shows of attempts of all phases, which do not change the version of each."""
    challenge, access = board.challenge, board.access
    has_marks = challenge.has_marks and not access.frozen
    return len(visible_editions(challenge.shown, access)), held_at(challenge, access), has_marks


def _marked(response: HttpResponseBase, etag: str, state: BoardState) -> HttpResponseBase:
    public = state.visibility == Challenge.Visibility.PUBLIC
    response["ETag"] = etag
    response["Cache-Control"] = "public, no-cache" if public else "private, no-cache"
    if public:
        # Scripts on any site may read it: without cookies or a token, as browsers then send none.
        response["Access-Control-Allow-Origin"] = "*"
        response["Access-Control-Expose-Headers"] = "ETag"
    return response


def _private(response: HttpResponseBase) -> HttpResponseBase:
    """Keep an answer that depends on its reader out of shared caches."""
    response["Cache-Control"] = "private, no-cache"
    patch_vary_headers(response, ["Authorization", "Cookie"])
    return response


def _etag(
    request: Request,
    state: BoardState,
    rescoring: RescoringJson | None,
    variant: object,
    is_exact: bool,
) -> str:
    named: tuple[Any, ...] = (
        version.build(),
        *state,
        rescoring,
        request.path,
        sorted(request.query_params.lists()),
        variant,
    )
    weak = "" if is_exact else "W/"
    return f'{weak}"{hashlib.sha256(repr(named).encode()).hexdigest()[:32]}"'
