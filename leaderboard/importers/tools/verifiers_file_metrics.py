"""The metric values in a `metadata.json` of verifiers 0.1, and the metrics here that should equal
them.

verifiers counts a failed rollout as 0 if its row has the number, and leaves it out otherwise; its
pass@k has its own threshold. A value gets a spec only if both rules agree on every row of the file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from leaderboard.importers.reading.json_place import Part
from leaderboard.importers.reading.sample_row import SampleRow
from leaderboard.importers.reading.samples import spec
from leaderboard.importers.reading.suggestions import SuggestedMetric, SuggestedPolicy

REWARD: Final = "reward"
PASSED: Final = 1.0
THRESHOLD: Final = 0.5

Specs = dict[str, SuggestedMetric]


def file_metrics_of(
    metadata: Part, rows: Sequence[Part], samples: Sequence[SampleRow]
) -> tuple[dict[str, float], Specs]:
    """The values in the file by name, and the specs of the same metrics here.

    rows and samples: the same rollouts, as they stand in the file and as they are imported.
    """
    values: dict[str, float] = {}
    specs: Specs = {}
    averages = [(REWARD, metadata["avg_reward"]), *metadata["avg_metrics"].fields()]
    for name, part in averages:
        if (value := part.number()) is None:
            continue
        one = spec("mean", name)
        values.setdefault(one["name"], value)
        if failed := _failed(name, rows, samples):
            specs.setdefault(one["name"], {**one, "failed": failed})
    if (errors := metadata["avg_error"].number()) is not None:
        values["avg_error"] = errors
    for kind, of in (("pass@", "pass_at_k"), ("pass^", "pass_all_k")):
        _add_passes(kind, metadata, metadata[of], rows, values, specs)
    return values, specs


def _failed(
    name: str, rows: Sequence[Part], samples: Sequence[SampleRow]
) -> SuggestedPolicy | None:
    """How verifiers treats rollouts that did not score this: `zero`, `exclude`, or None for both.

    Also None if all rollouts of a task failed, because its rewards are then unknown.
    """
    alive = {sample["task"] for sample in samples if sample["rewards"] is not None}
    if any(sample["task"] not in alive for sample in samples):
        return None
    seen = Counter(
        _value(name, row) is not None
        for row, sample in zip(rows, samples, strict=True)
        if sample["rewards"] is None or sample["rewards"].get(name, 0) is None
    )
    if not seen:
        return "zero"
    if len(seen) > 1:
        return None
    return "zero" if seen[True] else "exclude"


def _value(name: str, row: Part) -> float | None:
    return (row[REWARD] if name == REWARD else row["metrics"][name]).reward()


def _add_passes(
    kind: str,
    metadata: Part,
    file_metrics: Part,
    rows: Sequence[Part],
    values: dict[str, float],
    specs: Specs,
) -> None:
    comparable = _same_passes(metadata, rows)
    for k, part in file_metrics.fields():
        value = part.number()
        if value is None or not k.isdecimal():
            continue
        one = spec(f"{kind}{k}:unbiased", REWARD)
        if comparable:
            values[one["name"]], specs[one["name"]] = value, one
        else:
            values[f"{file_metrics.path[-1]}.{k}"] = value


def _same_passes(metadata: Part, rows: Sequence[Part]) -> bool:
    """Whether the same rollouts pass under their threshold and under ours.

    All examples must be complete, because verifiers leaves incomplete ones out.
    """
    file_metrics = metadata["pass_threshold"].number()
    threshold = THRESHOLD if file_metrics is None else file_metrics
    counts = Counter(str(row["example_id"].value) for row in rows)
    wanted = metadata["rollouts_per_example"].count()
    rewards = [row[REWARD].reward() or 0.0 for row in rows]
    return all(count == wanted for count in counts.values()) and all(
        (reward >= threshold) == (reward >= PASSED) for reward in rewards
    )
