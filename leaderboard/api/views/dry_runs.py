"""Changes that are tried: everything is checked and done, and then rolled back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import Any, Final

from drf_spectacular.utils import OpenApiParameter
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.operations import DRY_RUN_NAME, Handler, operation
from leaderboard.api.schema import SWITCH
from leaderboard.api.views.base import switched_on
from leaderboard.services.files.store import discarded_files
from leaderboard.services.transactions import rolled_back

DRY_RUN: Final = OpenApiParameter(
    DRY_RUN_NAME,
    SWITCH,
    description="`1`: say what would be there, and keep nothing.",
)


def change_operation(
    *, parameters: Sequence[OpenApiParameter] = (), **options: Any
) -> Callable[[Handler], Handler]:
    """An `operation` that changes rows and stored files, and takes `?dry_run=1`.

    It answers 200 instead of 201 where nothing is kept.
    """
    responses = options["responses"]
    if status.HTTP_201_CREATED in responses:
        options["responses"] = {status.HTTP_200_OK: responses[status.HTTP_201_CREATED], **responses}

    def declared(handler: Handler) -> Handler:
        @wraps(handler)
        def tried_or_kept(view: Any, request: Request, *args: Any, **kwargs: Any) -> Response:
            with tried(request) as is_dry:
                response: Response = handler(view, request, *args, **kwargs)
            if is_dry and response.status_code == status.HTTP_201_CREATED:
                response.status_code = status.HTTP_200_OK
            return response

        return operation(parameters=[*parameters, DRY_RUN], **options)(tried_or_kept)  # type: ignore[return-value]

    return declared


@contextmanager
def tried(request: Request) -> Iterator[bool]:
    """A context whose changes are kept, unless the request has `?dry_run=1`. Yields whether so."""
    if switched_on(request, DRY_RUN_NAME):
        with discarded_files(), rolled_back():
            yield True
    else:
        yield False
