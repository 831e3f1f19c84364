"""The result of reading a file, stored beside the file for the import after a preview."""

from __future__ import annotations

import os
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

from leaderboard.importers import ColumnUse, Import, ImportedAttempt
from leaderboard.importers.reading.packed_samples import PackedSamples
from leaderboard.rules.json.canonical import digest
from leaderboard.rules.json.packing import packed, unpacked
from leaderboard.rules.json.values import JsonObject
from leaderboard.rules.texts.messages import Message

PLAIN = (
    "participant",
    "source_id",
    "meta",
    "values",
    "metrics",
    "file_metrics",
    "specs",
    "error_specs",
    "fields",
    "sent",
    "run",
    "evidence",
)
"""The fields of an attempt that are stored unchanged. Samples and time are converted; texts of
models are not stored."""


def read_once(
    beside: Path | None, asked: Sequence[Any], columns: Sequence[str], read: Callable[[], Import]
) -> Import:
    """The result of `read`, or its stored result if it was called before with the same arguments.

    beside: the file that stores the result; None stores nothing. asked: everything that the result
    depends on, besides the source file, as plain JSON. columns: the given uses of a table's
    columns; it makes no difference whether uses were guessed or are given now. Results with texts
    of models are not stored, because the upload has these texts already.
    """
    if beside is None:
        return read()
    stored = _stored(beside, digest([PLAIN, *asked, *columns]))
    if stored is not None:
        return stored
    result = read()
    guessed = [f"{column.column}={column.use}" for column in result.map]
    keys = [digest([PLAIN, *asked, *uses]) for uses in (columns, guessed)]
    if not any(one.evaluation or one.outputs is not None for one in result.attempts):
        with suppress(OSError):  # on a full disk, the file is only read again
            _keep(beside, keys, result)
    return result


def _stored(beside: Path, key: str) -> Import | None:
    try:
        kept = unpacked(beside.read_bytes())
    except OSError:
        return None
    return _import(kept["import"]) if key in kept["keys"] else None


def _keep(beside: Path, keys: Sequence[str], result: Import) -> None:
    whole = packed({"keys": list(keys), "import": _plain(result)})
    begun = beside.with_suffix(".begun")
    descriptor = os.open(begun, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(whole)
    begun.replace(beside)


def _plain(result: Import) -> JsonObject:
    return {
        "format": result.format,
        "attempts": [_plain_attempt(attempt) for attempt in result.attempts],
        "challenges": result.challenges,
        "warnings": [_plain_text(warning) for warning in result.warnings],
        "suggested": result.suggested,
        "map": [{**asdict(column), "note": _plain_text(column.note)} for column in result.map],
    }


def _plain_text(text: object) -> object:
    """Convert a text to JSON, with what its translation needs; numbers stay unchanged."""
    if isinstance(text, Message):
        parameters = {name: _plain_text(value) for name, value in text.parameters.items()}
        return {"template": text.template, "plural": text.plural, "parameters": parameters}
    return text if isinstance(text, str | int | float) else str(text)


def _plain_attempt(one: ImportedAttempt) -> JsonObject:
    samples = one.samples
    return {
        **{name: getattr(one, name) for name in PLAIN},
        "submitted_at": one.submitted_at.isoformat() if one.submitted_at else None,
        "samples": _state(samples) if isinstance(samples, PackedSamples) else list(samples),
    }


def _state(samples: PackedSamples) -> JsonObject:
    state = samples.state()
    columns = {
        "whole_numbers": [b64encode(column).decode() for column in state["whole_numbers"]],
        "numbers": [b64encode(column).decode() for column in state["numbers"]],
    }
    return {**state, **columns}


COLUMNS = ("whole_numbers", "numbers")
"""The parts of the state of packed samples that are bytes; in JSON they are base64 texts."""


def _import(kept: Mapping[str, Any]) -> Import:
    attempts = [_attempt(attempt) for attempt in kept["attempts"]]
    warnings = [_text(warning) for warning in kept["warnings"]]
    uses = tuple(map(_use, kept["map"]))
    return Import(**{**kept, "attempts": attempts, "warnings": warnings, "map": uses})


def _use(kept: Mapping[str, Any]) -> ColumnUse:
    return ColumnUse(**{**kept, "examples": tuple(kept["examples"]), "note": _text(kept["note"])})


def _text(kept: Any) -> Any:
    """The reverse of `_plain_text`."""
    if not isinstance(kept, Mapping):
        return kept
    parameters = {name: _text(value) for name, value in kept["parameters"].items()}
    return Message(kept["template"], kept["plural"], parameters)


def _attempt(kept: Mapping[str, Any]) -> ImportedAttempt:
    samples, moment = kept["samples"], kept["submitted_at"]
    if isinstance(samples, dict):
        columns = {name: [b64decode(column) for column in samples[name]] for name in COLUMNS}
        state: Any = {**samples, **columns}  # as `_state` has written it
        samples = PackedSamples.of_state(state)
    submitted_at = datetime.fromisoformat(moment) if moment else None
    return ImportedAttempt(**{**kept, "samples": samples, "submitted_at": submitted_at})
