"""Compressed bodies of requests, unpacked before a view reads them."""

from __future__ import annotations

import zlib
from gzip import BadGzipFile, GzipFile
from tempfile import SpooledTemporaryFile
from typing import IO, Any, Final

from django.utils.translation import gettext as _
from rest_framework.request import Request

from leaderboard.api.bodies import too_large
from leaderboard.api.errors import EncodedBody
from leaderboard.services.errors import invalid

MOST_UNPACKED: Final = 65 * 1024 * 1024
"""The most bytes that a body may have once it is unpacked; operations have their own limits too."""
IN_MEMORY: Final = 256 * 1024
PIECE: Final = 64 * 1024


def unpack_body(request: Request) -> None:
    """Replace a body with `Content-Encoding: gzip` by what was compressed.

    Raises EncodedBody for another encoding, TooLarge, and ServiceError for what is no gzip.
    """
    encoding = request.headers.get("Content-Encoding", "identity").lower()
    if encoding in ("identity", ""):
        return
    plain: Any = request._request
    if encoding != "gzip" or plain._read_started:
        raise EncodedBody(encoding)
    unpacked: IO[bytes] = SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 - lives as the request
    try:
        with GzipFile(fileobj=plain._stream, mode="rb") as packed:
            while piece := packed.read(PIECE):
                unpacked.write(piece)
                if unpacked.tell() > MOST_UNPACKED:
                    raise too_large(MOST_UNPACKED)
    except (BadGzipFile, EOFError, zlib.error):
        raise invalid("body", _("must be a whole gzip file; got other bytes")) from None
    plain.META["CONTENT_LENGTH"] = str(unpacked.tell())
    unpacked.seek(0)
    plain._stream = unpacked
