"""What the organiser says about the truth, and what a file of predictions must look like."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal, Self

from leaderboard.rules.json.values import JsonObject

Kind = Literal["values", "labels", "probabilities", "scores", "rankings", "masks"]
KINDS: Final[tuple[Kind, ...]] = (
    "values",
    "labels",
    "probabilities",
    "scores",
    "rankings",
    "masks",
)
"""What a row may be: a number; a label; the probability of a label, or of each label; a score that
is higher the likelier a label is; items, the best first; a mask of pixels."""

Part = Literal["public", "private", "all"]
"""The rows that count: `all` is both parts. Ignored rows are in no part."""

_ACCEPTED: Final[Mapping[str, tuple[str, ...]]] = {"probabilities": ("probabilities", "scores")}


def metric_kinds(kind: Kind) -> tuple[str, ...]:
    """The kinds of metrics that can measure rows of a kind."""
    return _ACCEPTED.get(kind, (kind,))


@dataclass(frozen=True)
class TruthSettings:
    """How to read a truth table.

    id_column, targets: names of columns. positive: the label whose probability or score a file
    holds, "" for one column per label; for the labels 0 and 1, or false and true, it is 1 or true
    unless said otherwise. usage_column: holds Public, Private or Ignored for each row, "" for none.
    share: the share of public rows, drawn with `seed`, None for all rows. At most one of the two.
    above: predicted numbers must be larger (`PluginDescription.above` of the metrics).
    """

    id_column: str
    targets: tuple[str, ...]
    kind: Kind
    positive: str = ""
    usage_column: str = ""
    share: float | None = None
    seed: str = ""
    above: float | None = None

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> Self:
        """From plain JSON, as `asdict` makes it."""
        return cls(**{**stored, "targets": tuple(stored["targets"])})


@dataclass(frozen=True)
class TargetColumn:
    """One target: its column in the truth, and the columns of its predictions.

    labels: those of the whole truth, numbers in the order of numbers; () for other kinds than
    labels, probabilities and scores. positive: one of the labels, "" if there is none.
    """

    name: str
    columns: tuple[str, ...]
    labels: tuple[str, ...] = ()
    positive: str = ""


@dataclass(frozen=True)
class Layout:
    """The columns of a file of predictions, and what their cells may be. Holds no secret."""

    id_column: str
    kind: Kind
    targets: tuple[TargetColumn, ...]
    above: float | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns that a file must have, the id first."""
        return (self.id_column, *(name for target in self.targets for name in target.columns))

    def as_json(self) -> JsonObject:
        return asdict(self)

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> Self:
        """From plain JSON, as `as_json` makes it."""
        targets = tuple(
            TargetColumn(one["name"], tuple(one["columns"]), tuple(one["labels"]), one["positive"])
            for one in stored["targets"]
        )
        return cls(stored["id_column"], stored["kind"], targets, stored["above"])


def columns_of(
    name: str, labels: Sequence[str], positive: str, *, is_only: bool
) -> tuple[str, ...]:
    """The columns of predictions for a target: one, or one for each label.

    is_only: whether there is one target; with several, the columns of labels are `target_label`.
    """
    if positive or not labels:
        return (name,)
    return tuple(label if is_only else f"{name}_{label}" for label in labels)
