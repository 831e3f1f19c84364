"""The statistics of single instances in HELM's `per_instance_stats.json`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from leaderboard.importers.reading.harness import put, token_usage
from leaderboard.importers.reading.json_place import MAX_FIELD, JsonValue
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

    instance: JsonValue
    trial: int
    rewards: dict[str, float | None] = field(default_factory=dict)
    usage: dict[str, float | int | None] = field(default_factory=dict)


@dataclass
class HelmStat:
    """The results of a split, and how many others there are."""

    taken: list[InstanceTrial]
    left_out: int


def order_of(run_spec: JsonValue) -> list[str]:
    """The metrics that a run asks for, in its order."""
    return [
        name.words(MAX_FIELD)
        for metric in run_spec["metric_specs"].items()
        for name in metric["args"]["names"].items()
    ]


def split_of(results: JsonValue) -> str:
    """The split that counts in results of instances or of a run: `test`, else `valid`, else any."""
    splits = dict.fromkeys(
        stat["name"]["split"].words()
        for result in results.items()
        for stat in (result["stats"].items() if "stats" in result else (result,))
    )
    return next((split for split in (TEST, VALID) if split in splits), next(iter(splits), ""))


def results_of_split(results: JsonValue, split: str) -> HelmStat:
    """The results of the unperturbed instances of a split.

    Older versions of HELM list an instance once for each metric; these entries are merged.
    """
    trials: dict[tuple[str, int], InstanceTrial] = {}
    left_out = set()
    for result in results.items():
        name, trial = result["instance_id"], result["train_trial_index"].count() or 0
        key = (name.name(), trial)
        stats = [stat for stat in result["stats"].items() if stat["name"]["split"].words() == split]
        if result["perturbation"].value is not None or not stats:
            left_out.add((*key, str(result["perturbation"].value)))
            continue
        instance_trial = trials.setdefault(key, InstanceTrial(name, trial))
        for stat in stats:
            _take(instance_trial, stat)
    ordered = sorted(trials.values(), key=lambda instance_trial: instance_trial.trial)
    for instance_trial in ordered:
        usage = instance_trial.usage
        both = token_usage(usage.get("input_tokens"), usage.get("output_tokens"))["tokens_total"]
        if both is not None:
            usage["tokens_total"] = both
    return HelmStat(ordered, len(left_out))


def _take(trial: InstanceTrial, stat: JsonValue) -> None:
    about = stat["name"]
    name = about["name"].checked(about["name"].words(MAX_FIELD + 1), MAX_FIELD)
    if name in USAGE:
        value = stat["mean"].amount()
        key = USAGE[name]
        if key == "elapsed_ms":
            trial.usage[key] = milliseconds(value)
        else:
            trial.usage[key] = None if value is None else round(value)
    elif not name.startswith(BOOKKEEPING) and stat["count"].count():
        put(trial.rewards, name, stat["mean"])
