"""Runs of experiment trackers: logged numbers with a name, and perhaps a model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from leaderboard.facts import FactValue
from leaderboard.importers.reading.errors import legible
from leaderboard.importers.reading.imports import ImportedAttempt
from leaderboard.importers.reading.json_place import JsonValue
from leaderboard.importers.reading.reported_numbers import ReportedNumbers, measured, ranked_by
from leaderboard.importers.reading.suggestions import SuggestedFields
from leaderboard.importers.reading.tool import ToolRun
from leaderboard.rules.texts.messages import message

MODELS: Final = ("model", "model_name", "model_id", "model_name_or_path")
AGENTS: Final = ("agent", "agent_name")
DATASETS: Final = ("dataset", "dataset_name", "benchmark", "task")
FINISHED: Final = ("FINISHED", "finished")
UNFINISHED: Final = ("RUNNING", "SCHEDULED", "running", "pending")
FAILED: Final = ("FAILED", "KILLED", "failed", "crashed", "killed")


@dataclass(frozen=True)
class TableRun:
    """A run of a tracker. params: only those that `is_label` accepts."""

    file: str
    id: str
    name: str
    status: str
    numbers: ReportedNumbers
    params: Mapping[str, str] = field(default_factory=dict)
    started: datetime | None = None
    elapsed_ms: int | None = None


def is_taken(run: TableRun, warnings: list[str]) -> bool:
    """Whether a run is finished and has numbers; a warning says which runs are left out."""
    name = legible(run.name or run.id)
    if run.status in UNFINISHED:
        warnings.append(message("left out: the run {name} is not finished", name=name))
        return False
    if not run.numbers.values:
        warnings.append(message("left out: the run {name} has no number", name=name))
        return False
    run.numbers.warn(run.file, warnings)
    return True


def is_label(param: str) -> bool:
    """Whether a param names a model, agent or data set, so that it may be published."""
    return param in (*MODELS, *AGENTS, *DATASETS)


def tool_runs(harness: str, runs: Iterable[TableRun], warnings: list[str]) -> Iterator[ToolRun]:
    """The runs that are taken; one is named by `agent (model)` if it names them, else by itself."""
    for run in runs:
        if is_taken(run, warnings):
            yield _tool_run(harness, run)


def _tool_run(harness: str, run: TableRun) -> ToolRun:
    name = JsonValue(run.name, run.file).words()
    metrics: dict[str, FactValue] = {}
    if run.status in (*FINISHED, *FAILED):
        metrics["succeeded"] = run.status in FINISHED
    if run.elapsed_ms is not None:
        metrics["elapsed_ms"] = run.elapsed_ms
    return ToolRun(
        run.file,
        (run.id or name, run.numbers.values, run.numbers.rest),
        {
            "agent": _first(run, AGENTS),
            "model": _first(run, MODELS),
            "dataset": _first(run, DATASETS),
            "job": name,
            "harness": harness,
        },
        numbers=run.numbers,
        metrics=metrics,
        submitted_at=run.started,
        called=name,
    )


def by_measure(runs: Sequence[ToolRun], attempts: Sequence[ImportedAttempt]) -> SuggestedFields:
    """Suggest a ranking by the first number with the name of a measure.

    Trackers have no main number, and their tables begin with configured values.
    """
    labels: dict[str, str] = {}
    for run in runs:
        labels.update(run.numbers.labels if run.numbers else {})
    return ranked_by(labels, measured(labels))


def _first(run: TableRun, names: Iterable[str]) -> str:
    texts = (JsonValue(run.params.get(name), run.file).words() for name in names)
    return next(filter(None, texts), "")
