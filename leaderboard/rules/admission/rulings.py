"""What decisions about single samples mean for what metrics see."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal

from leaderboard.rules.rewards.samples import Sample

RulingKind = Literal["counts_zero", "left_out", "infrastructure"]
RULINGS: Final[tuple[RulingKind, ...]] = ("counts_zero", "left_out", "infrastructure")
Rulings = Mapping[tuple[str, int], RulingKind]
"""The ruling about each sample, by task and number."""


def rulings_of(stored: Iterable[Sequence[str | int]]) -> Rulings:
    """Rulings as they are stored: `[task, sample, kind]`."""
    return {(str(task), int(number)): _kind(kind) for task, number, kind in stored}


def ruled(samples: Iterable[Sample], rulings: Rulings) -> list[Sample]:
    """The samples under some rulings: left out, or with zero for each reward that they owe.

    A failed sample owes the rewards that the other samples of its task have, or else all rewards
    of the attempt.
    """
    rows = list(samples)
    if not rulings:
        return rows
    return [
        _zero(sample, rows) if kind == "counts_zero" else sample
        for sample in rows
        if (kind := rulings.get((sample.task, sample.sample))) in (None, "counts_zero")
    ]


def excused(samples: Iterable[Sample], rulings: Rulings) -> list[Sample]:
    """The samples that some rulings leave out."""
    keys = {key for key, kind in rulings.items() if kind != "counts_zero"}
    return [sample for sample in samples if (sample.task, sample.sample) in keys] if keys else []


def _zero(sample: Sample, rows: Sequence[Sample]) -> Sample:
    names = sample.rewards or _names(row for row in rows if row.task == sample.task)
    return sample._replace(rewards=dict.fromkeys(names or _names(rows), 0.0))


def _names(rows: Iterable[Sample]) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row.rewards or ()))


def _kind(kind: str | int) -> RulingKind:
    return next(ruling for ruling in RULINGS if ruling == kind)
