"""Large files arrive in pieces: a client that was cut off goes on where it stopped."""

from __future__ import annotations

import hashlib
import os
import shutil
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import IO, Final
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from leaderboard.models import UploadInPieces, User
from leaderboard.services.errors import ServiceError, invalid
from leaderboard.services.files.store import checked_name, sha256_of

MAX_PIECE: Final = 32 << 20
MAX_SIZE: Final = 2 << 30
MOST_AT_ONCE: Final = 5
"""The uploads of a user that are kept. One that an attempt has used stays for repeated requests."""
KEPT: Final = timedelta(hours=24)
LEAST_FREE: Final = 512 << 20
"""The bytes on the disk that no upload takes."""


def begin_upload(user: User, *, name: str, size: int, sha256: str = "") -> UploadInPieces:
    """Announce a file of `size` bytes; the user's oldest uploads make room for it.

    Together they have as many bytes as the files of a participant. sha256: of the whole file, ""
    for a sender that states the digest of each piece instead. Raises ServiceError: `invalid`,
    `unavailable`.
    """
    if not 1 <= size <= MAX_SIZE:
        text = _("must be from 1 to {most} bytes")
        raise invalid("size", text.format(most=MAX_SIZE), got=size)
    _check_disk(size)
    kept, room = 1, max(settings.PARTICIPANT_FILES_MIB << 20, size) - size
    uploads = UploadInPieces.objects.filter(user=user).order_by("-pk")
    for upload_id, bytes_of_it in uploads.values_list("pk", "size"):
        if kept >= MOST_AT_ONCE or bytes_of_it > room:
            forget_upload(upload_id)
        else:
            kept, room = kept + 1, room - bytes_of_it
    return UploadInPieces.objects.create(
        user=user, name=checked_name(name), size=size, sha256=sha256
    )


def own_upload(user: User | None, upload_id: UUID) -> UploadInPieces:
    """An upload of a user. Raises ServiceError: `not_found`."""
    upload = UploadInPieces.objects.filter(user=user, pk=upload_id).first() if user else None
    if upload is None:
        raise ServiceError("not_found", _("There is no such upload; it is kept for a day."))
    return upload


def add_piece(
    upload: UploadInPieces, offset: int, piece: bytes, sha256: str = ""
) -> UploadInPieces:
    """Add the piece that begins at an offset, which is the number of bytes that are there.

    The same piece may be sent again. sha256: of the piece, "" if it is not stated. Raises
    ServiceError: `conflict` with the offset at which to go on, `too_large`, `invalid`.
    """
    if sha256 and hashlib.sha256(piece).hexdigest() != sha256:
        raise invalid("Content-Digest", _("must be the SHA-256 of the piece, so send it again"))
    if offset != upload.received:
        raise _conflict(upload)
    if offset + len(piece) > upload.size:
        text = _("body: must end at the {size} bytes that were announced; got more")
        raise ServiceError("too_large", text.format(size=upload.size))
    _write(_path(upload.pk), offset, piece)
    rows = UploadInPieces.objects.filter(pk=upload.pk, received=offset)
    if not rows.update(received=offset + len(piece)):
        upload.refresh_from_db()
        raise _conflict(upload)
    upload.received = offset + len(piece)
    return upload


def open_upload(upload: UploadInPieces) -> IO[bytes]:
    """A file that is complete. Raises ServiceError: `conflict`, or `invalid` if it is damaged."""
    if upload.received != upload.size:
        raise _conflict(upload)
    file = _path(upload.pk).open("rb")
    if upload.sha256 and sha256_of(file) != upload.sha256:
        file.close()
        forget_upload(upload.pk)
        raise invalid("file", _("must have the SHA-256 that was announced, so send it again"))
    return file


def forget_upload(upload_id: UUID) -> None:
    """Delete an upload with its pieces; the pieces only when its transaction has succeeded."""
    UploadInPieces.objects.filter(pk=upload_id).delete()
    transaction.on_commit(partial(_path(upload_id).unlink, missing_ok=True), robust=True)


def forget_old_uploads() -> None:
    """Delete uploads that are older than a day."""
    old = UploadInPieces.objects.filter(created_at__lt=Now() - KEPT)
    for upload_id in old.values_list("pk", flat=True):
        forget_upload(upload_id)


def _check_disk(size: int) -> None:
    """Raise ServiceError, `unavailable`, if a file would leave too little for all others."""
    folder = Path(settings.MEDIA_ROOT)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if shutil.disk_usage(folder).free < size + LEAST_FREE:
        raise ServiceError("unavailable", _("The file cannot be stored at present."))


def _conflict(upload: UploadInPieces) -> ServiceError:
    text = _("Upload-Offset: must be {offset}, the number of bytes that are here")
    offset = upload.received
    return ServiceError("conflict", text.format(offset=offset), facts={"offset": offset})


def _path(upload_id: UUID) -> Path:
    return Path(settings.MEDIA_ROOT, "pieces", str(upload_id))


def _write(path: Path, offset: int, piece: bytes) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.seek(offset)
        file.write(piece)
        file.flush()
        os.fsync(file.fileno())
