"""The metric values in a Harbor job, and the metrics here that should equal them.

The job's `result.json` gives an agent's metrics as a list of objects whose keys depend on the
rewards: the metric's name where there is one reward, the rewards' names where there are several.
The job's `config.json` says which metric is at which position.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from leaderboard.importers.reading.errors import ImportFailed, Unsafe, problem_of, shown
from leaderboard.importers.reading.json_place import Part
from leaderboard.importers.reading.samples import reward_names, spec
from leaderboard.importers.reading.source import Source
from leaderboard.importers.reading.suggestions import SuggestedMetric
from leaderboard.importers.tools.harbor_trials import HarborGroup, HarborTrial
from leaderboard.rules.texts.messages import message

BUILT_IN: Final = ("sum", "min", "max", "mean")

FileMetricsWithSpecs = tuple[dict[str, float], dict[str, SuggestedMetric]]


def file_metrics_of(
    source: Source,
    jobs: Iterable[Part],
    groups: Mapping[HarborGroup, Sequence[HarborTrial]],
    warnings: list[str],
) -> dict[HarborGroup, FileMetricsWithSpecs]:
    """For each group of trials: the values in its job, and the specs of the same metrics here."""
    by_id = {job["id"].words(): job for job in jobs}
    if len(by_id) == 1:
        by_id.setdefault("", *by_id.values())  # trials of old versions do not name their job
    found: dict[HarborGroup, FileMetricsWithSpecs] = {}
    for group, trials in groups.items():
        if not (job := by_id.get(group.job)):
            continue
        sharing = [each for each in groups if each.job == group.job]
        if sum(each.evals_key == group.evals_key for each in sharing) > 1:
            warnings.append(
                message(
                    "{evals_key}: the job states one value for several versions or providers; "
                    "none is compared",
                    evals_key=shown(group.evals_key),
                )
            )
            continue
        rewards = reward_names(trial.sample for trial in trials)
        try:
            found[group] = _file_metrics(
                job["stats"]["evals"][group.evals_key], rewards, _types(source, job)
            )
        except Unsafe:
            raise
        except ImportFailed as error:
            warnings.append(message("stated metrics left out: {error}", error=problem_of(error)))
    return found


def _types(source: Source, job: Part) -> list[str]:
    """The types of the metrics that the job itself adds, in order; they come last in the list."""
    name = source.beside(job.file, "config.json")
    metrics = source.json(name)["metrics"].items() if name else ()
    return [metric["type"].words() or "mean" for metric in metrics]


def _file_metrics(evals: Part, rewards: list[str], types: list[str]) -> FileMetricsWithSpecs:
    values: dict[str, float] = {}
    specs: dict[str, SuggestedMetric] = {}
    metrics = list(evals["metrics"].items())
    for at, metric in enumerate(metrics):
        own = at - len(metrics) + len(types)
        kind = types[own] if own >= 0 else _type_by_key(metric, rewards)
        for name, part in metric.fields():
            _add(values, specs, kind or f"metric-{at + 1}", name, part, len(rewards) > 1)
    for k, part in evals["pass_at_k"].fields():
        if k.isdecimal() and (value := part.number()) is not None:
            one = spec(f"pass@{k}:unbiased")
            values[one["name"]], specs[one["name"]] = value, one
    return values, specs


def _type_by_key(metric: Part, rewards: list[str]) -> str:
    """The type of a dataset's own metric, which the job does not name, if its key is a type."""
    names = [name for name, _ in metric.fields()]
    return names[0] if len(names) == 1 and len(rewards) < 2 and names[0] in BUILT_IN else ""


def _add(
    values: dict[str, float],
    specs: dict[str, SuggestedMetric],
    kind: str,
    name: str,
    part: Part,
    several: bool,
) -> None:
    value = part.number()
    if value is None:
        return
    if kind in BUILT_IN:
        one = spec(kind, name if several else "", undefined="zero")
        values.setdefault(one["name"], value)
        specs.setdefault(one["name"], one)
    else:
        values.setdefault(f"{kind}:{name}", value)
