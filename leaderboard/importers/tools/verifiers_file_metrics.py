"""The metric values in a `metadata.json` of verifiers 0.1, and the metrics here that should equal
them.

verifiers counts a failed rollout as 0 if its row has the number, and leaves it out otherwise; its
pass@k has its own threshold. A value gets a spec only if both rules agree on every row of the file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from leaderboard.importers.reading.harness import StatedValues
from leaderboard.importers.reading.json_place import JsonValue
from leaderboard.importers.reading.sample_row import SampleRow
from leaderboard.importers.reading.samples import spec
from leaderboard.importers.reading.suggestions import SuggestedPolicy

REWARD: Final = "reward"
PASSED: Final = 1.0
THRESHOLD: Final = 0.5


def file_metrics_of(
    metadata: JsonValue, rows: Sequence[JsonValue], samples: Sequence[SampleRow]
) -> StatedValues:
    """The values in the file, and the same metrics here.

    rows and samples: the same rollouts, as they stand in the file and as they are imported.
    """
    stated = StatedValues()
    averages = [(REWARD, metadata["avg_reward"]), *metadata["avg_metrics"].fields()]
    for name, part in averages:
        if (value := part.number()) is None:
            continue
        if failed := _failed(name, rows, samples):
            stated.add_first(spec("mean", name, failed=failed), value)
        else:
            stated.values.setdefault(spec("mean", name)["name"], value)
    if (errors := metadata["avg_error"].number()) is not None:
        stated.values["avg_error"] = errors
    has_same_passes = _has_same_passes(metadata, rows)
    for kind, of in (("pass@", "pass_at_k"), ("pass^", "pass_all_k")):
        for k, part in metadata[of].fields():
            value = part.number()
            if value is None or not k.isdecimal():
                continue
            if has_same_passes:
                stated.add(spec(f"{kind}{k}:unbiased", REWARD), value)
            else:
                stated.values[f"{of}.{k}"] = value
    return stated


def _failed(
    name: str, rows: Sequence[JsonValue], samples: Sequence[SampleRow]
) -> SuggestedPolicy | None:
    """How verifiers treats rollouts that did not score this: `zero`, `exclude`, or None for both.

    Also None if all rollouts of a task failed, because its rewards are then unknown.
    """
    alive = {sample_row["task"] for sample_row in samples if sample_row["rewards"] is not None}
    if any(sample_row["task"] not in alive for sample_row in samples):
        return None
    stated = Counter(
        _value(name, row) is not None
        for row, sample_row in zip(rows, samples, strict=True)
        if sample_row["rewards"] is None or sample_row["rewards"].get(name, 0) is None
    )
    if not stated:
        return "zero"
    if len(stated) > 1:
        return None
    return "zero" if stated[True] else "exclude"


def _value(name: str, row: JsonValue) -> float | None:
    return (row[REWARD] if name == REWARD else row["metrics"][name]).reward()


def _has_same_passes(metadata: JsonValue, rows: Sequence[JsonValue]) -> bool:
    """Whether the same rollouts pass under their threshold and under ours.

    All examples must be complete, because verifiers leaves incomplete ones out.
    """
    stated = metadata["pass_threshold"].number()
    threshold = THRESHOLD if stated is None else stated
    counts = Counter(str(row["example_id"].value) for row in rows)
    wanted = metadata["rollouts_per_example"].count()
    rewards = [row[REWARD].reward() or 0.0 for row in rows]
    return all(count == wanted for count in counts.values()) and all(
        (reward >= threshold) == (reward >= PASSED) for reward in rewards
    )
