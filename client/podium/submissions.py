"""What is submitted: a file or a folder becomes the body of one request."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Final, Literal

from podium.errors import WrongUse

Kind = Literal["attempt", "attempts", "outputs", "evaluation", "file", "predictions"]
"""One attempt as JSON, one a line, outputs by id, a document of instances, a result file of a tool,
a file that the challenge itself reads: predictions, or what its program runs on."""

EVIDENCE: Final = ("metrics", "values", "samples", "task_rewards", "evaluation", "outputs")
DETAILS: Final = ("participant", "name", "kind", "meta", "family", "note", "submitted_at", "phase")
LINES: Final = (".jsonl", ".ndjson")
MOST_LOOKED_AT: Final = 64 * 1024 * 1024
ZIPPED_AT: Final = (1980, 1, 1, 0, 0, 0)


@dataclass
class Submission:
    """A request that submits. body: JSON of an attempt; lines: of many; file: of a tool."""

    kind: Kind
    body: dict[str, Any] = field(default_factory=dict)
    lines: bytes = b""
    file: IO[bytes] | None = None
    file_name: str = ""

    def key(self, *about: str) -> str:
        """The same text for the same submission: an Idempotency-Key."""
        digest = hashlib.sha256(self.lines or json.dumps(self.body, sort_keys=True).encode())
        if self.file is not None:
            while piece := self.file.read(1 << 20):
                digest.update(piece)
            self.file.seek(0)
        import uuid

        return str(
            uuid.uuid5(uuid.NAMESPACE_URL, "\n".join([*about, self.kind, digest.hexdigest()]))
        )


def submission_of(
    source: str | Path | Mapping[str, Any] | None, details: Mapping[str, Any], kind: Kind | None
) -> Submission:
    """What a source submits. Raises WrongUse.

    source: the path of a file or a folder, or an attempt; None for one that `details` describes.
    details: fields of the attempt, which override those of the source. kind: None: by its content.
    """
    if source is None or isinstance(source, Mapping):
        return _attempt({**(source or {}), **details})
    path = Path(source)
    if not path.exists():
        raise WrongUse(f"file: must be a file or a folder; there is no {path}")
    if path.is_dir():
        of_folder = kind if kind == "predictions" else "file"
        name = f"{path.resolve().name}.zip"
        return Submission(of_folder, dict(details), file=_zipped(path), file_name=name)
    content = _json_in(path)
    kind = kind or _kind(path, content)
    if kind in ("file", "predictions"):
        return Submission(kind, dict(details), file=path.open("rb"), file_name=path.name)
    if content is None:
        raise WrongUse(f"file: must be JSON to be submitted as {kind}; got {path.name}")
    if kind == "attempts":
        return Submission("attempts", dict(details), lines=_lines(content, details))
    if kind == "attempt":
        return _attempt({**content, **details})
    return _attempt({kind: _outputs(content) if kind == "outputs" else content, **details})


def _attempt(body: Mapping[str, Any]) -> Submission:
    if not any(name in body for name in EVIDENCE):
        raise WrongUse("Nothing to submit: give a file, --fact or --value.")
    return Submission("attempt", dict(body))


def _json_in(path: Path) -> Any:
    """The JSON value of a file, or the list of its lines; None if it is neither."""
    if path.suffix not in (".json", *LINES) or path.stat().st_size > MOST_LOOKED_AT:
        return None
    try:
        text = path.read_text("utf-8-sig")
        if path.suffix in LINES:
            return [json.loads(line) for line in text.splitlines() if line.strip()]
        return json.loads(text)
    except ValueError:
        return None


def _kind(path: Path, content: Any) -> Kind:
    """What a file holds, by the names of its fields."""
    if path.suffix in LINES:
        first = content[0] if content and isinstance(content[0], dict) else {}
        if _is_attempt(first):
            return "attempts"
        return "outputs" if first.keys() <= {"id", "output", "actual-output"} and first else "file"
    if not isinstance(content, dict):
        return "file"
    if _is_attempt(content):
        return "attempt"
    return "evaluation" if content.keys() <= {"instances", "metrics"} and content else "file"


def _is_attempt(fields: Mapping[str, Any]) -> bool:
    return fields.keys() <= {*EVIDENCE, *DETAILS} and any(name in fields for name in EVIDENCE)


def _outputs(content: Any) -> Any:
    """Outputs by id, from lines or from an object."""
    if isinstance(content, dict):
        return content
    return [
        {"id": line["id"], "actual-output": line.get("actual-output", line.get("output"))}
        for line in content
    ]


def _lines(content: Any, details: Mapping[str, Any]) -> bytes:
    """Attempts, one a line, with the details."""
    rows = content if isinstance(content, list) else content.get("attempts", [])
    return b"".join(json.dumps({**row, **details}).encode() + b"\n" for row in rows)


def _zipped(folder: Path) -> IO[bytes]:
    """The files of a folder, as a zip file that is the same for the same files."""
    import tempfile
    import zipfile

    packed = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the submission
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and not path.is_symlink():
                entry = zipfile.ZipInfo(path.relative_to(folder).as_posix(), ZIPPED_AT)
                entry.compress_type = zipfile.ZIP_DEFLATED
                with path.open("rb") as file, archive.open(entry, "w", force_zip64=True) as target:
                    while piece := file.read(1 << 20):
                        target.write(piece)
    packed.seek(0)
    return packed
