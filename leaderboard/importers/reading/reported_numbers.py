"""Numbers in files that cannot be computed again here: they become reported values.

A label of another tool becomes the key of a reported value, which has 1 to 80 letters, digits and
`_ @ ^ : . -`; the label becomes that of a column.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Final

from leaderboard.facts import known_facts, rankable_keys
from leaderboard.importers.reading.directions import direction_of as direction_of
from leaderboard.importers.reading.errors import legible
from leaderboard.importers.reading.json_place import JsonValue
from leaderboard.importers.reading.result_labels import result_key
from leaderboard.importers.reading.suggestions import SuggestedFields
from leaderboard.rules.texts.messages import message

MAX_VALUES: Final = 100
"""How many numbers one attempt may report."""
MAX_KEY: Final = 80
MAX_LABEL: Final = 60

RESERVED: Final = frozenset(
    {
        *rankable_keys(),
        *known_facts(),
        "time_per_task",
        "tokens_per_task",
        "cost_per_task",
        "max",
        "mean",
        "mean_reward",
        "min",
        "pass_rate",
        "sum",
        "std",
        "median",
        "percentile",
        "weighted_mean",
        "wins",
        "ties",
        "losses",
        "rank",
    }
)
"""Names that mean something else on a board: facts, and metrics that are computed here."""

_NOT_IN_KEYS = re.compile(r"[^A-Za-z0-9_@^:.-]+")
_COMPUTED = re.compile(r"pass[@^][0-9]+(:unbiased)?")
_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,4})?\s*")
_MEASURE = re.compile(
    r"(^|[^a-z])(acc|accuracy|f1|score|bleu|chrf|rouge|auc|auroc|precision|recall|reward|success"
    r"|solved|passed|pass|win|map|ndcg|mrr|em|exact|match|correct|loss|perplexity|wer|mae|rmse)"
    r"([^a-z]|$)"
)
_OVER_NOTHING = frozenset(
    {"", "nan", "none", "null", "n/a", "-", "inf", "-inf", "+inf", "infinity"}
)


@dataclass
class ReportedNumbers:
    """Numbers of one attempt in the file's order, under keys that are accepted.

    format: the prefix of a name that has another meaning here, as in `codalab.score`. values: the
    first 100. labels: by key. rest: the others, which are only shown as values of the file.
    """

    format: str
    values: dict[str, float] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    rest: dict[str, float] = field(default_factory=dict)
    _numbers: dict[str, int] = field(default_factory=dict)

    def add(self, label: str, value: float) -> None:
        """Take a number under its label; a label without any accepted character has no key."""
        key = self._free(value_key(label, self.format))
        if len(self.values) < MAX_VALUES:
            self.values[key] = value
            self.labels[key] = label
        else:
            self.rest[key] = value

    def _free(self, key: str) -> str:
        """The key, with a number at the end if another label has the same key."""
        taken, number = key, self._numbers.get(key, 1)
        while taken in self.values or taken in self.rest:
            number += 1
            taken = f"{key[: MAX_KEY - 8]}-{number}"
        self._numbers[key] = number
        return taken

    def warn(self, file: str, warnings: list[str]) -> None:
        """Say that there are more numbers than an attempt may report."""
        if self.rest:
            warnings.append(
                message(
                    "{file}: states {values} numbers; the first {most} become values, the "
                    "others are kept as stated",
                    file=legible(file),
                    values=len(self.values) + len(self.rest),
                    most=MAX_VALUES,
                )
            )


def value_key(label: str, format: str = "") -> str:  # noqa: A002 - the API's word
    """A label as the key of a reported value: other characters become `_`."""
    key = _NOT_IN_KEYS.sub("_", label).strip("_")[:MAX_KEY] or "value"
    if key.lower() in RESERVED or _COMPUTED.fullmatch(key):
        key = f"{format or 'reported'}.{key}"[:MAX_KEY]
    return key


def in_text(text: str) -> float | None:
    """The finite number that a text is; None for every other text."""
    if len(text) > 400 or not _NUMBER.fullmatch(text):
        return None
    number = float(text)
    return number + 0.0 if isfinite(number) else None


def says_nothing(text: str) -> bool:
    """Whether a cell is the mark of a number that does not exist: empty, NaN, null, N/A."""
    return text.strip().lower() in _OVER_NOTHING


def nested(part: JsonValue, before: str = "", depth: int = 4) -> Iterable[tuple[str, float]]:
    """Each number of an object and of objects in it, as `outer.inner`.

    Lists are left out, and so are objects with a `_type`: files that a tracker logged.
    """
    for name, value in part.fields():
        label = f"{before}{name}"
        if isinstance(value.value, dict):
            if depth > 1 and "_type" not in value:
                yield from nested(value, f"{label}.", depth - 1)
        elif (number := value.finite()) is not None:
            yield label, number


def measured(labels: Mapping[str, str]) -> str:
    """The key of the first number whose name is one of a measure, "" when there is none."""
    return next((key for key, label in labels.items() if _MEASURE.search(label.lower())), "")


def ranked_by(labels: Mapping[str, str], first: str = "") -> SuggestedFields:
    """Fields of a challenge that ranks by a reported value, and shows the others.

    labels: by key. first: the key of the tool's main number, "" for the first one that is no
    count, size, date or setting.
    """
    key = first or result_key(labels) or next(iter(labels), "")
    if not key:
        return {}
    ordered = [key, *(label for label in labels if label != key)]
    return {
        "scoring_strategy": "metric",
        "values": ordered[:MAX_VALUES],
        "rank_by": [{"key": key, "direction": direction_of(labels.get(key, key))}],
        "columns": [
            {"key": column, "label": _label(labels.get(column, column))} for column in ordered[:20]
        ],
    }


def _label(text: str) -> str:
    printable = "".join(character if character.isprintable() else " " for character in text)
    return " ".join(printable.split())[:MAX_LABEL]
