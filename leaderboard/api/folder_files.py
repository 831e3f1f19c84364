"""The zip file of a challenge: `challenge.json`, and `references.jsonl` if it holds any."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterable, Mapping
from tempfile import SpooledTemporaryFile
from typing import IO, Any, Final, NamedTuple

from django.utils.translation import gettext as _

from leaderboard.api.bodies import MAX_BYTES_OF_TEXTS, json_value, too_large
from leaderboard.api.parsers import MAX_BYTES_OF_CHALLENGE, DocumentParser
from leaderboard.importers import ImportFailed, Source
from leaderboard.rules.json.strict import MAX_PARTS
from leaderboard.rules.rewards.documents import Document
from leaderboard.services.challenges.references import references_in
from leaderboard.services.errors import invalid

DOCUMENT: Final = "challenge.json"
REFERENCES: Final = "references.jsonl"
MOST: Final = {DOCUMENT: 2 * MAX_BYTES_OF_CHALLENGE, REFERENCES: MAX_BYTES_OF_TEXTS}
"""The files that there may be, and how many bytes each may have once it is unpacked."""
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


def read_folder(body: object) -> SentFolder:
    """The files of a challenge. Raises ServiceError and TooLarge."""
    try:
        with zipfile.ZipFile(io.BytesIO(body if isinstance(body, bytes) else b"")) as archive:
            names = archive.namelist()
            if DOCUMENT not in names or set(names) - MOST.keys() or len(names) > len(set(names)):
                wrong = _("must hold challenge.json, and references.jsonl or nothing else")
                raise invalid("folder", wrong, got=", ".join(names[:10]))
            files = {name: _unpacked(archive, name) for name in names}
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError):
        raise invalid("folder", _("must be a zip file; got other bytes")) from None
    document, _parts = json_value(files[DOCUMENT], MAX_PARTS)
    if not isinstance(document, dict):
        raise invalid(DOCUMENT, _("must be an object"), got=document)
    return SentFolder(document, _references(files[REFERENCES]) if REFERENCES in files else None)


def write_folder(
    document: Mapping[str, Any], references: Iterable[Mapping[str, object]] | None
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
    file.seek(0)
    return file


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, MADE_AT)
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry


def _unpacked(archive: zipfile.ZipFile, name: str) -> bytes:
    with archive.open(name) as file:
        content = file.read(MOST[name] + 1)
    if len(content) > MOST[name]:
        raise too_large(MOST[name])
    return content


def _references(content: bytes) -> Document:
    try:
        source = Source.open(content, REFERENCES)
    except ImportFailed as error:
        raise invalid("references", error.text) from None
    with source:
        return references_in(source)
