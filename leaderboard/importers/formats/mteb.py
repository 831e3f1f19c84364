"""MTEB: the results of a model's tasks, as `results/<model>/<revision>/<Task>.json`.

Each split and subset of a task (mostly a language) is a sample of it with the reward `main_score`,
so that the mean over a task's samples is its score, as MTEB's `get_score()` makes it, and the mean
over tasks is the score of the model. A single file of a `ModelResult` or `BenchmarkResults` is read
too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from leaderboard.importers.reading.errors import ImportFailed, shown
from leaderboard.importers.reading.harness import (
    challenge_for,
    is_one,
    known,
    listed,
    opening,
    put,
    task_name,
    whose,
)
from leaderboard.importers.reading.imports import Import, ImportedAttempt, Importer
from leaderboard.importers.reading.json_place import Part
from leaderboard.importers.reading.naming import source_id
from leaderboard.importers.reading.sample_row import SampleRow
from leaderboard.importers.reading.samples import facts, milliseconds, numbered, sample, spec
from leaderboard.importers.reading.source import Source
from leaderboard.importers.tools.mteb_older import scores_before_1_11
from leaderboard.rules.texts.messages import message

KEY: Final = "mteb"
MAIN: Final = "main_score"
META: Final = "model_meta.json"
MARKS: Final = (b'"task_name"', b'"mteb_dataset_name"', b'"task_results"', b'"model_results"')


@dataclass
class Model:
    """A model in one revision, and the results of its tasks."""

    name: str
    revision: str
    file: str
    version: str = ""
    tasks: dict[str, Part] = field(default_factory=dict)


def recognises(source: Source) -> bool:
    """Results of a task with scores by split, or a model's or a benchmark's results."""
    return any(is_one(source, "*.json", _is_known, mark) for mark in MARKS)


def reads(source: Source, participant: str) -> Import:
    """One attempt for each model and revision."""
    warnings: list[str] = []
    models = _models(source)
    if not models:
        raise ImportFailed(
            message("must contain results of MTEB tasks; got a file without any"), file=source.label
        )
    attempts = [_attempt(model, participant, warnings) for model in models]
    # MTEB has no mean for a model that lacks a task of the benchmark.
    metrics = [spec("mean_reward", MAIN, min_coverage=1.0)]
    return Import(KEY, attempts, warnings=warnings, suggested=challenge_for(attempts, metrics))


def _is_marked(source: Source, name: str) -> bool:
    start = opening(source, name)
    return any(mark in start for mark in MARKS)


def _is_known(part: Part) -> bool:
    return _kind(part) != ""


def _kind(part: Part) -> str:
    if _is_task(part):
        return "task"
    for kind, field_ in (("model", "task_results"), ("benchmark", "model_results")):
        if field_ in part and isinstance(part[field_].value, list):
            return kind
    return ""


def _is_task(part: Part) -> bool:
    if "mteb_dataset_name" in part:
        return any(isinstance(value, dict) for value in part.value.values())
    return "task_name" in part and "scores" in part and isinstance(part["scores"].value, dict)


def _models(source: Source) -> list[Model]:
    found: dict[tuple[str, str, str], Model] = {}
    for name in listed(source, "*.json"):
        if name.endswith(META) or not (source.single or _is_marked(source, name)):
            continue
        part = source.json(name)
        for model, revision, task in _tasks(source, part):
            folder = name.rpartition("/")[0] if _kind(part) == "task" else ""
            one = found.setdefault((model, revision, folder), Model(model, revision, name))
            _add(one, task)
    return list(found.values())


def _tasks(source: Source, part: Part) -> Iterator[tuple[str, str, Part]]:
    """Each task's results in a document, with the model's name and revision."""
    kind = _kind(part)
    if kind == "task":
        yield *_named(source, part.file), part
    elif kind == "model":
        whose_ = part["model_name"].words(), part["model_revision"].words()
        for each in part["task_results"].items():
            yield *whose_, each
    elif kind == "benchmark":
        for model in part["model_results"].items():
            yield from _tasks(source, model)


def _named(source: Source, file: str) -> tuple[str, str]:
    """The model of `model_meta.json` beside the file, else of its folders."""
    if meta := source.beside(file, META):
        part = source.json(meta)
        return part["name"].words(), part["revision"].words()
    folders = file.split("/")[:-1]
    if len(folders) < 2:
        return "", ""
    return folders[-2].replace("__", "/"), folders[-1]


def _add(model: Model, task: Part) -> None:
    if not _is_task(task):
        raise task.fail(message("must be the results of a task, with task_name and scores"))
    name = task["task_name" if "task_name" in task else "mteb_dataset_name"]
    key = task_name(name, name.name())
    if key in model.tasks:
        raise name.fail(
            message("must be another task of the model; got {key} twice", key=shown(key))
        )
    model.tasks[key] = task
    model.version = model.version or task["mteb_version"].words()


def _attempt(model: Model, participant: str, warnings: list[str]) -> ImportedAttempt:
    samples = numbered(
        each for name in sorted(model.tasks) for each in _samples(name, model.tasks[name], warnings)
    )
    return ImportedAttempt(
        participant=whose(participant, "", model.name, model.file),
        source_id=source_id(KEY, model.name, model.revision, samples),
        meta=known(
            model=model.name,
            revision=model.revision,
            harness=f"MTEB {model.version}".strip(),
        ),
        samples=samples,
        metrics=facts(samples),
    )


def _samples(name: str, task: Part, warnings: list[str]) -> list[SampleRow]:
    """A sample for each split and subset. A score that is NaN is undefined, with a warning."""
    scores = _scores(task)
    splits = sorted({split for split, _, _ in scores})
    if len(splits) > 1:
        warnings.append(
            message(
                "{name}: its score is over all its splits, {splits}",
                name=shown(name),
                splits=", ".join(splits),
            )
        )
    found = []
    for _, _, part in sorted(scores, key=lambda each: each[:2]):
        rewards: dict[str, float | None] = {}
        put(rewards, MAIN, part)
        if not rewards:
            warnings.append(
                message(
                    "{name}: has no main score in a subset; it is left out there", name=shown(name)
                )
            )
        found.append(sample(name, rewards, _usage(task) if len(scores) == 1 else {}))
    return found


def _scores(task: Part) -> list[tuple[str, str, Part]]:
    """Split, subset and main score of each result."""
    if "mteb_dataset_name" in task and "scores" not in task:
        return scores_before_1_11(task)
    found = []
    for split, part in task["scores"].fields():
        for each in part.items():
            if not isinstance(each.value, dict) or MAIN not in each:
                raise each.fail(message("must be an object with {main}", main=MAIN))
            found.append((split, each["hf_subset"].words(), each[MAIN]))
    if not found:
        raise task["scores"].fail(message("must contain scores"))
    return found


def _usage(task: Part) -> dict[str, float | int | None]:
    return {"elapsed_ms": milliseconds(task["evaluation_time"].amount())}


IMPORTER = Importer(
    KEY,
    message("MTEB"),
    message(
        "results/<model>/<revision>/*.json with model_meta.json, as zip or tar; one task's file "
        "alone"
    ),
    recognises,
    reads,
)
