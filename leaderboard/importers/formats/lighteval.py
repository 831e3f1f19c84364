"""lighteval: `results_*.json`, whose values become reported values.

A value is called `task.metric`, with the name of the task as lighteval writes it
(`gsm8k:0`, or `leaderboard:arc:challenge:25`). Standard errors are left out. The rows of single
samples are in Parquet files beside it, which are not read.
"""

from __future__ import annotations

import re
from typing import Any, Final

from leaderboard.importers.reading.chosen import any_document, documents
from leaderboard.importers.reading.errors import shown
from leaderboard.importers.reading.imports import Import, ImportedAttempt, Importer
from leaderboard.importers.reading.json_place import Part
from leaderboard.importers.reading.naming import source_id
from leaderboard.importers.reading.reported_numbers import ReportedNumbers, finite, ranked_by, whose
from leaderboard.importers.reading.source import Source
from leaderboard.rules.texts.messages import message

KEY: Final = "lighteval"
RESULTS: Final = "results*.json"
ALL: Final = "all"
AVERAGE: Final = ":_average"
OLD: Final = "harness|"
"""How tasks of the first Open LLM Leaderboard begin, whose files have the same shape."""

_STDERR = re.compile(r"_stderr$")


def recognises(source: Source) -> bool:
    """Results with lighteval's general config and the configs of its tasks."""
    return any_document(source, (RESULTS,), _is_results, most=5)


def reads(source: Source, participant: str) -> Import:
    """One attempt for each results file. Raises ImportFailed."""
    warnings: list[str] = []
    if any(name.endswith(".parquet") for name in source.names):
        warnings.append(
            message(
                "details_*.parquet are not read; the values of the results become reported values"
            )
        )
    attempts: list[ImportedAttempt] = []
    labels: dict[str, str] = {}
    for part in documents(
        source,
        (RESULTS,),
        _is_results,
        message("must contain results of lighteval; got a file without any"),
        warnings,
    ):
        attempt, found = _attempt(part, participant, warnings)
        attempts.append(attempt)
        labels = labels or found.labels
    return Import(KEY, attempts, warnings=warnings, suggested=ranked_by(labels))


def _is_results(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("config_general"), dict):
        return False
    results = value.get("results")
    if not isinstance(results, dict) or "configs" in value:
        return False
    known = "lighteval_sha" in value["config_general"] or "config_tasks" in value
    return known and not any(name.startswith(OLD) for name in results)


def _attempt(
    document: Part, participant: str, warnings: list[str]
) -> tuple[ImportedAttempt, ReportedNumbers]:
    about = document["config_general"]
    model = about["model_name"].words() or about["model_config"]["model_name"].words()
    found = _values(document["results"])
    if not found.values:
        raise document["results"].fail(message("must contain a number"))
    found.warn(document.file, warnings)
    meta = {
        "model": model,
        "revision": about["model_sha"].words() or about["model_config"]["revision"].words(),
        "dataset": ", ".join(_tasks(document["results"]))[:200],
        "harness": f"lighteval {about['lighteval_sha'].words(12)}".removesuffix(" ?").strip(),
    }
    if (limit := about["max_samples"].count()) is not None:
        warnings.append(
            message(
                "{file}: only {limit} samples of each task were evaluated",
                file=shown(document.file),
                limit=limit,
            )
        )
    attempt = ImportedAttempt(
        participant=whose(participant, "", model, document.file),
        source_id=source_id(
            KEY, model, finite(about["start_time"].value), found.values, found.rest
        ),
        meta={key: value for key, value in meta.items() if value},
        values=found.values,
        file_metrics=found.rest,
    )
    return attempt, found


def _values(results: Part) -> ReportedNumbers:
    """Values over all tasks come first, then averages of groups, then single tasks."""
    found = ReportedNumbers(KEY)
    tasks = [name for name, _ in results.fields()]
    one = sum(name != ALL for name in tasks) == 1
    for name in sorted(tasks, key=lambda name: (name != ALL, AVERAGE not in name)):
        if name == ALL and one:
            continue  # the only task says the same
        for metric, part in results[name].fields():
            value = finite(part.value)
            if value is not None and not _STDERR.search(metric):
                found.add(f"{name}.{metric}", value)
    return found


def _tasks(results: Part) -> list[str]:
    return [name for name, _ in results.fields() if name != ALL and AVERAGE not in name]


IMPORTER = Importer(
    KEY, message("lighteval"), message("a results_*.json of lighteval"), recognises, reads
)
