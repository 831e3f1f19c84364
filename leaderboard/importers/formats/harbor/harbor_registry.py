"""Harbor registries: each dataset becomes the fields of a challenge.

A list of `{name, version, description, tasks, metrics}`; a single such object counts as a list of
one. Metrics keep Harbor's own rule that a missing reward counts 0.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from leaderboard.importers.reading.errors import ImportFailed, legible, located, not_utf8
from leaderboard.importers.reading.imports import Import, Importer
from leaderboard.importers.reading.json_place import JsonValue
from leaderboard.importers.reading.source import Source
from leaderboard.importers.reading.suggestions import (
    HarborMetricEntry,
    HarborRepository,
    HarborTask,
    RegistryChallenge,
)
from leaderboard.importers.reading.trees import SomeFiles
from leaderboard.rules.rewards.reducible import SCRIPT
from leaderboard.rules.texts.messages import message
from leaderboard.rules.texts.misspelt import misspelt
from leaderboard.rules.texts.quoting import sent
from leaderboard.schemas.errors import SchemaError
from leaderboard.schemas.harbor import parse_harbor_metrics
from leaderboard.schemas.metrics import MetricSpec

KEY: Final = "harbor-registry"
FILE: Final = "registry.json"
TASK_FIELDS: Final = ("name", "git_url", "git_commit_id", "path")
FIELDS: Final = ("name", "version", "description", "tasks", "metrics")
REQUIRED: Final = FIELDS[:4]
METRIC_FIELDS: Final = ("type", "kwargs")
MAX_NAMED: Final = 10
MAX_DESCRIPTION: Final = 5000
MAX_SLUG: Final = 80


def recognises(source: Source) -> bool:
    """A `registry.json` in a folder, or a single document with datasets that have tasks."""
    if not source.single:
        return bool(source.named(FILE))
    if source.document is None:
        return False
    is_list = isinstance(source.document.value, list)
    dataset = source.document[0] if is_list else source.document
    return all(name in dataset for name in ("name", "version", "tasks"))


def reads(source: Source, participant: str) -> Import:
    """The challenges, one for each dataset and version. Raises ImportFailed with the place."""
    if len(names := source.named(FILE)) != 1:
        raise ImportFailed(
            message("must hold one {file}; got {count}", file=FILE, count=len(names)),
            file=source.label,
        )
    registry = source.json(names[0])
    datasets = [registry] if isinstance(registry.value, dict) else list(registry.items())
    if not datasets:
        raise ImportFailed(message("must contain a dataset; got a file without any"), file=names[0])
    warnings: list[str] = []
    challenges = [_challenge(source, dataset, warnings) for dataset in datasets]
    slugs = Counter(challenge["slug"] for challenge in challenges)
    for dataset, challenge in zip(datasets, challenges, strict=True):
        if slugs[challenge["slug"]] > 1:
            raise dataset.fail(
                message("must make each challenge once; got {slug} twice", slug=challenge["slug"])
            )
    return Import(KEY, challenges=challenges, warnings=warnings)


def opened_registry(path: Path) -> Source:
    """A registry of this machine, with the metric scripts that it names beside it.

    path: the file, whatever its name is. Only the scripts of the registry are read, not the rest of
    its folder. Raises ImportFailed.
    """
    with Source.open(path, path.name) as alone:
        document = alone.document
    scripts = {} if document is None else {path: path for path in _script_paths(document.value)}
    if not scripts:
        return Source.open(path, path.name)
    return Source(path.name, SomeFiles(path.parent, {**scripts, FILE: path.name}))


def _script_paths(registry: Any) -> Iterator[str]:
    """The paths of the metric scripts that a registry names, whatever else is wrong with it."""
    for dataset in registry if isinstance(registry, list) else [registry]:
        metrics = dataset.get("metrics") if isinstance(dataset, dict) else None
        for metric in metrics if isinstance(metrics, list) else ():
            kwargs = metric.get("kwargs") if isinstance(metric, dict) else None
            script = kwargs.get("script_path") if isinstance(kwargs, dict) else None
            if isinstance(script, str) and script != FILE:
                yield script


def _challenge(source: Source, dataset: JsonValue, warnings: list[str]) -> RegistryChallenge:
    """The fields of a challenge; `registry` is the dataset as Harbor reads it."""
    _check_required(dataset)
    name, version = dataset["name"].name(), dataset["version"].name()
    _check_fields(dataset, warnings)
    tasks = [_task(task) for task in _listed(dataset["tasks"]).items()]
    entries = [_metric(metric) for metric in dataset["metrics"].items()]
    metrics = _metrics(source, dataset, entries, warnings)
    described = dataset["description"].value
    if not isinstance(described, str):
        raise dataset["description"].fail(message("must be a text"))
    return {
        "slug": _slug(f"{name} {version}"),
        "name": f"{name} {version}",
        "description": dataset["description"].plain()[:MAX_DESCRIPTION],
        "scoring_strategy": "metric",
        "metrics": [metric.as_json() for metric in metrics],
        "tasks": [{"name": task["name"]} for task in tasks],
        "rank_by": [{"key": metrics[0].name, "direction": "desc"}],
        "registry": {
            "name": name,
            "version": version,
            "description": described,
            "tasks": tasks,
            "metrics": entries,
        },
    }


def _check_required(dataset: JsonValue) -> None:
    """Refuse a value that is not a dataset; the error names the fields of a dataset."""
    if not isinstance(dataset.value, dict):
        raise dataset.fail(message("must be an object with {accepted}", accepted=", ".join(FIELDS)))
    for name in REQUIRED:
        if name not in dataset:
            raise dataset[name].fail(
                message(
                    "is required, because a dataset has {accepted}; got nothing",
                    accepted=", ".join(FIELDS),
                )
            )


def _check_fields(dataset: JsonValue, warnings: list[str]) -> None:
    """Refuse misspelt fields of a dataset and its tasks; warn of other unknown fields."""
    further: dict[str, None] = {}
    for part, fields in _objects(dataset):
        given = _given(part)
        for name, problem in misspelt(given, fields):
            raise part.fail(located(legible(name), problem))
        further |= dict.fromkeys(name for name in given if name not in fields)
    if further:
        some = ", ".join(legible(name) for name in list(further)[:MAX_NAMED])
        warnings.append(
            message(
                "{dataset}: fields that are not known are left out: {names}; a dataset has "
                "{fields}, a task {task_fields}",
                dataset=dataset["name"].words(),
                names=some,
                fields=", ".join(FIELDS),
                task_fields=", ".join(TASK_FIELDS),
            )
        )


def _given(part: JsonValue) -> list[str]:
    return list(part.value) if isinstance(part.value, dict) else []


def _objects(dataset: JsonValue) -> Iterator[tuple[JsonValue, tuple[str, ...]]]:
    """The objects of a dataset, and the fields that each may have."""
    yield dataset, FIELDS
    for task in _listed(dataset["tasks"]).items():
        yield task, TASK_FIELDS


def _listed(part: JsonValue) -> JsonValue:
    if not isinstance(part.value, list):
        raise part.fail(message("must be a list"))
    return part


def _task(task: JsonValue) -> HarborTask:
    for name in ("name", "path"):
        if isinstance(task.value, dict) and name not in task:
            raise task[name].fail(
                message(
                    "is required, because a task has {accepted}; got nothing",
                    accepted=", ".join(TASK_FIELDS),
                )
            )
    name, path = task["name"].name(), task["path"].name()
    return {"name": name, **_repository(task), "path": path}


def _repository(task: JsonValue) -> HarborRepository:
    repository: HarborRepository = {}
    if task["git_url"].value is not None:
        repository["git_url"] = task["git_url"].name()
    if task["git_commit_id"].value is not None:
        repository["git_commit_id"] = task["git_commit_id"].name()
    return repository


def _metric(metric: JsonValue) -> HarborMetricEntry:
    if wrong := [name for name in _given(metric) if name not in METRIC_FIELDS]:
        problem = message(
            "must be one of {accepted}; got {got}",
            accepted=", ".join(METRIC_FIELDS),
            got=sent(wrong[0]),
        )
        raise metric.fail(located(legible(wrong[0]), problem))
    kwargs = {name: part.plain() for name, part in metric["kwargs"].fields()}
    return {"type": metric["type"].plain() if "type" in metric else "mean", "kwargs": kwargs}


def _metrics(
    source: Source, dataset: JsonValue, entries: list[HarborMetricEntry], warnings: list[str]
) -> tuple[MetricSpec, ...]:
    """The metrics' specs, without those of scripts that are not in the upload."""
    scripts: dict[str, str] = {}
    metrics = []
    for entry in entries:
        path = entry["kwargs"].get("script_path")
        if entry["type"] == SCRIPT and not _has_script(source, dataset, path, scripts):
            warnings.append(_not_there(dataset, path))
        else:
            metrics.append(entry)
    try:
        return parse_harbor_metrics(metrics, scripts)
    except SchemaError as error:
        raise dataset["metrics"].fail(located(error.field, error.message)) from None


def _has_script(source: Source, dataset: JsonValue, path: Any, scripts: dict[str, str]) -> bool:
    """Whether the upload has a script at its path; its text is then added to the scripts."""
    name = source.beside(dataset.file, path) if isinstance(path, str) else ""
    if name:
        try:
            scripts[path] = source.read(name).decode("utf-8")
        except UnicodeDecodeError:
            raise not_utf8(name) from None
    return bool(name)


def _not_there(dataset: JsonValue, path: Any) -> str:
    script = legible(path) if isinstance(path, str) else message("a metric script")
    return message(
        "{name}: {said} is not in the upload, so its metric is left out; add it to the challenge "
        "with the text of the script",
        name=dataset["name"].words(),
        said=script,
    )


def _slug(text: str) -> str:
    plain = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
    return plain[:MAX_SLUG].strip("-") or "dataset"


IMPORTER = Importer(
    KEY,
    message("Harbor registry"),
    message("a registry.json, which makes challenges"),
    recognises,
    reads,
)
