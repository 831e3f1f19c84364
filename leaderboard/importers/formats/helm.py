"""HELM: run folders with `run_spec.json`, `stats.json` and `per_instance_stats.json`.

The runs of one model are one attempt; an instance of a scenario is a task and a training trial a
sample of it. The split `test` counts, or `valid` if a run has no `test`, without perturbations, as
in HELM's own tables. `scenario_state.json` holds the prompts and is not read. A run as an attempt
would rank each model by its easiest subject, because a board counts one attempt of a participant.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from leaderboard.importers.reading.errors import ImportFailed, legible
from leaderboard.importers.reading.harness import StatedValues, task_name, value_name
from leaderboard.importers.reading.json_files import JsonFiles
from leaderboard.importers.reading.json_place import MAX_FIELD, JsonValue
from leaderboard.importers.reading.sample_row import SampleRow
from leaderboard.importers.reading.samples import numbered, reward_names, sample, spec
from leaderboard.importers.reading.source import Source
from leaderboard.importers.reading.tool import ToolRun, Upload, by_means, importer
from leaderboard.importers.tools.helm_stats import (
    InstanceTrial,
    order_of,
    results_of_split,
    split_of,
)
from leaderboard.rules.texts.messages import message

SPEC: Final = "run_spec.json"
STATS: Final = "stats.json"
INSTANCES: Final = "per_instance_stats.json"


@dataclass(frozen=True)
class HelmRun:
    """One run: its spec, HELM's statistics, and the results of its instances."""

    spec: JsonValue
    name: str
    split: str
    stats: JsonValue
    instances: list[InstanceTrial]


def _is_spec(document: JsonValue) -> bool:
    """Whether it is the spec of a run with a scenario and an adapter."""
    return "scenario_spec" in document and "adapter_spec" in document and "metric_specs" in document


FILES: Final = JsonFiles(_is_spec, (SPEC,), looked_at=5)


def runs(upload: Upload) -> Iterator[ToolRun]:
    """One run for each model, of all its HELM runs in the upload."""
    by_model: dict[str, list[HelmRun]] = defaultdict(list)
    for name in upload.source.named(SPEC):
        part = upload.source.json(name)
        if _is_spec(part):
            model = part.at("adapter_spec.model").words()
            by_model[model].append(_helm_run(upload.source, part, upload.warnings))
    order = [
        name for helm_runs in by_model.values() for run in helm_runs for name in order_of(run.spec)
    ]
    for model, helm_runs in sorted(by_model.items()):
        yield _run(model, sorted(helm_runs, key=lambda run: run.name), order)


def _helm_run(source: Source, part: JsonValue, warnings: list[str]) -> HelmRun:
    """A run with the results of its instances, or at least with HELM's statistics."""
    stats, instances = (source.beside(part.file, name) for name in (STATS, INSTANCES))
    if not stats and not instances:
        raise ImportFailed(
            message(
                "must have {stats} or {instances} beside it, so upload the whole run "
                "folder as zip or tar; got neither",
                stats=STATS,
                instances=INSTANCES,
            ),
            file=part.file,
        )
    name = _without_model(part["name"].words(1000))
    statistics = source.json(stats) if stats else JsonValue([], STATS)
    results = source.json(instances) if instances else JsonValue([], INSTANCES)
    split = split_of(results if instances else statistics)
    of_split = results_of_split(results, split)
    if of_split.left_out:
        warnings.append(
            message(
                "{name}: {left_out} results of other splits or of perturbed instances are left "
                "out; those of {split} count",
                name=legible(name),
                left_out=of_split.left_out,
                split=split,
            )
        )
    if not of_split.taken:
        warnings.append(
            message(
                "{name}: has no {instances}; its values become reported values",
                name=legible(name),
                instances=INSTANCES,
            )
        )
    return HelmRun(part, name, split, statistics, of_split.taken)


def _without_model(name: str) -> str:
    """`mmlu:subject=anatomy` of `mmlu:subject=anatomy,model=openai_gpt2`."""
    scenario, _, arguments = name.partition(":")
    kept = [
        argument
        for argument in arguments.split(",")
        if argument and not argument.startswith(("model=", "model_deployment="))
    ]
    return f"{scenario}:{','.join(kept)}" if kept else scenario


def _run(model: str, runs: Sequence[HelmRun], order: Sequence[str]) -> ToolRun:
    names = {run.name for run in runs}
    if len(names) < len(runs):
        raise runs[0].spec.fail(
            message("must stand there once, so upload one suite at a time; got the same run twice")
        )
    samples = numbered(row for run in runs for row in _samples(run))
    values: dict[str, float] = {}
    stated = StatedValues()
    for run in runs:
        _add_means(run, len(runs) == 1, reward_names(samples), stated, values)
    return ToolRun(
        runs[0].spec.file,
        (model, sorted(names), samples, sorted(values.items())),
        {
            "model": model,
            "dataset": ", ".join(sorted(names))[:200],
            "job": _suite(runs[0].spec.file),
            "harness": "HELM",
        },
        samples=samples,
        values=values,
        stated=stated,
        order=order,
    )


def _suite(file: str) -> str:
    """The suite of `runs/<suite>/<run>/run_spec.json`."""
    folders = file.split("/")
    return folders[-3] if len(folders) > 3 and folders[-4] == "runs" else ""


def _samples(run: HelmRun) -> list[SampleRow]:
    return [
        sample(
            task_name(trial.instance, f"{run.name}/{trial.instance.name()}"),
            trial.rewards,
            trial.usage,
        )
        for trial in run.instances
    ]


def _add_means(
    run: HelmRun,
    is_only: bool,
    rewards: Sequence[str],
    stated: StatedValues,
    values: dict[str, float],
) -> None:
    """Add HELM's means. Those of the only run should equal ours; without instances they are
    reported.
    """
    wanted = rewards if run.instances else order_of(run.spec)
    for name, value in _means(run).items():
        if name not in wanted:
            continue
        if not run.instances:
            values[value_name(name if is_only else f"{run.name}.{name}")] = value
        elif is_only:
            stated.add(spec("mean", name), value)
        else:
            stated.values[f"{run.name}: {name}"] = value


def _means(run: HelmRun) -> dict[str, float]:
    """The mean of each statistic of the run's split, without perturbation or part of a split."""
    means: dict[str, float] = {}
    for statistic in run.stats.items():
        about = statistic["name"]
        plain = about["perturbation"].value is None and about["sub_split"].value is None
        value = statistic["mean"].finite()
        if plain and about["split"].words() == run.split and value is not None:
            means[about["name"].checked(about["name"].words(MAX_FIELD), MAX_FIELD)] = value
    return means


IMPORTER = importer(
    "helm",
    message("HELM"),
    message(
        "run folders (runs/<suite>/<run>) as zip or tar; without scenario_state.json is enough"
    ),
    FILES.recognise,
    runs,
    missing=message("must contain a {spec} of HELM; got a file without any", spec=SPEC),
    suggests=by_means(),
)
