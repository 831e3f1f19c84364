"""Outputs of a model by the ids of instances, for a challenge that holds the references."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from leaderboard.importers.formats.podium_jsonl import resembles as is_nearly_attempts
from leaderboard.importers.reading.errors import ImportFailed
from leaderboard.importers.reading.imports import Import, ImportedAttempt, Importer
from leaderboard.importers.reading.instance_files import (
    FileShape,
    InLines,
    checked,
    failed,
    header_of,
    read_lines,
    read_table,
    shape_of,
)
from leaderboard.importers.reading.naming import source_id
from leaderboard.importers.reading.source import Source
from leaderboard.importers.tools.podium_rows import PERSON
from leaderboard.rules.json.canonical import digest
from leaderboard.rules.rewards.documents import ACTUAL, ID, told_further
from leaderboard.rules.texts.messages import message
from leaderboard.rules.texts.names import name_key
from leaderboard.schemas.documents import parse_outputs
from leaderboard.schemas.errors import SchemaError
from leaderboard.schemas.instances import read_output

KEY: Final = "outputs"
SHAPES: Final = ("outputs", "list", "lines", "table")


def recognises(source: Source) -> bool:
    """An object of texts, a list or lines with outputs, or a table with a column of outputs."""
    shape = shape_of(source)
    if shape == "outputs" and is_nearly_attempts(source):
        return False
    return ACTUAL in header_of(source) if shape == "table" else shape in SHAPES


def reads(source: Source, participant: str) -> Import:
    """One attempt. Raises ImportFailed with the line, or the id, of each wrong output.

    Such a file does not identify a run, so two participants may submit the same one.
    """
    if not source.single:
        raise ImportFailed(message("must be one file; got several"), file=source.label)
    shape = shape_of(source) or _meant(source)
    if shape == "table" and PERSON in header_of(source):
        text = message(
            "must hold the outputs of a single {person}, which is named beside the file; "
            "got a column {person}",
            person=PERSON,
        )
        raise ImportFailed(text, file=source.label, line=1)
    outputs, lines = _READERS[shape](source)
    if not participant:
        raise ImportFailed(
            message("must be given, because such a file does not say whose it is; got none"),
            field="participant",
        )
    attempt = ImportedAttempt(
        participant=participant,
        source_id=source_id(
            KEY, name_key(participant), digest([output.row() for output in outputs])
        ),
        outputs=outputs,
        lines=lines,
    )
    return Import(KEY, [attempt], warnings=list(told_further(outputs)))


def _meant(source: Source) -> FileShape:
    """The most similar shape for a file of none, so that its reader reports the errors."""
    if source.document is not None and not any(ID in row for row in source.rows):
        return "outputs"
    return "lines" if source.rows else "table"


def _read_object(source: Source) -> InLines:
    """The instances of a file that errors refer to by id, or by position in a list."""
    part = checked(source)
    try:
        return InLines(parse_outputs(part.value), [])
    except SchemaError as error:
        raise failed(error, part) from None


_READERS: dict[FileShape, Callable[[Source], InLines]] = {
    "outputs": _read_object,
    "list": _read_object,
    "document": _read_object,
    "lines": lambda source: read_lines(source, read_output),
    "table": lambda source: read_table(source, read_output),
}

IMPORTER = Importer(
    KEY,
    message("Outputs"),
    message(
        "outputs by id: a JSON object, or a list, lines or a CSV with {id} and {actual}",
        id=ID,
        actual=ACTUAL,
    ),
    recognises,
    reads,
)
