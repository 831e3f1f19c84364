"""The fields of a challenge about metrics and tasks, checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from leaderboard.facts import rankable_keys
from leaderboard.models import ScoringConfig
from leaderboard.rules.metric_specs import MetricSpec, parse_metrics
from leaderboard.rules.reward_bounds import parse_rewards
from leaderboard.rules.samples import MAX_NAME, MAX_REWARDS, MAX_SAMPLES
from leaderboard.rules.spec_names import SpecError, is_text
from leaderboard.rules.task_sources import SOURCE_FIELDS, wrong_source
from leaderboard.services.errors import invalid
from leaderboard.services.evaluation.metrics import notes_of, why_unknown
from leaderboard.services.scripts.metric_scripts import prepare_scripts
from leaderboard.services.scripts.uv import noop

MAX_TASKS = 10_000
MAX_GROUP = 120
MAX_WEIGHT = 1e9


def checked_metrics(
    fields: Mapping[str, Any], tell: Callable[[str], object] = noop
) -> dict[str, Any]:
    """The fields of a scoring config that say how to use samples. Raises ServiceError.

    Prepares scripts at once, which takes seconds for a new one; calls `tell` with the name of its
    metric before.
    """
    entries = fields.get("metrics") or []
    specs = checked_specs(entries)
    tasks = _checked_tasks(fields.get("tasks") or [])
    _check_groups(specs, tasks)
    prepare_scripts(specs, tell)
    return {
        "metrics": entries,
        "metric_notes": notes_of(specs),
        "tasks": tasks,
        "rewards": _checked_bounds(fields.get("rewards") or []),
        "num_samples": _checked_num_samples(fields.get("num_samples")),
        "min_coverage": _checked_coverage(fields.get("min_coverage")),
        "unknown_tasks": _checked_unknown(
            fields.get("unknown_tasks") or ScoringConfig.UnknownTasks.REFUSE
        ),
    }


def checked_specs(entries: Any) -> Sequence[MetricSpec]:
    """The metrics of a challenge, as far as they can be checked by their text.

    Raises ServiceError.
    """
    try:
        return parse_metrics(entries, why_unknown, taken=rankable_keys())
    except SpecError as error:
        raise invalid(error.field, error.message) from None


def declared_rewards(tasks: Iterable[Mapping[str, Any]]) -> list[str]:
    """The names of rewards that tasks declare, each once."""
    return list(dict.fromkeys(name for task in tasks for name in task.get("rewards") or ()))


def _check_groups(specs: Iterable[MetricSpec], tasks: Iterable[Mapping[str, Any]]) -> None:
    """Refuse a metric over a group that has no task, or over groups where there are none."""
    groups = list(dict.fromkeys(task["group"] for task in tasks if "group" in task))
    there_are = ", ".join(groups) or "no task has one"
    for index, spec in enumerate(specs):
        if spec.over and not groups:
            raise invalid(f"metrics.{index}.over", "needs tasks with a group; no task has one")
        if spec.group is not None and spec.group not in groups:
            wrong = f"must be a group of the tasks ({there_are}); got {spec.group!r}"
            raise invalid(f"metrics.{index}.group", wrong)


def _checked_bounds(entries: Any) -> list[dict[str, Any]]:
    """The declared rewards, an object each with the known fields."""
    try:
        parse_rewards(entries)
    except SpecError as error:
        raise invalid(error.field, error.message) from None
    return [
        {name: value for name, value in entry.items() if value is not None} for entry in entries
    ]


def _checked_tasks(tasks: Any) -> list[dict[str, Any]]:
    if not isinstance(tasks, list) or len(tasks) > MAX_TASKS:
        raise invalid("tasks", f"must be a list of at most {MAX_TASKS} tasks")
    checked: dict[str, dict[str, Any]] = {}
    for index, task in enumerate(tasks):
        found = _checked_task(f"tasks.{index}", task)
        if found["name"] in checked:
            raise invalid(f"tasks.{index}.name", f"{found['name']} is named twice")
        checked[found["name"]] = found
    names = declared_rewards(checked.values())
    if len(names) > MAX_REWARDS:
        raise invalid("tasks", f"have {len(names)} rewards; at most {MAX_REWARDS}")
    return list(checked.values())


def _checked_task(at: str, task: Any) -> dict[str, Any]:
    """A task with its name and the further fields that are not empty."""
    fields = ("name", *_TASK_FIELDS)
    if not isinstance(task, dict):
        named = ", ".join(f'"{name}"' for name in fields)
        raise invalid(at, f"must be an object {{{named}}}")
    for name in task:
        if name not in fields:
            raise invalid(f"{at}.{name}", f"unknown field; known: {', '.join(fields)}")
    checked = {"name": _checked_name(f"{at}.name", task.get("name"))}
    for name, check in _TASK_FIELDS.items():
        if (name in SOURCE_FIELDS and name in task) or task.get(name) not in (None, "", []):
            checked[name] = check(f"{at}.{name}", task[name])
    return checked


def _checked_source(at: str, value: Any) -> str:
    if wrong := wrong_source(value):
        raise invalid(at, wrong)
    return str(value)


def _checked_rewards(at: str, rewards: Any) -> list[str]:
    if not isinstance(rewards, list):
        raise invalid(at, "must be a list of names")
    names = [_checked_name(f"{at}.{index}", name) for index, name in enumerate(rewards)]
    if len(set(names)) < len(names):
        raise invalid(at, "must name each reward once")
    return names


def _checked_group(at: str, group: Any) -> str:
    if not is_text(group, MAX_GROUP):
        raise invalid(at, f"must be a text of 1 to {MAX_GROUP} characters; got {group!r:.80}")
    return str(group)


def _checked_weight(at: str, weight: Any) -> float:
    if type(weight) not in (int, float) or not 0 < weight <= MAX_WEIGHT:
        raise invalid(at, f"must be a number above 0, at most {MAX_WEIGHT:g}; got {weight!r:.80}")
    return float(weight)


def _checked_name(at: str, name: Any) -> str:
    if not isinstance(name, str) or not 1 <= len(name) <= MAX_NAME or not name.isprintable():
        raise invalid(at, f"must be a text of 1 to {MAX_NAME} characters that can be seen")
    return name


def _checked_num_samples(number: Any) -> int | None:
    if number is None or (type(number) is int and 1 <= number <= MAX_SAMPLES):
        return number
    raise invalid("num_samples", f"must be a whole number from 1 to {MAX_SAMPLES}")


def _checked_coverage(share: Any) -> float | None:
    if share is None:
        return None
    if type(share) not in (int, float) or not 0 < share <= 1:
        raise invalid("min_coverage", "must be a number above 0, at most 1")
    return float(share)


def _checked_unknown(choice: Any) -> str:
    if choice not in ScoringConfig.UnknownTasks.values:
        raise invalid("unknown_tasks", "must be refuse or keep")
    return str(choice)


_TASK_FIELDS: Mapping[str, Callable[[str, Any], Any]] = {
    "rewards": _checked_rewards,
    "group": _checked_group,
    "weight": _checked_weight,
    **dict.fromkeys(SOURCE_FIELDS, _checked_source),
}
"""What a task may say beside its name, and what checks it."""
