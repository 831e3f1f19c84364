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

from leaderboard.importers.reading.errors import legible
from leaderboard.importers.reading.harness import put, task_name
from leaderboard.importers.reading.json_files import JsonFiles
from leaderboard.importers.reading.json_place import JsonValue
from leaderboard.importers.reading.sample_row import SampleRow
from leaderboard.importers.reading.samples import milliseconds, numbered, sample, spec
from leaderboard.importers.reading.source import Source
from leaderboard.importers.reading.tool import ToolRun, Upload, by_metrics, importer
from leaderboard.importers.tools.mteb_older import scores_before_1_11
from leaderboard.rules.texts.messages import message

MAIN: Final = "main_score"
META: Final = "model_meta.json"
MARKS: Final = (b'"task_name"', b'"mteb_dataset_name"', b'"task_results"', b'"model_results"')
"""Each file of MTEB has one of them."""


@dataclass
class RatedModel:
    """A model in one revision, and the results of its tasks."""

    name: str
    revision: str
    file: str
    version: str = ""
    tasks: dict[str, JsonValue] = field(default_factory=dict)


def _kind(part: JsonValue) -> str:
    if _is_task(part):
        return "task"
    for kind, field_ in (("model", "task_results"), ("benchmark", "model_results")):
        if field_ in part and isinstance(part[field_].value, list):
            return kind
    return ""


def _is_task(part: JsonValue) -> bool:
    if "mteb_dataset_name" in part:
        return any(isinstance(value, dict) for value in part.value.values())
    return "task_name" in part and "scores" in part and isinstance(part["scores"].value, dict)


FILES: Final = [
    JsonFiles(lambda part: bool(_kind(part)), marks=[mark], looked_at=50) for mark in MARKS
]


def recognises(source: Source) -> bool:
    """Results of a task with scores by split, or a model's or a benchmark's results."""
    return any(files.recognise(source) for files in FILES)


def runs(upload: Upload) -> Iterator[ToolRun]:
    """One run for each model and revision."""
    for model in _models(upload.source):
        samples = numbered(
            row
            for name in sorted(model.tasks)
            for row in _samples(name, model.tasks[name], upload.warnings)
        )
        yield ToolRun(
            model.file,
            (model.name, model.revision, samples),
            {
                "model": model.name,
                "revision": model.revision,
                "harness": f"MTEB {model.version}".strip(),
            },
            samples=samples,
        )


def _models(source: Source) -> list[RatedModel]:
    models: dict[tuple[str, str, str], RatedModel] = {}
    marked = {name for files in FILES for name in files.marked(source)}
    for name in source.named("*.json"):
        if name.endswith(META) or name not in marked:
            continue
        part = source.json(name)
        for model, revision, task in _tasks(source, part):
            folder = name.rpartition("/")[0] if _kind(part) == "task" else ""
            key = model, revision, folder
            _add(models.setdefault(key, RatedModel(model, revision, name)), task)
    return list(models.values())


def _tasks(source: Source, part: JsonValue) -> Iterator[tuple[str, str, JsonValue]]:
    """Each task's results in a document, with the model's name and revision."""
    kind = _kind(part)
    if kind == "task":
        yield *_model_and_revision(source, part.file), part
    elif kind == "model":
        named = part["model_name"].words(), part["model_revision"].words()
        for task in part["task_results"].items():
            yield *named, task
    elif kind == "benchmark":
        for model in part["model_results"].items():
            yield from _tasks(source, model)


def _model_and_revision(source: Source, file: str) -> tuple[str, str]:
    """The model of `model_meta.json` beside the file, else of its folders."""
    if meta := source.beside(file, META):
        part = source.json(meta)
        return part["name"].words(), part["revision"].words()
    folders = file.split("/")[:-1]
    if len(folders) < 2:
        return "", ""
    return folders[-2].replace("__", "/"), folders[-1]


def _add(model: RatedModel, task: JsonValue) -> None:
    if not _is_task(task):
        raise task.fail(message("must be the results of a task, with task_name and scores"))
    name = task["task_name" if "task_name" in task else "mteb_dataset_name"]
    key = task_name(name, name.name())
    if key in model.tasks:
        raise name.fail(
            message("must be another task of the model; got {key} twice", key=legible(key))
        )
    model.tasks[key] = task
    model.version = model.version or task["mteb_version"].words()


def _samples(name: str, task: JsonValue, warnings: list[str]) -> list[SampleRow]:
    """A sample for each split and subset. A score that is NaN is undefined, with a warning."""
    scores = _scores(task)
    splits = sorted({split for split, _, _ in scores})
    if len(splits) > 1:
        warnings.append(
            message(
                "{name}: its score is over all its splits, {splits}",
                name=legible(name),
                splits=", ".join(splits),
            )
        )
    usage: dict[str, float | int | None] = {}
    if len(scores) == 1:
        usage["elapsed_ms"] = milliseconds(task["evaluation_time"].amount())
    rows = []
    for _, _, part in sorted(scores, key=lambda score: score[:2]):
        rewards: dict[str, float | None] = {}
        put(rewards, MAIN, part)
        if not rewards:
            warnings.append(
                message(
                    "{name}: has no main score in a subset; it is left out there",
                    name=legible(name),
                )
            )
        rows.append(sample(name, rewards, usage))
    return rows


def _scores(task: JsonValue) -> list[tuple[str, str, JsonValue]]:
    """Split, subset and main score of each result."""
    if "mteb_dataset_name" in task and "scores" not in task:
        return scores_before_1_11(task)
    scores = []
    for split, subsets in task["scores"].fields():
        for subset in subsets.items():
            if MAIN not in subset:
                raise subset.fail(message("must be an object with {main}", main=MAIN))
            scores.append((split, subset["hf_subset"].words(), subset[MAIN]))
    if not scores:
        raise task["scores"].fail(message("must contain scores"))
    return scores


IMPORTER = importer(
    "mteb",
    message("MTEB"),
    message(
        "results/<model>/<revision>/*.json with model_meta.json, as zip or tar; one task's file "
        "alone"
    ),
    recognises,
    runs,
    missing=message("must contain results of MTEB tasks; got a file without any"),
    # MTEB has no mean for a model that lacks a task of the benchmark.
    suggests=by_metrics(lambda attempts: [spec("mean_reward", MAIN, min_coverage=1.0)]),
)
