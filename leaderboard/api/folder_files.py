"""The zip file of a challenge: `challenge.json`, `references.jsonl`, `files/ROLE/NAME`, and its own
plugins as `scorers/NAME.py`."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from shutil import copyfileobj
from tempfile import SpooledTemporaryFile
from typing import IO, Any, Final, NamedTuple

from django.utils.translation import gettext as _

from leaderboard.api.bodies import MAX_BYTES_OF_TEXTS, json_value, too_large
from leaderboard.api.parsers import MAX_BYTES_OF_CHALLENGE, MAX_FILE_BYTES, DocumentParser
from leaderboard.importers import ImportFailed, Source, Zip
from leaderboard.models import ChallengeFile
from leaderboard.rules.json.strict import MAX_PARTS
from leaderboard.rules.rewards.documents import Document
from leaderboard.services.challenge_code.uploads import NAME as PLUGINS_NAME
from leaderboard.services.challenge_code.uploads import (
    PluginFiles,
    checked_files,
    packed_plugins,
    stored_files,
)
from leaderboard.services.challenges.folder_files import FolderFile
from leaderboard.services.challenges.references import references_in
from leaderboard.services.errors import invalid
from leaderboard.services.files.store import open_file

DOCUMENT: Final = "challenge.json"
REFERENCES: Final = "references.jsonl"
MOST: Final = {DOCUMENT: 2 * MAX_BYTES_OF_CHALLENGE, REFERENCES: MAX_BYTES_OF_TEXTS}
"""The files that there may be, and how many bytes each may have once it is unpacked."""
FILE: Final = r"files/[a-z_]+(@[a-z0-9-]+)?/[^/\\]+"
PLUGINS: Final = "scorers/"
"""The folder of the challenge's own plugins."""
MOST_UNPACKED: Final = 256 * 1024 * 1024
"""The most bytes that all files may have together."""
IN_MEMORY: Final = 1024 * 1024
MADE_AT: Final = (1980, 1, 1, 0, 0, 0)
"""The date of all files, so that the same challenge has the same bytes."""


class FolderParser(DocumentParser):
    """`application/zip` of at most 64 MiB, unparsed."""

    media_type = "application/zip"
    most = MAX_BYTES_OF_TEXTS


class SentFolder(NamedTuple):
    """The files of a zip file. references: None if there are none."""

    document: Mapping[str, Any]
    references: Document | None
    files: list[FolderFile]


def read_folder(body: object) -> SentFolder:
    """The files of a challenge. Raises ServiceError and TooLarge."""
    try:
        with closing(Zip(io.BytesIO(body if isinstance(body, bytes) else b""))) as archive:
            names = archive.names
            plugins = [name for name in names if name.startswith(PLUGINS)]
            plain_files = [name for name in names if name not in (*MOST, *plugins)]
            if DOCUMENT not in names or not all(re.fullmatch(FILE, name) for name in plain_files):
                wrong = _(
                    "must hold challenge.json, and perhaps references.jsonl, files/ROLE/NAME and "
                    "scorers/NAME.py"
                )
                raise invalid("folder", wrong, got=", ".join(names[:10]))
            files = _unpacked(archive)
    except ImportFailed as error:
        raise invalid("folder", error.text) from None
    document, _parts = json_value(files[DOCUMENT], MAX_PARTS)
    if not isinstance(document, dict):
        raise invalid(DOCUMENT, _("must be an object"), got=document)
    return SentFolder(
        document,
        _references(files[REFERENCES]) if REFERENCES in files else None,
        [
            *(_file(name, files[name]) for name in plain_files),
            *_own_plugins({name.removeprefix(PLUGINS): files[name] for name in plugins}),
        ],
    )


def write_folder(
    document: Mapping[str, Any],
    references: Iterable[Mapping[str, object]] | None,
    files: Iterable[ChallengeFile],
) -> IO[bytes]:
    """The zip file of a challenge, at its beginning."""
    file: IO[bytes] = SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 - closed with the answer
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        text = json.dumps(document, indent=2, ensure_ascii=False)
        archive.writestr(_entry(DOCUMENT), text)
        if references is not None:
            with archive.open(_entry(REFERENCES), "w", force_zip64=True) as lines:
                for row in references:
                    lines.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")
        for stored in files:
            if stored.role == ChallengeFile.Role.PLUGINS:
                for name, content_of_plugin in stored_files(stored).items():
                    archive.writestr(_entry(f"{PLUGINS}{name}"), content_of_plugin)
                continue
            phase = f"@{stored.phase.slug}" if stored.phase else ""
            name = f"files/{stored.role}{phase}/{stored.name}"
            with (
                open_file(stored.path) as content,
                archive.open(_entry(name), "w", force_zip64=True) as packed,
            ):
                copyfileobj(content, packed)
    file.seek(0)
    return file


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, MADE_AT)
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry


def _unpacked(archive: Zip) -> dict[str, bytes]:
    """The contents by name. Raises TooLarge and ImportFailed."""
    files, total = {}, 0
    for name in archive.names:
        content, most = bytearray(), MOST.get(name, MAX_FILE_BYTES)
        for piece in archive.pieces(name):
            content += piece
            total += len(piece)
            if len(content) > most or total > MOST_UNPACKED:
                raise too_large(most if len(content) > most else MOST_UNPACKED)
        files[name] = bytes(content)
    return files


def _file(path: str, content: bytes) -> FolderFile:
    _folder, where, name = path.split("/")
    role, _at, phase = where.partition("@")
    return FolderFile(role, phase, name, io.BytesIO(content))


def _own_plugins(files: PluginFiles) -> Iterator[FolderFile]:
    if files:
        content = io.BytesIO(packed_plugins(checked_files(files)))
        yield FolderFile(ChallengeFile.Role.PLUGINS, "", PLUGINS_NAME, content)


def _references(content: bytes) -> Document:
    try:
        source = Source.open(content, REFERENCES)
    except ImportFailed as error:
        raise invalid("references", error.text) from None
    with source:
        return references_in(source)
