"""ETags of boards: a reader who has the current version is told so before the board is read."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response
from rest_framework.request import Request

from leaderboard.api.boards import rescoring_json
from leaderboard.models import Challenge

SHAPE = 4
"""Moves when the bodies change in shape, so that no reader keeps one of the old."""


def conditional(
    request: Request,
    challenge: Challenge,
    answer: Callable[[], HttpResponseBase],
    variant: object = None,
) -> HttpResponseBase:
    """`answer()` with its ETag, or a 304 without calling it.

    The ETag names all that a board depends on: the version moves with each change of its rows,
    of its participants' names and of the challenge itself. variant: what the answer depends on
    besides the board and its address.
    """
    etag = _etag(request, challenge, variant)
    found = get_conditional_response(request._request, etag=etag)
    response: HttpResponseBase = answer() if found is None else found
    response["ETag"] = etag
    public = challenge.visibility == Challenge.Visibility.PUBLIC
    response["Cache-Control"] = "public, no-cache" if public else "private, no-cache"
    return response


def _etag(request: Request, challenge: Challenge, variant: object) -> str:
    named: tuple[Any, ...] = (
        SHAPE,
        challenge.pk,
        challenge.board_version,
        challenge.shown_config_id,
        challenge.newest_config_id,
        rescoring_json(challenge),
        request.path,
        sorted(request.query_params.lists()),
        variant,
    )
    return f'"{hashlib.sha256(repr(named).encode()).hexdigest()[:32]}"'
