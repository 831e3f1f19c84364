"""The columns of a challenge's metrics: values that are computed from rewards."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TypedDict

from leaderboard.columns.column import Column
from leaderboard.rules.plugins.descriptions import known_text
from leaderboard.rules.ranking.places import RankKey
from leaderboard.rules.ranking.win_rates import MEANING
from leaderboard.rules.rewards.reducible import SCRIPT
from leaderboard.rules.sortkey import PRECISION
from leaderboard.rules.texts.messages import counted, listed, message, sentences
from leaderboard.schemas.columns import MAX_UNIT
from leaderboard.schemas.metrics import MetricSpec, spec_of
from scorers.metrics.registry import shipped

DECIMALS = 3


class Note(TypedDict):
    """A metric's description: its docstring, the better end of its values, and their unit."""

    description: str
    direction: str
    unit: str


def metric_keys(
    specs: Sequence[MetricSpec], rewards: Sequence[str], value_keys: Iterable[str]
) -> list[str]:
    """The keys of the values that metrics have, or may have, metric by metric.

    rewards: those that the challenge's tasks declare. value_keys: keys that attempts have had.
    """
    names = list(value_keys)
    keys = (key for spec in specs for key in _keys_of(spec, specs, rewards, names))
    return list(dict.fromkeys(keys))


def metric_column(key: str, spec: MetricSpec, note: Note | None = None) -> Column:
    """The column of one value of a metric; its description says what it counts.

    note: the description of a metric that does not come with Podium.
    """
    note = note or _note_of(spec)
    return Column(
        key=key,
        label=key,
        direction="asc" if note["direction"] == "asc" else "desc",
        unit=note["unit"][:MAX_UNIT],
        decimals=DECIMALS,
        description=sentences(*_description(key, spec, note)),
        over="value" if spec.compares else "task",
    )


def compared_key(key: RankKey) -> str:
    """A key that a mean win rate compares, as text: `MMLU`, `cost_usd (lowest is best)`."""
    if key.decimals >= PRECISION:
        if key.direction == "desc":
            return key.key
        return message("{key} (lowest is best)", key=key.key)
    if key.direction == "desc":
        return counted(
            "{key} (to {count} decimal)",
            "{key} (to {count} decimals)",
            count=key.decimals,
            key=key.key,
        )
    return counted(
        "{key} (lowest is best, to {count} decimal)",
        "{key} (lowest is best, to {count} decimals)",
        count=key.decimals,
        key=key.key,
    )


def _keys_of(
    spec: MetricSpec,
    specs: Collection[MetricSpec],
    rewards: Sequence[str],
    value_keys: Sequence[str],
) -> Iterator[str]:
    had = [key for key in value_keys if spec_of(key, specs) == spec]
    if spec.type != SCRIPT and (rewards or not had):
        yield from (key for key, _ in spec.keys(rewards))
    elif not had:
        yield spec.name
    yield from had


def _note_of(spec: MetricSpec) -> Note:
    if spec.compares:
        return {"description": MEANING, "direction": "desc", "unit": ""}
    try:
        kind: type = shipped().get(spec.type)
    except KeyError:
        return {"description": "", "direction": "desc", "unit": ""}
    return {
        "description": kind.__doc__ or "",
        "direction": getattr(kind, "direction", "desc"),
        "unit": getattr(kind, "unit", ""),
    }


def _description(key: str, spec: MetricSpec, note: Note) -> Iterator[str]:
    first_paragraph = " ".join(note["description"].strip().partition("\n\n")[0].split())
    if spec.compares:
        yield MEANING
        yield message("Compared: {keys}.", keys=listed(map(compared_key, spec.compared)))
        return
    yield known_text(first_paragraph) or message(
        "What {type} makes of the rewards.", type=spec.type
    )
    reward = spec.reward or (key.removeprefix(f"{spec.name}:") if key != spec.name else "")
    if reward:
        yield message("Of {reward}.", reward=reward)
    if spec.group:
        yield message("Over the tasks of the group {group}.", group=spec.group)
    if spec.over:
        yield message("The mean of its values over each group of tasks.")
    if spec.failed == "exclude":
        yield message("Failed samples are left out.")
    if spec.undefined == "zero":
        yield message("A reward that a task does not have counts 0.")
