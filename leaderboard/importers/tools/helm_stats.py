"""The statistics of single instances in HELM's `per_instance_stats.json`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from leaderboard.importers.reading.harness import put
from leaderboard.importers.reading.json_place import MAX_FIELD, Part
from leaderboard.importers.reading.samples import milliseconds

TEST: Final = "test"
VALID: Final = "valid"
BOOKKEEPING: Final = (
    *("num_", "finish_reason_", "training_", "inference_", "logprob", "perplexity"),
    *("bits_per_byte", "batch_size", "prompt_truncated", "max_prob", "estimated_num_"),
)
"""The beginnings of names of statistics that do not say how good an answer is."""
USAGE: Final = {
    "num_prompt_tokens": "input_tokens",
    "num_output_tokens": "output_tokens",
    "inference_runtime": "elapsed_ms",
}


@dataclass
class InstanceTrial:
    """The results of one instance in one training trial."""

    instance: Part
    trial: int
    rewards: dict[str, float | None] = field(default_factory=dict)
    usage: dict[str, float | int | None] = field(default_factory=dict)


@dataclass
class HelmStat:
    """The results of a split, and how many others there are."""

    taken: list[InstanceTrial]
    left_out: int


def order_of(run_spec: Part) -> list[str]:
    """The metrics that a run asks for, in its order."""
    return [
        name.words(MAX_FIELD)
        for each in run_spec["metric_specs"].items()
        for name in each["args"]["names"].items()
    ]


def splits_of(listed: Part) -> str:
    """The split that counts in results of instances or of a run: `test`, else `valid`, else any."""
    seen = dict.fromkeys(
        stat["name"]["split"].words()
        for each in listed.items()
        for stat in (each["stats"].items() if "stats" in each else (each,))
    )
    return next((split for split in (TEST, VALID) if split in seen), next(iter(seen), ""))


def results_of_split(listed: Part, split: str) -> HelmStat:
    """The results of the unperturbed instances of a split.

    Older versions of HELM list an instance once for each metric; these entries are merged.
    """
    found: dict[tuple[str, int], InstanceTrial] = {}
    others = set()
    for each in listed.items():
        name, trial = each["instance_id"], each["train_trial_index"].count() or 0
        key = (name.name(), trial)
        stats = [stat for stat in each["stats"].items() if stat["name"]["split"].words() == split]
        if each["perturbation"].value is not None or not stats:
            others.add((*key, str(each["perturbation"].value)))
            continue
        one = found.setdefault(key, InstanceTrial(name, trial))
        for stat in stats:
            _take(one, stat)
    ordered = sorted(found.values(), key=lambda one: one.trial)
    for one in ordered:
        _total(one.usage)
    return HelmStat(ordered, len(others))


def _take(one: InstanceTrial, stat: Part) -> None:
    about = stat["name"]
    name = about["name"].checked(about["name"].words(MAX_FIELD + 1), MAX_FIELD)
    if name in USAGE:
        value = stat["mean"].amount()
        key = USAGE[name]
        one.usage[key] = milliseconds(value) if key == "elapsed_ms" else _rounded(value)
    elif not name.startswith(BOOKKEEPING) and stat["count"].count():
        put(one.rewards, name, stat["mean"])


def _rounded(value: float | None) -> int | None:
    return None if value is None else round(value)


def _total(usage: dict[str, float | int | None]) -> None:
    read, written = usage.get("input_tokens"), usage.get("output_tokens")
    if read is not None and written is not None:
        usage["tokens_total"] = read + written
