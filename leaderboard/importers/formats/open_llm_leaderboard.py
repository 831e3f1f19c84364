"""Open LLM Leaderboard: results files of its first generation, and rows of its tables.

A results file names its tasks `harness|arc:challenge|25`; it becomes the six numbers that the
leaderboard showed, and their average. Results files of the second generation are written by
lm-evaluation-harness and are read as such. Rows are of either generation's table of contents.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from leaderboard.importers.reading.errors import ImportFailed
from leaderboard.importers.reading.imports import Import, ImportedAttempt, Importer
from leaderboard.importers.reading.json_place import Part, parse
from leaderboard.importers.reading.naming import source_id
from leaderboard.importers.reading.reported_numbers import (
    ReportedNumbers,
    finite,
    nested,
    ranked_by,
    whose,
)
from leaderboard.importers.reading.source import Source
from leaderboard.rules.json.values import JsonObject
from leaderboard.rules.texts.messages import message

KEY: Final = "open-llm-leaderboard"
NAMES: Final = ("results*.json", "*.jsonl", "contents*.json")
OLD: Final = "harness|"
AVERAGE: Final = "Average"

SHOWN: Final = (
    ("ARC", "arc:challenge|", "acc_norm"),
    ("HellaSwag", "hellaswag|", "acc_norm"),
    ("MMLU", "hendrycksTest-", "acc"),
    ("TruthfulQA", "truthfulqa:mc|", "mc2"),
    ("Winogrande", "winogrande|", "acc"),
    ("GSM8K", "gsm8k|", "acc"),
)
"""What the first generation showed: label, how its tasks begin, and the metric of each.

