"""Hugging Face Evaluate: what `evaluate.save` writes, as reported values.

The file holds everything that was passed to it, results and parameters alike. Every number becomes
a value, called `outer.inner` in objects. The only imported texts are the model and the data set.
"""

from __future__ import annotations

from typing import Any, Final

from leaderboard.importers.reading.chosen import any_document, documents
from leaderboard.importers.reading.imports import Import, ImportedAttempt, Importer
from leaderboard.importers.reading.json_place import Part
from leaderboard.importers.reading.naming import source_id
from leaderboard.importers.reading.reported_numbers import ReportedNumbers, nested, ranked_by, whose
from leaderboard.importers.reading.source import Source
from leaderboard.rules.texts.messages import message

KEY: Final = "hf-evaluate"
RESULT: Final = "result*.json"
OWN: Final = ("_timestamp", "_evaluate_version")
MODELS: Final = ("model", "model_name", "model_id", "model_name_or_path")
DATASETS: Final = ("dataset", "dataset_name", "task", "task_name")


def recognises(source: Source) -> bool:
    """A result with the time and version that Evaluate adds."""
    return any_document(source, (RESULT,), _is_result)


def reads(source: Source, participant: str) -> Import:
    """One attempt for each result. Raises ImportFailed."""
    warnings: list[str] = []
    attempts: list[ImportedAttempt] = []
    labels: dict[str, str] = {}
    for part in documents(
        source,
        (RESULT,),
        _is_result,
        message("must contain a result of evaluate.save; got a file without any"),
        warnings,
    ):
        attempt, found = _attempt(part, participant, warnings)
        attempts.append(attempt)
        labels = labels or found.labels
    return Import(KEY, attempts, warnings=warnings, suggested=ranked_by(labels))


def _is_result(value: Any) -> bool:
    return isinstance(value, dict) and all(name in value for name in OWN)


def _attempt(
    document: Part, participant: str, warnings: list[str]
) -> tuple[ImportedAttempt, ReportedNumbers]:
    found = ReportedNumbers(KEY)
    for label, value in nested(document):
        if not label.startswith("_"):
            found.add(label, value)
    if not found.values:
        raise document.fail(message("must contain a number"))
    found.warn(document.file, warnings)
    model, dataset = _text(document, MODELS), _text(document, DATASETS)
    meta = {
        "model": model,
        "dataset": dataset,
        "harness": f"evaluate {document['_evaluate_version'].words(20)}".strip(),
    }
    attempt = ImportedAttempt(
        participant=whose(participant, "", model, document.file),
        source_id=source_id(KEY, document["_timestamp"].words(), found.values, found.rest),
        meta={key: value for key, value in meta.items() if value},
        values=found.values,
        file_metrics=found.rest,
        submitted_at=document["_timestamp"].moment(),
    )
    return attempt, found


def _text(document: Part, names: tuple[str, ...]) -> str:
    return next(filter(None, (document[name].words() for name in names)), "")


IMPORTER = Importer(
    KEY,
    message("Hugging Face Evaluate"),
    message("a result-*.json of evaluate.save"),
    recognises,
    reads,
)
