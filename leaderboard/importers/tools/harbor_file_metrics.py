"""The metric values in a Harbor job, and the metrics here that should equal them.

The job's `result.json` gives an agent's metrics as a list of objects whose keys depend on the
rewards: the metric's name where there is one reward, the rewards' names where there are several.
The job's `config.json` says which metric is at which position.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from leaderboard.importers.reading.errors import ImportFailed, Unsafe, legible, problem_of
from leaderboard.importers.reading.harness import StatedValues
from leaderboard.importers.reading.json_place import JsonValue
from leaderboard.importers.reading.samples import reward_names, spec
from leaderboard.importers.reading.source import Source
from leaderboard.importers.tools.harbor_trials import HarborGroup, HarborTrial
from leaderboard.rules.texts.messages import message

BUILT_IN: Final = ("sum", "min", "max", "mean")


def file_metrics_of(
    source: Source,
    jobs: Iterable[JsonValue],
    groups: Mapping[HarborGroup, Sequence[HarborTrial]],
    warnings: list[str],
) -> dict[HarborGroup, StatedValues]:
    """For each group of trials: the values in its job, and the specs of the same metrics here."""
    by_id = {job["id"].words(): job for job in jobs}
    if len(by_id) == 1:
        by_id.setdefault("", *by_id.values())  # trials of old versions do not name their job
    by_group: dict[HarborGroup, StatedValues] = {}
    for group, trials in groups.items():
        if not (job := by_id.get(group.job)):
            continue
        sharing = [other for other in groups if other.job == group.job]
        if sum(other.evals_key == group.evals_key for other in sharing) > 1:
            warnings.append(
                message(
                    "{evals_key}: the job states one value for several versions or providers; "
                    "none is compared",
                    evals_key=legible(group.evals_key),
                )
            )
            continue
        rewards = reward_names(trial.sample for trial in trials)
        try:
            by_group[group] = _file_metrics(
                job["stats"]["evals"][group.evals_key], rewards, _types(source, job)
            )
        except Unsafe:
            raise
        except ImportFailed as error:
            warnings.append(message("stated metrics left out: {error}", error=problem_of(error)))
    return by_group


def _types(source: Source, job: JsonValue) -> list[str]:
    """The types of the metrics that the job itself adds, in order; they come last in the list."""
    name = source.beside(job.file, "config.json")
    metrics = source.json(name)["metrics"].items() if name else ()
    return [metric["type"].words() or "mean" for metric in metrics]


def _file_metrics(evals: JsonValue, rewards: list[str], types: list[str]) -> StatedValues:
    stated = StatedValues()
    metrics = list(evals["metrics"].items())
    for at, metric in enumerate(metrics):
        own = at - len(metrics) + len(types)
        kind = types[own] if own >= 0 else _type_by_key(metric, rewards)
        for name, part in metric.fields():
            if (value := part.number()) is None:
                continue
            if kind in BUILT_IN:
                reward = name if len(rewards) > 1 else ""
                stated.add_first(spec(kind, reward, undefined="zero"), value)
            else:
                stated.values.setdefault(f"{kind or f'metric-{at + 1}'}:{name}", value)
    for k, part in evals["pass_at_k"].fields():
        if k.isdecimal():
            stated.add(spec(f"pass@{k}:unbiased"), part.number())
    return stated


def _type_by_key(metric: JsonValue, rewards: list[str]) -> str:
    """The type of a dataset's own metric, which the job does not name, if its key is a type."""
    names = [name for name, _ in metric.fields()]
    return names[0] if len(names) == 1 and len(rewards) < 2 and names[0] in BUILT_IN else ""
