"""Removes the bodies of answers to HEAD, which Django leaves to the server.

waitress sends the body, and a client or a proxy that keeps the connection takes it for the next
answer. gunicorn drops it, with a warning for each request.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment


def without_bodies(application: WSGIApplication) -> WSGIApplication:
    """The application, but with only the headers as the answer to HEAD."""

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        body = application(environ, start_response)
        if environ["REQUEST_METHOD"] != "HEAD":
            return body
        if close := getattr(body, "close", None):
            close()
        return []

    return answer
