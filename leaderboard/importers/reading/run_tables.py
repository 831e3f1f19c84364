"""Runs of experiment trackers: logged numbers with a name, and perhaps a model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from leaderboard.facts import FactValue
from leaderboard.importers.reading.errors import shown
from leaderboard.importers.reading.imports import ImportedAttempt
from leaderboard.importers.reading.json_place import Part
from leaderboard.importers.reading.naming import source_id
from leaderboard.importers.reading.reported_numbers import (
    ReportedNumbers,
    measured,
    ranked_by,
    whose,
)
from leaderboard.importers.reading.suggestions import SuggestedFields
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
    name = shown(run.name or run.id)
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


def attempt_of(key: str, harness: str, run: TableRun, participant: str) -> ImportedAttempt:
    """The attempt of a run: by `agent (model)` if it names them, else by the run's name."""
    model, agent = _first(run, MODELS), _first(run, AGENTS)
    name = Part(run.name, run.file).words()
    found = {
        "agent": agent,
        "model": model,
        "dataset": _first(run, DATASETS),
        "job": name,
        "harness": harness,
    }
    metrics: dict[str, FactValue] = {}
    if run.status in (*FINISHED, *FAILED):
        metrics["succeeded"] = run.status in FINISHED
    if run.elapsed_ms is not None:
        metrics["elapsed_ms"] = run.elapsed_ms
    return ImportedAttempt(
        participant=whose(participant, agent or ("" if model else name), model, run.file),
        source_id=source_id(key, run.id or name, run.numbers.values, run.numbers.rest),
        meta={key: value for key, value in found.items() if value},
        values=run.numbers.values,
        metrics=metrics,
        file_metrics=run.numbers.rest,
        submitted_at=run.started,
    )


def suggested_by(runs: Iterable[TableRun]) -> SuggestedFields:
    """Fields of a challenge that ranks by the first number with the name of a measure.

    Trackers have no main number, and their tables begin with configured values.
    """
    labels: dict[str, str] = {}
    for run in runs:
        labels.update({key: run.numbers.labels[key] for key in run.numbers.labels})
    return ranked_by(labels, measured(labels))


def _first(run: TableRun, names: Iterable[str]) -> str:
    texts = (Part(run.params.get(name), run.file).words() for name in names)
    return next(filter(None, texts), "")
