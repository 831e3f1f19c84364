"""HELM: run folders with `run_spec.json`, `stats.json` and `per_instance_stats.json`.

The runs of one model are one attempt; an instance of a scenario is a task and a training trial a
sample of it. The split `test` counts, or `valid` if a run has no `test`, without perturbations, as
in HELM's own tables. `scenario_state.json` holds the prompts and is not read. A run as an attempt
would rank each model by its easiest subject, because a board counts one attempt of a participant.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from leaderboard.importers.reading.errors import ImportFailed, shown
from leaderboard.importers.reading.harness import (
    challenge_for,
    finite,
    known,
    state,
    task_name,
    value_name,
)
from leaderboard.importers.reading.harness import whose as named_for
from leaderboard.importers.reading.imports import Import, ImportedAttempt, Importer
from leaderboard.importers.reading.json_place import MAX_FIELD, Part
from leaderboard.importers.reading.naming import source_id
from leaderboard.importers.reading.sample_row import SampleRow
from leaderboard.importers.reading.samples import facts, numbered, reward_names, sample, spec
from leaderboard.importers.reading.source import Source
from leaderboard.importers.reading.suggestions import SuggestedMetric
from leaderboard.importers.tools.helm_stats import (
    InstanceTrial,
    order_of,
    results_of_split,
    splits_of,
)
from leaderboard.rules.texts.messages import message

KEY: Final = "helm"
SPEC: Final = "run_spec.json"
STATS: Final = "stats.json"
INSTANCES: Final = "per_instance_stats.json"


@dataclass(frozen=True)
class HelmRun:
    """One run: its spec, HELM's statistics, and the results of its instances."""

    spec: Part
    name: str
    split: str
    stats: Part
    instances: list[InstanceTrial]


def recognises(source: Source) -> bool:
    """A `run_spec.json` with a scenario and an adapter."""
    if source.single:
        return source.document is not None and _is_spec(source.document)
    parts = map(source.try_json, source.named(SPEC)[:5])
    return any(part is not None and _is_spec(part) for part in parts)


def reads(source: Source, participant: str) -> Import:
    """One attempt for each model, of all its runs in the upload."""
    warnings: list[str] = []
    by_model: dict[str, list[HelmRun]] = defaultdict(list)
    for name in source.named(SPEC):
        part = source.json(name)
        if _is_spec(part):
            by_model[_model(part)].append(_run(source, part, warnings))
    if not by_model:
        raise ImportFailed(
            message("must contain a {spec} of HELM; got a file without any", spec=SPEC),
            file=source.label,
        )
    attempts = [
        _attempt(model, runs, participant, warnings) for model, runs in sorted(by_model.items())
    ]
    first = [name for runs in by_model.values() for run in runs for name in order_of(run.spec)]
    names = reward_names(each for one in attempts for each in one.samples)
    ordered = [*dict.fromkeys(name for name in first if name in names)]
    metrics = [spec("mean", name) for name in dict.fromkeys([*ordered, *names])]
    return Import(KEY, attempts, warnings=warnings, suggested=challenge_for(attempts, metrics))


def _is_spec(part: Part) -> bool:
    return "scenario_spec" in part and "adapter_spec" in part and "metric_specs" in part


def _model(part: Part) -> str:
    return part["adapter_spec"]["model"].words()


def _run(source: Source, part: Part, warnings: list[str]) -> HelmRun:
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
    told = source.json(stats) if stats else Part([], STATS)
    listed = source.json(instances) if instances else Part([], INSTANCES)
    split = splits_of(listed if instances else told)
    found = results_of_split(listed, split)
    if found.left_out:
        warnings.append(
            message(
                "{name}: {left_out} results of other splits or of perturbed instances are left "
                "out; those of {split} count",
                name=shown(name),
                left_out=found.left_out,
                split=split,
            )
        )
    if not found.taken:
        warnings.append(
            message(
                "{name}: has no {instances}; its values become reported values",
                name=shown(name),
                instances=INSTANCES,
            )
        )
    return HelmRun(part, name, split, told, found.taken)


def _without_model(name: str) -> str:
    """`mmlu:subject=anatomy` of `mmlu:subject=anatomy,model=openai_gpt2`."""
    scenario, _, arguments = name.partition(":")
    kept = [
        each
        for each in arguments.split(",")
        if each and not each.startswith(("model=", "model_deployment="))
    ]
    return f"{scenario}:{','.join(kept)}" if kept else scenario


def _attempt(
    model: str, runs: Sequence[HelmRun], participant: str, warnings: list[str]
) -> ImportedAttempt:
    runs = sorted(runs, key=lambda run: run.name)
    names = {run.name for run in runs}
    if len(names) < len(runs):
        raise runs[0].spec.fail(
            message("must stand there once, so upload one suite at a time; got the same run twice")
        )
    samples = numbered(each for run in runs for each in _samples(run))
    file_metrics, specs, values = _file_metrics(runs, samples)
    return ImportedAttempt(
        participant=named_for(participant, "", model, runs[0].spec.file),
        source_id=source_id(KEY, model, sorted(names), samples, sorted(values.items())),
        meta=known(
            model=model,
            dataset=", ".join(sorted(names))[:200],
            job=_suite(runs[0].spec.file),
            harness="HELM",
        ),
        samples=samples,
        values=values,
        metrics=facts(samples),
        file_metrics=file_metrics,
        specs=specs,
    )


def _suite(file: str) -> str:
    """The suite of `runs/<suite>/<run>/run_spec.json`."""
    folders = file.split("/")
    return folders[-3] if len(folders) > 3 and folders[-4] == "runs" else ""


def _samples(run: HelmRun) -> list[SampleRow]:
    return [
        sample(
            task_name(instance.instance, f"{run.name}/{instance.instance.name()}"),
            instance.rewards,
            instance.usage,
        )
        for instance in run.instances
    ]


def _file_metrics(
    runs: Sequence[HelmRun], samples: list[SampleRow]
) -> tuple[dict[str, float], dict[str, SuggestedMetric], dict[str, float]]:
    """HELM's means.

    Those of a single run should equal ours; without instances they are reported.
    """
    file_metrics: dict[str, float] = {}
    specs: dict[str, SuggestedMetric] = {}
    values: dict[str, float] = {}
    rewards = reward_names(samples)
    for run in runs:
        wanted = rewards if run.instances else order_of(run.spec)
        for name, value in _means(run).items():
            if name not in wanted:
                continue
            if not run.instances:
                values[value_name(f"{run.name}.{name}" if len(runs) > 1 else name)] = value
            elif len(runs) == 1:
                state(file_metrics, specs, spec("mean", name), value)
            else:
                file_metrics[f"{run.name}: {name}"] = value
    return file_metrics, specs, values


def _means(run: HelmRun) -> dict[str, float]:
    """The mean of each statistic of the run's split, without perturbation or part of a split."""
    found: dict[str, float] = {}
    for each in run.stats.items():
        about = each["name"]
        plain = about["perturbation"].value is None and about["sub_split"].value is None
        value = finite(each["mean"].value)
        if plain and about["split"].words() == run.split and value is not None:
            found[about["name"].checked(about["name"].words(MAX_FIELD), MAX_FIELD)] = value
    return found


IMPORTER = Importer(
    KEY,
    message("HELM"),
    message(
        "run folders (runs/<suite>/<run>) as zip or tar; without scenario_state.json is enough"
    ),
    recognises,
    reads,
)
