"""Static files with a hash of the content in their names, even if no files were collected.

Without STATIC_ROOT, files are served from their source folders. Pages name them with a hash, which
is removed from the name when a file is requested. So browsers may cache files for a year, and
request changed files by a new name.

One setting decides, and `make up` needs no build step: running `collectstatic` at each start would
take seconds, and deciding by the contents of a folder would serve a stale manifest. With
STATIC_ROOT, the server does not start without a manifest. All styles are one file, so a page needs
one request for them and nothing has to be bundled.
"""

from __future__ import annotations

import hashlib
import os
import re
from functools import lru_cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import StaticFilesStorage
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from django.utils.cache import patch_vary_headers
from whitenoise.middleware import WhiteNoiseMiddleware

HASHED = re.compile(r"(?P<stem>.+)\.(?P<hash>[0-9a-f]{12})(?P<extension>\.[^./]+)?", re.ASCII)
FOR_A_YEAR = "max-age=31536000, public, immutable"


class HashedNames(StaticFilesStorage):
    """Names source files with a hash, such as `pages/pages.0a1b2c3d4e5f.css`."""

    def url(self, name: str | None) -> str:
        if not name:
            return super().url(name)
        return super().url(hashed_name.__wrapped__(name) if settings.DEBUG else hashed_name(name))


class StaticFilesMiddleware(WhiteNoiseMiddleware):  # type: ignore[misc]
    """WhiteNoise, which also finds a source file by a name with its hash."""

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if self.use_finders and request.path_info.startswith(self.static_prefix):
            parts = HASHED.fullmatch(request.path_info)
            plain = f"{parts['stem']}{parts['extension'] or ''}" if parts else ""
            file = self._file(plain) if plain else None
            if parts and file is not None:
                response: HttpResponseBase = self.serve(file, request)
                name = plain.removeprefix(self.static_prefix)
                # A hash of another version is also served, as the page may be older than the file,
                # but must not be cached.
                if hashed_name(name) == request.path_info.removeprefix(self.static_prefix):
                    response["Cache-Control"] = FOR_A_YEAR
                return response
        answer: HttpResponseBase = super().__call__(request)
        return answer

    def _file(self, path: str) -> Any:
        return self.find_file(path) if self.autorefresh else self.files.get(path)


class CompressionMiddleware(GZipMiddleware):
    """Compresses answers that are not compressed yet, for clients that accept gzip.

    Against BREACH, Django masks each CSRF token anew and adds random bytes to each answer.
    """

    def process_response(self, request: HttpRequest, response: Any) -> Any:
        if response.status_code == 206:  # a part of the uncompressed file
            return response
        if response.status_code == 304:  # refers to an answer that may be compressed
            patch_vary_headers(response, ("Accept-Encoding",))
            return response
        return super().process_response(request, response)


@lru_cache(maxsize=2000)
def hashed_name(name: str) -> str:
    """The name with the hash of its file; unchanged if there is no such file.

    Computed once per process: files change only when a new version starts, or while DEBUG is on.
    """
    path = finders.find(name)
    if not isinstance(path, str) or not Path(path).is_file():
        return name
    stem, extension = os.path.splitext(name)
    hashed = hashlib.md5(Path(path).read_bytes(), usedforsecurity=False).hexdigest()[:12]
    return f"{stem}.{hashed}{extension}"
