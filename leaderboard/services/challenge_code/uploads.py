"""The files of a challenge's own plugins, as organisers send them and as they are stored.

They are stored as one zip file, whose bytes depend on nothing but the names and contents of the
files: so the same files have the same digest, however they came here.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping
from contextlib import closing
from keyword import iskeyword
from pathlib import PurePosixPath
from typing import IO, Final

from django.conf import settings
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from leaderboard.importers import ImportFailed, Zip
from leaderboard.importers.reading.unpacking import NOT_WANTED
from leaderboard.importers.reading.zips import MAGIC
from leaderboard.models import Challenge, ChallengeFile, User
from leaderboard.rules.noop import noop
from leaderboard.rules.plugins.kinds import KINDS
from leaderboard.sandbox import SandboxError
from leaderboard.services.challenge_code.packages import unpacked_package
from leaderboard.services.errors import ServiceError, invalid
from leaderboard.services.files.budgets import check_room
from leaderboard.services.files.challenge_files import remove_file
from leaderboard.services.files.store import (
    WrittenFile,
    delete_files,
    open_file,
    sha256_of,
    store_file,
)

NAME: Final = "plugins.zip"
MOST_BYTES: Final = 1 << 20
MOST_ZIPPED: Final = 2 * MOST_BYTES
"""More of a zip file is not read, and then it is damaged."""
MOST_FILES: Final = 100
DATA: Final = (".csv", ".json", ".jsonl", ".md", ".toml", ".tsv", ".txt", ".yaml", ".yml")
"""Beside `.py`, the endings of files that plugins may read."""
_MADE_AT: Final = (1980, 1, 1, 0, 0, 0)
_KIND_FOLDERS: Final = {kind.folder for kind in KINDS.values()} - {""}

PluginFiles = Mapping[str, bytes]
"""The files of an upload by their paths."""


def require_code_allowed() -> None:
    """Raise ServiceError (`permission_denied`) if the operator allows no code of challenges."""
    if not settings.CHALLENGE_CODE:
        text = _("Plugins of challenges are turned off on this server. Its operator turns them on.")
        raise ServiceError("permission_denied", text)


def read_upload(name: str, content: IO[bytes]) -> PluginFiles:
    """The files of a zip file, or the one file itself. Raises ServiceError."""
    content.seek(0)
    start = content.read(4)
    content.seek(0)
    if start not in MAGIC:
        body = content.read(MOST_BYTES + 1)
        return checked_files({PurePosixPath(name.replace("\\", "/")).name: body})
    try:
        # A copy, because closing the archive closes its file.
        with closing(Zip(io.BytesIO(content.read(MOST_ZIPPED)))) as archive:
            return checked_files(_without_root(_unpacked(archive)))
    except ImportFailed as error:
        raise invalid("file", error.text) from None


def checked_files(files: PluginFiles) -> PluginFiles:
    """The files, if a challenge may have them as its plugins. Raises ServiceError."""
    for name in files:
        path = PurePosixPath(name)
        if path.suffix not in (".py", *DATA):
            accepted = ", ".join((".py", *DATA))
            text = _("must hold files that end in {accepted}")
            raise invalid("file", text.format(accepted=accepted), got=name)
        parts = [*path.parent.parts, *([path.stem] if path.suffix == ".py" else [])]
        if not all(map(_is_importable, parts)):
            raise invalid("file", _("must hold files whose names Python can import"), got=name)
    if not any(name.endswith(".py") for name in files):
        raise invalid("file", _("must hold a file that ends in .py"), got=", ".join(files))
    if len(files) > MOST_FILES or sum(map(len, files.values())) > MOST_BYTES:
        text = _("must hold at most {most} files and 1 MiB; got more")
        raise invalid("file", text.format(most=MOST_FILES))
    return files


def _is_importable(part: str) -> bool:
    return part.isascii() and part.isidentifier() and not iskeyword(part)


def stored_files(file: ChallengeFile) -> PluginFiles:
    """The files of a stored upload. Raises ServiceError: `unavailable`."""
    with open_file(file.path) as content, zipfile.ZipFile(content) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def write_upload(
    challenge: Challenge, files: PluginFiles, *, check: Callable[[str], object] = noop
) -> WrittenFile | None:
    """Write files that are to be the plugins of a challenge; None if they are its plugins now.

    check: called with their package; may raise ServiceError, as this does.
    """
    content = io.BytesIO(packed_plugins(files))
    if _rows(challenge).filter(sha256=sha256_of(content)).exists():
        return None
    require_code_allowed()
    check_room(challenge, content.tell())
    stored = store_file(content, name=NAME, challenge=challenge.pk)
    try:
        check(unpacked_package(stored.path))
    except (SandboxError, ServiceError) as error:
        delete_files([stored.path])
        if isinstance(error, ServiceError):
            raise
        raise ServiceError("unavailable", _("The file cannot be stored at present.")) from error
    return stored


def name_upload(challenge: Challenge, stored: WrittenFile, *, user: User | None) -> ChallengeFile:
    """Let a written file be the plugins of a challenge, in place of those before.

    Call it in a transaction.
    """
    Challenge.objects.lock_challenge(challenge.pk)
    for other in _rows(challenge):
        remove_file(other)
    role = ChallengeFile.Role.PLUGINS
    return ChallengeFile.objects.create(
        **stored._asdict(), challenge=challenge, role=role, created_by=user
    )


def _rows(challenge: Challenge) -> QuerySet[ChallengeFile]:
    return ChallengeFile.objects.filter(challenge=challenge, role=ChallengeFile.Role.PLUGINS)


def packed_plugins(files: PluginFiles) -> bytes:
    """The zip file that stores the files."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(files):
            archive.writestr(zipfile.ZipInfo(name, _MADE_AT), files[name])
    return buffer.getvalue()


def _unpacked(archive: Zip) -> PluginFiles:
    """Raises ImportFailed and ServiceError."""
    if archive.skipped:
        raise invalid("file", _("must hold regular files; got a link or a device"))
    files, left = {}, MOST_BYTES
    names = [name for name in archive.names if not set(NOT_WANTED) & set(name.split("/"))]
    for name in names[: MOST_FILES + 1]:
        content = bytearray()
        for piece in archive.pieces(name):
            content += piece
            left -= len(piece)
            if left < 0:
                break
        files[name] = bytes(content)
        if left < 0:
            break
    return files


def _without_root(files: PluginFiles) -> PluginFiles:
    """The files, below the one folder that all of them are in, unless it says what they are."""
    roots = {name.partition("/")[0] for name in files}
    if len(roots) == 1 and all("/" in name for name in files) and not roots & _KIND_FOLDERS:
        return _without_root({name.partition("/")[2]: content for name, content in files.items()})
    return files
