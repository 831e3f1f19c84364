"""Open LLM Leaderboard: results files of its first generation, and rows of its tables.

A results file names its tasks `harness|arc:challenge|25`; it becomes the six numbers that the
leaderboard showed, and their average. Results files of the second generation are written by
lm-evaluation-harness and are read as such. Rows are of either generation's table of contents.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from leaderboard.importers.reading.harness import words_in
from leaderboard.importers.reading.imports import ImportedAttempt
from leaderboard.importers.reading.json_place import JsonValue, parse
from leaderboard.importers.reading.reported_numbers import ReportedNumbers, nested, ranked_by
from leaderboard.importers.reading.source import Source
from leaderboard.importers.reading.suggestions import SuggestedFields
from leaderboard.importers.reading.tool import ToolRun, Upload, importer
from leaderboard.rules.json.values import JsonObject
from leaderboard.rules.texts.messages import message

KEY: Final = "open-llm-leaderboard"
NAMES: Final = ("results*.json", "*.jsonl", "contents*.json")
OLD: Final = "harness|"
AVERAGE: Final = "Average"

FIRST_BOARD: Final = (
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
    *(label for label, _, _ in FIRST_BOARD),
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
        document = source.document.value if source.document is not None else None
        return any(map(_kind, _first_rows(document))) or any(
            _kind(row.value) for row in source.rows
        )
    return any(_is_own(source, name) for name in source.named(*NAMES)[:20])


def runs(upload: Upload) -> Iterator[ToolRun]:
    """One run for each results file or row."""
    source, has_runs = upload.source, False
    for name in source.named(*NAMES):
        if source.single or _is_own(source, name):
            for part in _parts(source, name):
                has_runs = True
                _check(part)
                yield _run(part)
    if not has_runs:
        source.complain_of_json()


def _suggests(runs: Sequence[ToolRun], attempts: Sequence[ImportedAttempt]) -> SuggestedFields:
    labels: dict[str, str] = {}
    for run in runs:
        labels.update(run.numbers.labels if run.numbers else {})
    return ranked_by(labels, AVERAGE if AVERAGE in labels else "")


def _is_own(source: Source, name: str) -> bool:
    if name.endswith(".jsonl"):
        return any(_kind(row.value) for row in source.peek(name))
    part = source.try_json(name)
    return part is not None and any(map(_kind, _first_rows(part.value)))


def _first_rows(value: Any) -> list[Any]:
    """The first rows of a document: itself, items of a list, or what the data viewer answers."""
    if isinstance(value, dict) and isinstance(value.get("rows"), list):
        return [item.get("row") for item in value["rows"][:3] if isinstance(item, dict)]
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


def _parts(source: Source, name: str) -> Iterator[JsonValue]:
    document = source.try_json(name)
    if document is None:
        yield from (parse(line, name, number) for number, line in source.lines(name))
    elif isinstance(document.value, list):
        yield from document.items()
    elif isinstance(document.value, dict) and isinstance(document.value.get("rows"), list):
        yield from (item["row"] for item in document["rows"].items())
    else:
        yield document


def _check(part: JsonValue) -> None:
    """Raise ImportFailed for a request, or anything else that is not results."""
    kind = _kind(part.value)
    if kind == "request":
        raise part.fail(message("must contain results; got a request for an evaluation"))
    if not kind:
        raise part.fail(message("must have results, or a fullname and an average"))


def _run(part: JsonValue) -> ToolRun:
    kind, numbers = _kind(part.value), ReportedNumbers(KEY)
    about = {
        "results": part["config_general"] if "config_general" in part else part["config"],
        "template": part["config"],
        "answer": part["model"],
    }.get(kind, part)
    name = {"row": "fullname", "answer": "name"}.get(kind, "model_name")
    for label, value in _numbers(kind, part):
        numbers.add(label, value)
    if not numbers.values:
        raise part.fail(message("must contain a number"))
    model = words_in(about, model=(name, "model"))["model"]
    texts = {key: text for key, text in words_in(about, **META).items() if text}
    meta = {"model": model, "harness": "Open LLM Leaderboard", **texts}
    return ToolRun(
        part.file, (sorted(meta.items()), numbers.values, numbers.rest), meta, numbers=numbers
    )


def _numbers(kind: str, part: JsonValue) -> Iterator[tuple[str, float]]:
    if kind == "results":
        return _of_results(part["results"])
    if kind == "template":
        return iter(list(nested(part["results"], depth=2)))
    return _of_answer(part) if kind == "answer" else _of_row(part)


def _of_results(results: JsonValue) -> Iterator[tuple[str, float]]:
    """The values that the leaderboard showed, after their average if all six are there."""
    means = {}
    for label, start, metric in FIRST_BOARD:
        values = [
            value
            for name, part in results.fields()
            if name.startswith(f"{OLD}{start}") and (value := part[metric].finite()) is not None
        ]
        if values:
            means[label] = sum(values) / len(values)
    if len(means) == len(FIRST_BOARD):
        yield AVERAGE, sum(means.values()) / len(means)
    yield from means.items()


def _of_row(row: JsonValue) -> Iterator[tuple[str, float]]:
    for name, part in row.fields():
        value = part.finite()
        if value is not None and (name.startswith(AVERAGE) or name in COLUMNS):
            yield (AVERAGE if name.startswith(AVERAGE) else name), value


def _of_answer(answer: JsonValue) -> Iterator[tuple[str, float]]:
    if (average := answer["model"]["average_score"].finite()) is not None:
        yield AVERAGE, average
    for key, part in answer["evaluations"].fields():
        if (value := part["normalized_score"].finite()) is not None:
            yield part["name"].words() or key, value


IMPORTER = importer(
    KEY,
    message("Open LLM Leaderboard"),
    message("a results_*.json of its first generation, or rows of its table"),
    recognises,
    runs,
    missing=message("must contain results of the Open LLM Leaderboard; got a file without any"),
    suggests=_suggests,
    once=True,
)
