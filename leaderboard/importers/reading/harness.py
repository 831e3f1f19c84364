"""Common functions of importers of evaluation tools: rewards, usage, stated values and names."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final

from leaderboard.importers.reading.json_place import MAX_NAME, JsonValue
from leaderboard.importers.reading.sample_row import SampleRow
from leaderboard.importers.reading.samples import facts, sample
from leaderboard.importers.reading.suggestions import SuggestedMetric

MAX_VALUE_NAME: Final = 80

_NOT_IN_VALUE_NAMES: Final = re.compile(r"[^A-Za-z0-9_@^:.-]+")


def put(rewards: dict[str, float | None], name: str, part: JsonValue) -> None:
    """Add a reward, unless it is absent or NaN: such a reward is undefined.

    Raises ImportFailed for a value that is neither a number nor a boolean.
    """
    value = part.value
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return
    rewards[name] = part.reward()


def value_name(text: str) -> str:
    """A valid name of a reported value: letters, digits and `_@^:.-`, at most 80."""
    return _NOT_IN_VALUE_NAMES.sub("_", text)[:MAX_VALUE_NAME].strip("_") or "value"


def task_name(part: JsonValue, text: str) -> str:
    """The text as the name of a task; a long text is cut and gets a digest."""
    if len(text) > MAX_NAME:
        text = f"{text[: MAX_NAME - 9].strip()}-{digest(text)}"
    return part.checked(text)


def digest(text: str) -> str:
    """Eight hexadecimal digits of a text's hash."""
    return sha256(text.encode(errors="replace")).hexdigest()[:8]


def file_stem(name: str) -> str:
    """The own name of a file, without folders and `.json` or `.jsonl`."""
    own = name.rpartition("/")[2]
    return re.sub(r"\.jsonl?$", "", own)


def distinct(names: Sequence[str]) -> list[str]:
    """The names; repeated ones get `#2`, `#3`, … at the end."""
    counts: dict[str, int] = {}
    numbered_names = []
    for name in names:
        counts[name] = counts.get(name, 0) + 1
        numbered_names.append(name if counts[name] == 1 else f"{name} #{counts[name]}")
    return numbered_names


def broken(
    task: str,
    owed: Iterable[str],
    usage: Mapping[str, float | int | None] | None = None,
    error: str = "",
) -> SampleRow:
    """A failed sample. Each reward that the tool gives to every sample was not scored.

    Because these rewards are named, the failure counts in the mean of each of them.
    """
    return sample(task, dict.fromkeys(owed) or None, usage, error)


def totals(samples: Iterable[SampleRow]) -> dict[str, float | int]:
    """The usage of a whole attempt; see `samples.facts`. Here `broken` samples have failed too."""
    return facts(
        [row if any_scored(row["rewards"]) else {**row, "rewards": None} for row in samples]
    )


def any_scored(rewards: Mapping[str, float | None] | None) -> bool:
    """Whether a sample did not fail: it has a scored reward, or no names of rewards at all."""
    return rewards is not None and (not rewards or set(rewards.values()) != {None})


@dataclass
class StatedValues:
    """What a file states for its metrics: values by name, and the metrics here that should equal
    them, under the same names. error_specs: metrics whose standard error should equal a value.
    """

    values: dict[str, float] = field(default_factory=dict)
    specs: dict[str, SuggestedMetric] = field(default_factory=dict)
    error_specs: dict[str, SuggestedMetric] = field(default_factory=dict)

    def add(self, metric: SuggestedMetric, value: float | None) -> None:
        """Record a value, unless it is None, under the name of the metric that should equal it."""
        if value is not None:
            self.values[metric["name"]], self.specs[metric["name"]] = value, metric

    def add_first(self, metric: SuggestedMetric, value: float) -> None:
        """The same, unless a value of this name is recorded already."""
        self.values.setdefault(metric["name"], value)
        self.specs.setdefault(metric["name"], metric)


def words_in(part: JsonValue, **paths: str | Sequence[str]) -> dict[str, str]:
    """Short texts by name, each from its path, or from the first of its paths that has one."""
    return {
        name: part.at(where).words()
        if isinstance(where, str)
        else next(filter(None, (part.at(path).words() for path in where)), "")
        for name, where in paths.items()
    }


def token_usage(tokens_in: float | None, tokens_out: float | None) -> dict[str, float | int | None]:
    """The usage of tokens; the total where both are known."""
    both = None if tokens_in is None or tokens_out is None else tokens_in + tokens_out
    return {"tokens_total": both, "input_tokens": tokens_in, "output_tokens": tokens_out}
