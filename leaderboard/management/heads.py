"""Answers to HEAD, which have no body.

gunicorn drops the body itself. waitress sends it, and a client or a proxy that keeps the connection
takes it for the next answer.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment


def without_bodies(application: WSGIApplication) -> WSGIApplication:
    """The same application, which answers HEAD with the headers alone."""

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        body = application(environ, start_response)
        if environ["REQUEST_METHOD"] != "HEAD":
            return body
        if close := getattr(body, "close", None):
            close()
        return []

    return answer
