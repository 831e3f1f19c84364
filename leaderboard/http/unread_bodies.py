"""Tells gunicorn to announce that it closes a connection whose request was refused unread.

gunicorn reads at most 64 KiB of a body that the product did not read, and closes the connection if
there is more. Without this its answer says `Connection: keep-alive`, and the client, or a proxy,
sends the next request into a closed connection. An application cannot set this header itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from _typeshed import OptExcInfo
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

MOST_DRAINED: Final = 64 * 1024
"""The bytes that gunicorn reads and drops before it takes the next request of a connection."""


def closing_after_refusals(application: WSGIApplication) -> WSGIApplication:
    """The application, whose refusals of large requests end the connection.

    It has to be the outermost one, because only gunicorn's own `start_response` can do that: it is
    a method of gunicorn's response. Under another server the answers stay as they are.
    """

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        force_close = getattr(getattr(start_response, "__self__", None), "force_close", None)
        if force_close is None or not _may_stay_unread(environ):
            return application(environ, start_response)

        def started(
            status: str, headers: list[tuple[str, str]], exc_info: OptExcInfo | None = None, /
        ) -> Any:
            if not status.startswith("2"):
                force_close()
            return start_response(status, headers, exc_info)

        return application(environ, started)

    return answer


def _may_stay_unread(environ: WSGIEnvironment) -> bool:
    """Whether the body is larger than what gunicorn reads by itself, or of unknown size."""
    length = str(environ.get("CONTENT_LENGTH") or "0")
    return "HTTP_TRANSFER_ENCODING" in environ or (
        length.isdecimal() and int(length) > MOST_DRAINED
    )
