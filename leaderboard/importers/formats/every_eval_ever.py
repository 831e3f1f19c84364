"""Every Eval Ever, schemas 0.0.1 to 0.3.0: an aggregate per file, with its samples where they are.

The results of an aggregate become reported values. `UUID_samples.jsonl` beside it become samples: a
sample id is a task, an evaluation is a reward. Aggregates of several collections rank different
things, so they are refused together. Half widths that 0.0.1 calls confidence intervals are not
read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Final

from leaderboard.importers.reading.errors import ImportFailed
from leaderboard.importers.reading.harness import words_in
from leaderboard.importers.reading.imports import ImportedAttempt
from leaderboard.importers.reading.json_files import JsonFiles
from leaderboard.importers.reading.json_place import JsonValue, parse
from leaderboard.importers.reading.reported_numbers import ReportedNumbers, ranked_by
from leaderboard.importers.reading.sample_row import SampleRow
from leaderboard.importers.reading.suggestions import SuggestedFields
from leaderboard.importers.reading.tool import ToolRun, Upload, by_means, importer
from leaderboard.rules.texts.messages import listed, message

KEY: Final = "every-eval-ever"
SAMPLES: Final = "_samples.jsonl"


def _is_aggregate(document: JsonValue) -> bool:
    return (
        "schema_version" in document
        and "evaluation_id" in document
        and isinstance(document["evaluation_results"].value, list)
    )


FILES: Final = JsonFiles(_is_aggregate, marks=(b'"evaluation_id"',))


def runs(upload: Upload) -> Iterator[ToolRun]:
    """One run for each aggregate. Raises ImportFailed if they are of several collections."""
    collections: dict[str, str] = {}
    for document in upload.documents(FILES):
        collections.setdefault(_collection(document), document.file)
        if len(collections) > 1:
            raise ImportFailed(
                message(
                    "must hold the results of one evaluation; got {names}",
                    names=listed(list(collections)),
                ),
                file=document.file,
            )
        yield _run(upload, document)


def _collection(document: JsonValue) -> str:
    """The part of the evaluation's id before the model: its name."""
    return document["evaluation_id"].words().partition("/")[0]


def _run(upload: Upload, document: JsonValue) -> ToolRun:
    numbers = ReportedNumbers(KEY)
    lower: list[str] = []
    names = ["evaluation_name", "metric_config.metric_id"]
    if document.at("eval_library.name").value == "podium":
        names.reverse()  # the keys of its columns
    for result in document["evaluation_results"].items():
        score = result.at("score_details.score").finite()
        if score is None:
            continue
        first, second = (result.at(name).words(80) for name in names)
        numbers.add(first or second, score)
        if result.at("metric_config.lower_is_better").value is True:
            lower.append([*numbers.labels][-1])
    samples = _samples(upload, document)
    if not numbers.values and not samples:
        raise document.fail(message("must contain a score"))
    numbers.warn(document.file, upload.warnings)
    return ToolRun(
        document.file,
        (document["evaluation_id"].words(), numbers.values, numbers.rest),
        {
            **words_in(
                document,
                model=("model_info.id", "model_info.name"),
                developer=("model_info.developer",),
                source=("source_metadata.source_organization_name",),
                relationship=("source_metadata.evaluator_relationship",),
                harness=("eval_library.name",),
            ),
            "evaluation": document["evaluation_id"].words(),
        },
        samples=samples,
        numbers=numbers,
        submitted_at=_moment(document),
        order=lower,
    )


def _moment(document: JsonValue) -> datetime | None:
    """ISO 8601 in 0.0.1, seconds since 1970 as text in later schemas."""
    for name in ("evaluation_timestamp", "retrieved_timestamp"):
        text = document[name].words(40)
        try:
            return datetime.fromtimestamp(float(text), UTC)
        except (ValueError, OverflowError, OSError):
            if moment := document[name].moment():
                return moment
    return None


def _samples(upload: Upload, document: JsonValue) -> list[SampleRow]:
    """The lines beside an aggregate, a sample for each id and its repetitions."""
    name = document.file.removesuffix(".json") + SAMPLES
    if upload.source.single or name not in upload.source:
        return []
    rows: dict[tuple[str, int], dict[str, float | None]] = {}
    repetitions: Counter[tuple[str, str]] = Counter()
    for number, text in upload.source.lines(name):
        line = parse(text, name, number)
        task, reward = line["sample_id"].name(), line["evaluation_name"].name()
        sample = repetitions[task, reward]
        repetitions[task, reward] += 1
        rows.setdefault((task, sample), {})[reward] = line.at("evaluation.score").finite()
    return [
        SampleRow(task=task, sample=sample, rewards=rewards, usage={}, error="")
        for (task, sample), rewards in rows.items()
    ]


def suggested(runs: Sequence[ToolRun], attempts: Sequence[ImportedAttempt]) -> SuggestedFields:
    """Means of the rewards if there are samples; otherwise the reported values."""
    if any(run.samples for run in runs):
        return by_means()(runs, attempts)
    fields = ranked_by(runs[0].numbers.labels if runs[0].numbers else {})
    lower = {key for run in runs for key in run.order}
    for key in fields.get("rank_by", []):
        key["direction"] = "asc" if key["key"] in lower else "desc"
    for column in fields.get("columns", []):
        if column["key"] in lower:
            column["direction"] = "asc"
    return fields


IMPORTER = importer(
    KEY,
    message("Every Eval Ever"),
    message("an aggregate of Every Eval Ever, better with its samples as zip or tar"),
    FILES.recognise,
    runs,
    missing=message("must contain an aggregate of Every Eval Ever; got a file without any"),
    suggests=suggested,
)
