"""Uploads made from the fixtures, in every form that a client may send."""

from __future__ import annotations

import io
import json
import re
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from backports.zstd.zipfile import ZIP_ZSTANDARD
from backports.zstd.zipfile import ZipFile as ZstandardZipFile

from leaderboard.importers import Import, ImportedAttempt, ImportFailed, Source, read
from leaderboard.importers.reading.sample_row import SampleRow

FIXTURES = Path(__file__).parent / "fixtures"
Files = Mapping[str, bytes]
Texts = Mapping[str, bytes | str]


def folder(name: str) -> dict[str, bytes]:
    """Return the files of a fixture folder, or the one file of that name."""
    root = FIXTURES / name
    if root.is_file():
        return {root.name: root.read_bytes()}
    paths = (path for path in sorted(root.rglob("*")) if path.is_file())
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in paths}


def below(top: str, files: Files) -> dict[str, bytes]:
    """Return the same files within a folder."""
    return {f"{top}/{name}": text for name, text in files.items()}


def zipped(files: Files | Texts, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return buffer.getvalue()


def zstandard(files: Files) -> bytes:
    """Return a zip as inspect-ai writes it."""
    buffer = io.BytesIO()
    with ZstandardZipFile(buffer, "w", ZIP_ZSTANDARD) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return buffer.getvalue()


def tarred(files: Files, mode: str = "w:gz") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:  # type: ignore[call-overload]
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text))
    return buffer.getvalue()


def lines(*rows: Any) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def imported(upload: bytes | Path | Files, name: str = "upload", **options: Any) -> Import:
    """Return the import of an upload; several files are sent as a zip."""
    if isinstance(upload, Mapping):
        upload = zipped(upload)
    with Source.open(upload, name) as source:
        return read(source, **options)


def only_attempt(
    upload: bytes | Path | Files, name: str = "upload", **options: Any
) -> ImportedAttempt:
    """Return the attempt of an upload that holds one."""
    (attempt,) = imported(upload, name, **options).attempts
    return attempt


def refusal(upload: bytes | Path | Files, name: str = "upload", **options: Any) -> str:
    """Return the error of an upload that is refused."""
    try:
        imported(upload, name, **options)
    except ImportFailed as error:
        return error.text
    pytest.fail(f"was accepted: {upload!r:.300}")


def assert_refused(
    upload: bytes | Path | Files, expected: str, name: str = "file", **options: Any
) -> None:
    """Check where an upload is wrong and why.

    expected: the end of the place, a colon, and words of the reason, like `line 2, task: a text`.
    """
    text = refusal(upload, name, **options)
    place, _, words = expected.rpartition(": ")
    where, reason = re.split(r": (?=[^:]*must |is required)", text, maxsplit=1)
    assert where.endswith(place), text
    assert words in reason, text


def eval_log(log: dict[str, Any]) -> dict[str, bytes]:
    """Return an inspect-ai .json log as the members of its .eval."""
    samples = log["samples"]
    header = {key: value for key, value in log.items() if key != "samples"}
    return {
        "_journal/start.json": json.dumps(
            {key: log[key] for key in ("version", "eval", "plan")}
        ).encode(),
        **{
            f"samples/{sample['id']}_epoch_{sample['epoch']}.json": json.dumps(sample).encode()
            for sample in samples
        },
        "summaries.json": json.dumps(samples).encode(),
        "header.json": json.dumps(header).encode(),
    }


def rewards_of(sample: SampleRow) -> Mapping[str, float | None]:
    """Return the rewards of a sample that has some."""
    assert sample["rewards"] is not None
    return sample["rewards"]
