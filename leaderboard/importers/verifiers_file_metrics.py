"""What a `metadata.json` of verifiers 0.1 states, and which of our metrics should equal it.

verifiers counts a failed rollout 0 where its row carries the number and leaves it out where it
does not; its pass@k has a threshold of its own. A value gets a spec only where both say the same
about every row here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from leaderboard.importers.part import Part
from leaderboard.importers.sample_row import SampleRow
from leaderboard.importers.samples import spec

REWARD: Final = "reward"
PASSED: Final = 1.0
THRESHOLD: Final = 0.5

Specs = dict[str, dict[str, Any]]


def file_metrics_of(
    metadata: Part, rows: Sequence[Part], samples: Sequence[SampleRow]
) -> tuple[dict[str, float], Specs]:
    """Stated values by name, and the specs beside them.

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


def _failed(name: str, rows: Sequence[Part], samples: Sequence[SampleRow]) -> str:
    """How verifiers treats rollouts that did not score this: `zero`, `exclude`, or "" for both.

    "" as well where all of a task's rollouts failed: nothing then tells what the task owes.
    """
    alive = {each["task"] for each in samples if each["rewards"] is not None}
    if any(each["task"] not in alive for each in samples):
        return ""
    seen = Counter(
        _value(name, row) is not None
        for row, each in zip(rows, samples, strict=True)
        if each["rewards"] is None or each["rewards"].get(name, 0) is None
    )
    if not seen:
        return "zero"
    if len(seen) > 1:
        return ""
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
    """Whether each rollout passes under their threshold just when it passes under ours.

    And whether all examples are complete: verifiers leaves the others out.
    """
    file_metrics = metadata["pass_threshold"].number()
    threshold = THRESHOLD if file_metrics is None else file_metrics
    counts = Counter(str(row["example_id"].value) for row in rows)
    wanted = metadata["rollouts_per_example"].count()
    rewards = [row[REWARD].reward() or 0.0 for row in rows]
    return all(count == wanted for count in counts.values()) and all(
        (reward >= threshold) == (reward >= PASSED) for reward in rewards
    )
