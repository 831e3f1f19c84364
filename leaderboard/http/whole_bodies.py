"""Refuses a body that ends early because its connection was cut.

gunicorn ends such a body without an error, so the first lines of a bulk would be taken for all of
it. waitress reads a body before it starts the request, and needs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from tempfile import SpooledTemporaryFile
from time import monotonic
from typing import TYPE_CHECKING, Final, Protocol

from django.conf import settings
from django.core.exceptions import BadRequest

from leaderboard.http.arrivals import KEY, Arrival

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

IN_MEMORY: Final = 256 * 1024
PIECE: Final = 64 * 1024


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
        if KEY in environ and "HTTP_TRANSFER_ENCODING" in environ:
            length = _unchunked(environ)
        arrival = environ.setdefault(KEY, Arrival(monotonic()))
        if length.isdecimal():
            environ["wsgi.input"] = WholeBody(environ["wsgi.input"], int(length), arrival)
        return application(environ, start_response)

    return answer


def _unchunked(environ: WSGIEnvironment) -> str:
    """Replace a body that comes in chunks, which Django does not read, by one of known length.

    A body that is malformed or too long gets a length that the product refuses.
    """
    chunks, body = environ["wsgi.input"], SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115
    try:
        while body.tell() <= settings.DATA_UPLOAD_MAX_MEMORY_SIZE and (data := chunks.read(PIECE)):
            body.write(data)
        length = str(body.tell())
    except OSError:
        length = str(body.tell() + 1)
    body.seek(0)
    environ["wsgi.input"], environ["CONTENT_LENGTH"] = body, length
    return length


class WholeBody:
    """A body of a known length. Reading raises CutOff if it ends before that.

    stream: returns less than it was asked for only at its end. arrival: is told when the body ends.
    """

    def __init__(self, stream: Stream, length: int, arrival: Arrival | None = None) -> None:
        self._stream = stream
        self._left = length
        self._arrival = arrival

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
        if self._left == 0 and self._arrival is not None and self._arrival.ended is None:
            self._arrival.ended = monotonic()
        return data
