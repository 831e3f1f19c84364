"""HarpIA Lab's input document: instances with a model's outputs, and metrics."""

from __future__ import annotations

from typing import Final

from leaderboard.importers.reading.errors import ImportFailed
from leaderboard.importers.reading.imports import Import, ImportedAttempt, Importer
from leaderboard.importers.reading.instance_files import checked, read_document, shape_of
from leaderboard.importers.reading.json_place import JsonValue
from leaderboard.importers.reading.naming import participant_name, source_id
from leaderboard.importers.reading.source import Source
from leaderboard.importers.reading.suggestions import SuggestedFields
from leaderboard.importers.tools import podium_fields
from leaderboard.rules.json.canonical import digest
from leaderboard.rules.rewards.documents import INSTANCES, METRICS, told_further
from leaderboard.rules.texts.messages import message

KEY: Final = "harpia"
PERSON, MODEL = "participant", "model"
"""Fields of a document that may say whose outputs they are."""


def recognises(source: Source) -> bool:
    """One document with a list of instances."""
    return shape_of(source) == "document"


def reads(source: Source, participant: str) -> Import:
    """One attempt. Raises ImportFailed with the place of each wrong instance."""
    if not source.single:
        raise ImportFailed(
            message(
                "must be one document with {instances}; got several files", instances=INSTANCES
            ),
            file=source.label,
        )
    part = checked(source)
    document = read_document(source)
    attempt = ImportedAttempt(
        participant=participant or _participant(part),
        source_id=source_id(KEY, digest(part.value)),
        meta={MODEL: model} if (model := part[MODEL].words()) else {},
        evaluation=document,
        sent=part[PERSON].value if isinstance(part[PERSON].value, str) else "",
    )
    suggested: SuggestedFields = {"text_metrics": document.metrics} if document.metrics else {}
    warnings = list(told_further(document.instances))
    return Import(KEY, [attempt], suggested=suggested, warnings=warnings)


def _participant(part: JsonValue) -> str:
    if isinstance(part[PERSON].value, str):
        return podium_fields.participant(part[PERSON])
    if model := part[MODEL].words():
        return participant_name("", model)
    raise ImportFailed(
        message(
            "must be given, because the file has no {person} and no {model}; got none",
            person=PERSON,
            model=MODEL,
        ),
        field="participant",
    )


IMPORTER = Importer(
    KEY,
    message("HarpIA Lab"),
    message(
        "its input document, JSON with {instances} and {metrics}",
        instances=INSTANCES,
        metrics=METRICS,
    ),
    recognises,
    reads,
)
