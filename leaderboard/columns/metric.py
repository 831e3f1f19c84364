"""The columns of a challenge's metrics: values that are computed from rewards."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from leaderboard.columns.column import Column
from leaderboard.rules.metric_specs import SCRIPT, MetricSpec, spec_of
from scorers.metrics.registry import shipped

DECIMALS = 3


def metric_keys(
    specs: Sequence[MetricSpec], rewards: Sequence[str], seen: Iterable[str]
) -> list[str]:
    """The keys of the values that metrics have, or may have, metric by metric.

    rewards: those that the challenge's tasks declare. seen: keys that attempts have had.
    """
    there = list(seen)
    keys = (key for spec in specs for key in _keys_of(spec, specs, rewards, there))
    return list(dict.fromkeys(keys))


def metric_column(key: str, spec: MetricSpec) -> Column:
    """The column of one value of a metric. What it counts stands in its description."""
    kind = _class_of(spec)
    return Column(
        key=key,
        label=key,
        direction="asc" if getattr(kind, "direction", "desc") == "asc" else "desc",
        unit=str(getattr(kind, "unit", ""))[:12],
        decimals=DECIMALS,
        description=" ".join(_description(key, spec, kind)),
    )


def _keys_of(
    spec: MetricSpec, specs: Collection[MetricSpec], rewards: Sequence[str], seen: Sequence[str]
) -> Iterator[str]:
    had = [key for key in seen if spec_of(key, specs) == spec]
    if spec.type != SCRIPT and (rewards or not had):
        yield from (key for key, _ in spec.keys(rewards))
    elif not had:
        yield spec.name
    yield from had


def _class_of(spec: MetricSpec) -> type | None:
    try:
        return shipped().get(spec.type)
    except KeyError:
        return None


def _description(key: str, spec: MetricSpec, kind: type | None) -> Iterator[str]:
    said = (kind and kind.__doc__) or f"What {spec.type} makes of the rewards."
    yield " ".join(said.strip().partition("\n\n")[0].split())
    reward = spec.reward or (key.removeprefix(f"{spec.name}:") if key != spec.name else "")
    if reward:
        yield f"Of {reward}."
    if spec.failed == "exclude":
        yield "Failed samples are left out."
    if spec.undefined == "zero":
        yield "A reward that a task does not have counts 0."
