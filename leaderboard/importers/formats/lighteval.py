"""lighteval: `results_*.json`, whose values become reported values.

A value is called `task.metric`, with the name of the task as lighteval writes it
(`gsm8k:0`, or `leaderboard:arc:challenge:25`). Standard errors are left out. The rows of single
samples are in Parquet files beside it, which are not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from leaderboard.importers.reading.errors import legible
from leaderboard.importers.reading.harness import words_in
from leaderboard.importers.reading.json_files import JsonFiles
from leaderboard.importers.reading.json_place import JsonValue
from leaderboard.importers.reading.reported_numbers import ReportedNumbers
from leaderboard.importers.reading.tool import ToolRun, Upload, by_numbers, importer
from leaderboard.rules.texts.messages import message

KEY: Final = "lighteval"
ALL: Final = "all"
AVERAGE: Final = ":_average"
OLD: Final = "harness|"
"""How tasks of the first Open LLM Leaderboard begin, whose files have the same shape."""

_STDERR = re.compile(r"_stderr$")


def _is_results(document: JsonValue) -> bool:
    """Whether it is results with lighteval's general config and the configs of its tasks."""
    if "config_general" not in document or "configs" in document or "results" not in document:
        return False
    general, results = document["config_general"].value, document["results"].value
    if not isinstance(general, dict) or not isinstance(results, dict):
        return False
    has_marks = "lighteval_sha" in general or "config_tasks" in document
    return has_marks and not any(name.startswith(OLD) for name in results)


FILES: Final = JsonFiles(_is_results, ("results*.json",), looked_at=5)


def runs(upload: Upload) -> Iterator[ToolRun]:
    """One run for each results file."""
    if any(name.endswith(".parquet") for name in upload.source.names):
        upload.warnings.append(
            message(
                "details_*.parquet are not read; the values of the results become reported values"
            )
        )
    for document in upload.documents(FILES):
        yield _run(upload, document)


def _run(upload: Upload, document: JsonValue) -> ToolRun:
    about, results = document["config_general"], document["results"]
    meta = words_in(
        about,
        model=("model_name", "model_config.model_name"),
        revision=("model_sha", "model_config.revision"),
    )
    numbers = _numbers(results)
    if not numbers.values:
        raise results.fail(message("must contain a number"))
    numbers.warn(document.file, upload.warnings)
    if (limit := about["max_samples"].count()) is not None:
        upload.warnings.append(
            message(
                "{file}: only {limit} samples of each task were evaluated",
                file=legible(document.file),
                limit=limit,
            )
        )
    tasks = [name for name, _ in results.fields() if name != ALL and AVERAGE not in name]
    version = about["lighteval_sha"].words(12)
    return ToolRun(
        document.file,
        (meta["model"], about["start_time"].finite(), numbers.values, numbers.rest),
        {
            **meta,
            "dataset": ", ".join(tasks)[:200],
            "harness": f"lighteval {version}".removesuffix(" ?").strip(),
        },
        numbers=numbers,
    )


def _numbers(results: JsonValue) -> ReportedNumbers:
    """Values over all tasks come first, then averages of groups, then single tasks."""
    numbers = ReportedNumbers(KEY)
    tasks = [name for name, _ in results.fields()]
    has_one_task = sum(name != ALL for name in tasks) == 1
    for name in sorted(tasks, key=lambda name: (name != ALL, AVERAGE not in name)):
        if name == ALL and has_one_task:
            continue  # the only task says the same
        for metric, part in results[name].fields():
            value = part.finite()
            if value is not None and not _STDERR.search(metric):
                numbers.add(f"{name}.{metric}", value)
    return numbers


IMPORTER = importer(
    KEY,
    message("lighteval"),
    message("a results_*.json of lighteval"),
    FILES.recognise,
    runs,
    missing=message("must contain results of lighteval; got a file without any"),
    suggests=by_numbers,
)
