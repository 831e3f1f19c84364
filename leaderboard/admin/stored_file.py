"""The file of a challenge's form: kept until it is saved, and put back where it was chosen.

No page can post a file again. It posts what names it instead, and the request is then as if the
file had come with it.
"""

from __future__ import annotations

from typing import NamedTuple

from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, QueryDict

from leaderboard.admin.scoped import user_of
from leaderboard.services.imports.uploads import REFERENCES

FIELD = "references"
KEPT = "references_kept"
"""Posted: what names the file that is kept."""
FORGET = "references_forget"
"""Posted: the file is not wanted any more."""


class StoredFile(NamedTuple):
    """A file that was chosen in an earlier request. `label` is "" when it is gone."""

    token: str
    label: str


def stored_file_of(request: HttpRequest, *, most: int) -> StoredFile | None:
    """The file that a request names, or that came with it and is kept from now on.

    most: bytes; a file that has more is not kept.
    """
    kept, upload = taken_up(request), request.FILES.get(FIELD)
    if kept is not None or upload is None or (upload.size or 0) > most:
        return kept
    token = REFERENCES.keep(upload, user_of(request))
    upload.seek(0)
    return StoredFile(token, upload.name or "")


def posted_with(request: HttpRequest, kept: StoredFile | None) -> QueryDict:
    """What was posted, as if it had named the file."""
    data = request.POST.copy()
    data.pop(FORGET, None)
    if kept is not None:
        data[KEPT] = kept.token
    return data


def is_new(request: HttpRequest, kept: StoredFile | None) -> bool:
    """Whether the file came with this very request."""
    return kept is not None and kept.token != request.POST.get(KEPT)


def taken_up(request: HttpRequest) -> StoredFile | None:
    """The stored file that a request names, which becomes one of its files.

    None if there is none, or if the request has another file; then the stored one is deleted.
    """
    token = request.POST.get(KEPT, "")
    if not token:
        return None
    if FORGET in request.POST or FIELD in request.FILES:
        REFERENCES.forget(token, user_of(request))
        return None
    kept = REFERENCES.find(token, user_of(request))
    try:
        file = kept.path.open("rb") if kept else None
    except FileNotFoundError:
        file = None
    if kept is None or file is None:
        return StoredFile(token, "")
    size = kept.path.stat().st_size
    request.FILES[FIELD] = UploadedFile(file, kept.label, size=size)  # closed with the request
    return StoredFile(token, kept.label)


def forget(request: HttpRequest, kept: StoredFile | None) -> None:
    """It is saved."""
    if kept is not None:
        REFERENCES.forget(kept.token, user_of(request))