MMLU is the mean over its subjects; the average is over all six.
"""

COLUMNS: Final = (
    *("IFEval", "BBH", "MATH Lvl 5", "GPQA", "MUSR", "MMLU-PRO"),
    *(label for label, _, _ in SHOWN),
)
"""Benchmarks of both tables."""

META: Final = {
    "revision": ("Model sha", "sha", "model_sha"),
    "precision": ("Precision", "precision", "model_dtype"),
    "type": ("Type", "type"),
    "architecture": ("Architecture", "architecture"),
}


def recognises(source: Source) -> bool:
    """Results with tasks called `harness|…`, rows with `fullname` and an average, or requests."""
    if source.single:
        found = source.document.value if source.document is not None else None
        return any(map(_kind, _in(found))) or any(_kind(row.value) for row in source.rows)
    return any(_is_one(source, name) for name in source.named(*NAMES)[:20])


def reads(source: Source, participant: str) -> Import:
    """One attempt for each results file or row. Raises ImportFailed."""
    names = source.named(*NAMES)
    if not source.single:
        names = [name for name in names if _is_one(source, name)]
    found = [
        _attempt(part, participant)
        for name in names
        for part in _parts(source, name)
        if _check(part)
    ]
    if not found:
        source.complain_of_json()
        raise ImportFailed(
            message("must contain results of the Open LLM Leaderboard; got a file without any"),
            file=source.label,
        )
    labels: dict[str, str] = {}
    for _, values in found:
        labels.update(values.labels)
    first = AVERAGE if AVERAGE in labels else ""
    attempts = list({each.source_id: each for each, _ in found}.values())
    return Import(KEY, attempts, suggested=ranked_by(labels, first))


def _is_one(source: Source, name: str) -> bool:
    if name.endswith(".jsonl"):
        return any(_kind(row.value) for row in source.peek(name))
    part = source.try_json(name)
    return part is not None and any(map(_kind, _in(part.value)))


def _in(value: Any) -> list[Any]:
    """The first rows of a document: itself, items of a list, or what the data viewer answers."""
    if isinstance(value, dict) and isinstance(value.get("rows"), list):
        return [each.get("row") for each in value["rows"][:3] if isinstance(each, dict)]
    return value[:3] if isinstance(value, list) else [value]


def _kind(value: Any) -> str:
    """`results`, `template` (of boards made after it), `row`, `answer`, `request`, or ""."""
    if not isinstance(value, dict):
        return ""
    results = value.get("results")
    if isinstance(results, dict):
        return _kind_of_results(value, results)
    if "fullname" in value and any(name.startswith(AVERAGE) for name in value):
        return "row"
    model = value.get("model")
    if isinstance(value.get("evaluations"), dict) and isinstance(model, dict):
        return "answer" if "average_score" in model else ""
    request = {"model", "revision", "precision", "status", "submitted_time", "weight_type"}
    return "request" if request <= value.keys() else ""


def _kind_of_results(value: JsonObject, results: JsonObject) -> str:
    if any(name.startswith(OLD) for name in results):
        return "results"
    config = value.get("config")
    if not isinstance(config, dict) or "model_name" not in config or "configs" in value:
        return ""
    return "template" if "model_sha" in config or "model_dtype" in config else ""


def _parts(source: Source, name: str) -> Iterator[Part]:
    document = source.try_json(name)
    if document is None:
        yield from (parse(line, name, number) for number, line in source.lines(name))
    elif isinstance(document.value, list):
        yield from document.items()
    elif isinstance(document.value, dict) and isinstance(document.value.get("rows"), list):
        yield from (each["row"] for each in document["rows"].items())
    else:
        yield document


def _check(part: Part) -> bool:
    kind = _kind(part.value)
    if kind == "request":
        raise part.fail(message("must contain results; got a request for an evaluation"))
    if not kind:
        raise part.fail(message("must have results, or a fullname and an average"))
    return True


def _attempt(part: Part, participant: str) -> tuple[ImportedAttempt, ReportedNumbers]:
    kind, found = _kind(part.value), ReportedNumbers(KEY)
    about = {
        "results": part["config_general"] if "config_general" in part else part["config"],
        "template": part["config"],
        "answer": part["model"],
    }.get(kind, part)
    names = {"row": "fullname", "answer": "name"}
    model = about[names.get(kind, "model_name")].words() or about["model"].words()
    for label, value in _numbers(kind, part):
        found.add(label, value)
    if not found.values:
        raise part.fail(message("must contain a number"))
    meta = {"model": model, "harness": "Open LLM Leaderboard"}
    for key, fields in META.items():
        if text := next(filter(None, (about[field].words() for field in fields)), ""):
            meta[key] = text
    attempt = ImportedAttempt(
        participant=whose(participant, "", model, part.file),
        source_id=source_id(KEY, sorted(meta.items()), found.values, found.rest),
        meta=meta,
        values=found.values,
        file_metrics=found.rest,
    )
    return attempt, found


def _numbers(kind: str, part: Part) -> Iterator[tuple[str, float]]:
    if kind == "results":
        return _shown(part["results"])
    if kind == "template":
        return iter(list(nested(part["results"], depth=2)))
    return _of_answer(part) if kind == "answer" else _of_row(part)


def _shown(results: Part) -> Iterator[tuple[str, float]]:
    """The known values, and their average if all six are known."""
    found = {}
    for label, start, metric in SHOWN:
        values = [
            value
            for name, part in results.fields()
            if name.startswith(f"{OLD}{start}")
            and (value := finite(part[metric].value)) is not None
        ]
        if values:
            found[label] = sum(values) / len(values)
    if len(found) == len(SHOWN):
        yield AVERAGE, sum(found.values()) / len(found)
    yield from found.items()


def _of_row(row: Part) -> Iterator[tuple[str, float]]:
    for name, part in row.fields():
        value = finite(part.value)
        if value is not None and (name.startswith(AVERAGE) or name in COLUMNS):
            yield (AVERAGE if name.startswith(AVERAGE) else name), value


def _of_answer(answer: Part) -> Iterator[tuple[str, float]]:
    if (average := finite(answer["model"]["average_score"].value)) is not None:
        yield AVERAGE, average
    for key, part in answer["evaluations"].fields():
        if (value := finite(part["normalized_score"].value)) is not None:
            yield part["name"].words() or key, value


IMPORTER = Importer(
    KEY,
    message("Open LLM Leaderboard"),
    message("a results_*.json of its first generation, or rows of its table"),
    recognises,
    reads,
)
