"""What an attempt needs so that a challenge can rank it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from leaderboard.facts import known_facts
from leaderboard.languages.translation import filled
from leaderboard.models import ScoringConfig
from leaderboard.rules.rewards.evidence import ONLY_REWARD
from leaderboard.rules.texts.quoting import sent
from leaderboard.rules.texts.value_names import ECONOMICS
from leaderboard.schemas.metrics import MetricSpec, spec_of
from leaderboard.schemas.text_metrics import text_spec_of
from leaderboard.services.imports.previews import Preview

_USAGE = {
    "time_per_task": "elapsed_ms",
    "tokens_per_task": "tokens_total",
    "cost_per_task": "cost_usd",
}
_SAMPLES = re.compile(r"[@^](\d+):unbiased$")


@dataclass(frozen=True, slots=True)
class Needs:
    """What an attempt needs so that a scoring config can rank it.

    facts: all of these facts; `succeeded` must be true. any_fact: at least one fact. values: names
    of reported values. rewards: the rewards that each sample needs; empty if no samples are needed.
    usage: the usage that each sample needs. tasks: how many tasks need samples, first those that
    are `counted`. samples: how many samples of each task. outputs: whether a model's outputs are
    needed.
    """

    facts: tuple[str, ...] = ()
    any_fact: bool = False
    values: tuple[str, ...] = ()
    rewards: tuple[str, ...] = ()
    usage: tuple[str, ...] = ()
    tasks: int = 0
    counted: tuple[str, ...] = ()
    samples: int = 1
    outputs: bool = False


def needs_of(config: ScoringConfig) -> Needs:
    """What the first key of the ranking, the required success and the coverage demand."""
    success = ("succeeded",) if config.ranking.only_succeeded else ()
    key = next((key.key for key in config.ranking.keys), "submitted_at")
    return _of_key(config, success, key)


def _of_key(config: ScoringConfig, success: tuple[str, ...], key: str) -> Needs:
    if key == "score":
        return _of_scorer(config, success)
    if key == "submitted_at":
        return Needs(facts=success, any_fact=not success)
    if key in known_facts():
        return Needs(facts=(*success, key))
    if key in ECONOMICS:
        return _of_samples(config, success, None, key)
    if spec := spec_of(key, config.metric_specs):
        if spec.compares:
            return _of_all([_of_key(config, success, compared.key) for compared in spec.compared])
        return _of_samples(config, success, spec, key)
    if text_spec_of(key, config.text_specs) is not None:
        return Needs(facts=success, outputs=True)
    return Needs(facts=success, values=(key,))


def why_never_ranked(config: ScoringConfig, preview: Preview) -> str:
    """Why a checked attempt can never be ranked; "" if it can.

    Ignores metrics that run in the sandbox, because a preview does not compute them.
    """
    needs = needs_of(config)
    if "succeeded" in needs.facts and not preview.metrics.get("succeeded"):
        text = _(
            "metrics.succeeded: must be true, as this board ranks successful attempts; got {got}"
        )
        return text.format(got=sent(preview.metrics.get("succeeded")))
    if needs.outputs and not preview.instances:
        return _("must bring outputs of a model, as a text metric ranks here; got none")
    if not needs.rewards:
        return ""
    if not preview.samples:
        return _("must bring samples with rewards, as a metric of them ranks here; got none")
    key = next((key.key for key in config.ranking.keys), "")
    if wrong := _why_never_compared(config, key, preview):
        return wrong
    value = preview.metric_values.get(key)
    if value is None:
        return ""
    if not value["defined"]:
        return _("must bring a reward that {metric} is computed from; got none").format(metric=key)
    least = _least_coverage(config, spec_of(key, config.metric_specs))
    if value["defined"] < least * value["total"]:
        return filled(
            _(
                "must cover at least {least:.0%} of the tasks to be ranked; got {defined} of "
                "{total} tasks"
            ),
            least=least,
            defined=value["defined"],
            total=value["total"],
        )
    return ""


def _of_scorer(config: ScoringConfig, success: tuple[str, ...]) -> Needs:
    if config.text_specs or config.references_id is not None:
        return Needs(facts=success, outputs=True)
    if config.metric_specs or config.tasks:
        spec = next(iter(config.metric_specs), None)
        return _of_samples(config, success, spec, spec.name if spec else "")
    return Needs(facts=success, any_fact=True)


def _of_samples(
    config: ScoringConfig, success: tuple[str, ...], spec: MetricSpec | None, key: str
) -> Needs:
    declared = [name for task in config.declared_tasks for name in task.rewards]
    reward = _reward_of(spec, key) or next(iter(declared), ONLY_REWARD)
    drawn = _SAMPLES.search(spec.type) if spec else None
    rewards, counted = [reward], list(_counted(config, spec, reward))
    least = _least_coverage(config, spec)
    if least and (spec is None or config.runs_scorer):
        # Samples' usage covers all tasks, and a score requires the coverage of every metric.
        counted += [task.name for task in config.declared_tasks if task.name not in counted]
        rewards += [name for name in dict.fromkeys(declared) if name != reward]
    covered = math.ceil(len(counted) * least - 1e-9)
    return Needs(
        facts=success,
        rewards=tuple(rewards),
        usage=(_USAGE[key],) if key in _USAGE else (),
        tasks=max(covered, min(len(config.declared_tasks), 2) or 2),
        counted=tuple(counted),
        samples=int(drawn[1]) if drawn else 1,
    )


def _of_all(needs: Sequence[Needs]) -> Needs:
    """The combined needs of several values."""
    first = list(dict.fromkeys(name for need in needs for name in need.counted[: need.tasks]))
    return Needs(
        facts=_together(need.facts for need in needs),
        any_fact=any(need.any_fact for need in needs),
        values=_together(need.values for need in needs),
        rewards=_together(need.rewards for need in needs),
        usage=_together(need.usage for need in needs),
        tasks=max(len(first), *(need.tasks for need in needs)),
        counted=_together([first, *(need.counted for need in needs)]),
        samples=max(need.samples for need in needs),
        outputs=any(need.outputs for need in needs),
    )


def _together(names: Iterable[Sequence[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for several in names for name in several))


def _why_never_compared(config: ScoringConfig, key: str, preview: Preview) -> str:
    """Why a board that ranks by comparisons cannot compare an attempt with others; "" if it can."""
    spec = spec_of(key, config.metric_specs)
    if spec is None or not spec.compares:
        return ""
    keys = [compared.key for compared in spec.compared]
    values = (preview.metric_values.get(key) for key in keys)
    if any(value is None or value["defined"] for value in values):
        return ""
    return _("must bring one of the values that {metric} compares, {keys}; got none").format(
        metric=key, keys=", ".join(keys)
    )


def _least_coverage(config: ScoringConfig, spec: MetricSpec | None) -> float:
    """The share of the tasks that the first value of the ranking must cover."""
    return max(config.min_coverage or 0, (spec.min_coverage or 0) if spec else 0)


def _counted(config: ScoringConfig, spec: MetricSpec | None, reward: str) -> Iterator[str]:
    """The declared tasks that a value covers: tasks of its group that have its reward."""
    for task in config.declared_tasks:
        has_reward = not task.rewards or reward in task.rewards
        if spec is None:
            if has_reward:
                yield task.name
        elif (has_reward or spec.undefined == "zero") and (
            task.group == spec.group if spec.group else task.group or not spec.over
        ):
            yield task.name


def _reward_of(spec: MetricSpec | None, key: str) -> str:
    """The reward that a metric is computed from: the spec's, or the one in the value's key."""
    if spec is None:
        return ""
    return spec.reward or (key.removeprefix(f"{spec.name}:") if key != spec.name else "")
