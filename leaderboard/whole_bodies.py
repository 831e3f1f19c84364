"""Refuses a body that ends early because its connection was cut.

gunicorn ends such a body without an error, so the first lines of a bulk would be taken for all of
it. waitress reads a body before it starts the request, and needs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Protocol

from django.core.exceptions import BadRequest

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment


class CutOff(BadRequest):
    """A body that ends before its announced length."""


class Stream(Protocol):
    """What Django uses of a body."""

    def read(self, size: int = -1, /) -> bytes: ...

    def readline(self, size: int = -1, /) -> bytes: ...


def reading_whole_bodies(application: WSGIApplication) -> WSGIApplication:
    """The application, which cannot read the end of a body before its announced length."""

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        length = str(environ.get("CONTENT_LENGTH") or "0")
        if length.isdecimal():
            environ["wsgi.input"] = WholeBody(environ["wsgi.input"], int(length))
        return application(environ, start_response)

    return answer


class WholeBody:
    """A body of a known length. Reading raises CutOff if it ends before that.

    stream: returns less than it was asked for only at its end.
    """

    def __init__(self, stream: Stream, length: int) -> None:
        self._stream = stream
        self._left = length

    def read(self, size: int = -1, /) -> bytes:
        wanted = self._wanted(size)
        data = self._read_by(self._stream.read, wanted)
        if len(data) < wanted:
            raise CutOff
        return data

    def readline(self, size: int = -1, /) -> bytes:
        wanted = self._wanted(size)
        line = self._read_by(self._stream.readline, wanted)
        if len(line) < wanted and not line.endswith(b"\n"):
            raise CutOff
        return line

    def _wanted(self, size: int) -> int:
        return self._left if size < 0 else min(size, self._left)

    def _read_by(self, function: Callable[[int], bytes], wanted: int) -> bytes:
        try:
            data = function(wanted)
        except OSError:
            raise CutOff from None
        self._left -= len(data)
        return data
