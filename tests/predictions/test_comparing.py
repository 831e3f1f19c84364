"""Two files of predictions, compared by metrics that are means over rows and by others."""

from __future__ import annotations

import numpy as np
import pytest

from leaderboard.predictions.comparing import ComparedFiles, compare_files
from leaderboard.predictions.layouts import Kind, Layout, TargetColumn
from leaderboard.predictions.packing import pack
from leaderboard.predictions.scoring import answers_of
from leaderboard.sandbox.child.configs import fill
from tests.predictions.comparing import metric_class, packed_of, truth_of


def compared(name: str, truth: bytes, first: bytes, second: bytes) -> ComparedFiles:
    plugin = metric_class(name)
    return compare_files(plugin(), fill(plugin, {}), answers_of(truth, "public"), first, second)


def key(values: np.ndarray, kind: Kind = "values", labels: tuple[str, ...] = ()) -> bytes:
    """A truth with public rows alone."""
    target = TargetColumn("y", ("y",), labels, labels[-1] if labels and kind == "scores" else "")
    about = {"layout": Layout("id", kind, (target,)).as_json()}
    return pack({"y": values, "": np.zeros(values.size, np.int8)}, about)


def file(values: np.ndarray) -> bytes:
    return pack({"y": values}, {})


def test_means_over_rows_are_compared_as_means_over_tasks_are() -> None:
    right = " / ".join(f"{at},a" for at in range(20))
    truth = truth_of(f"id,y / {right} / 20,b", "labels")
    good = packed_of(f"id,y / {right} / 20,b", truth)
    poor = packed_of("id,y / " + " / ".join(f"{at},b" for at in range(21)), truth)
    first, second, comparison = compared("accuracy", truth.key, good, poor)
    assert [first, second, comparison.difference] == pytest.approx([1, 1 / 21, 20 / 21])
    assert (comparison.test, comparison.shared) == ("mcnemar", 21)
    assert comparison.p == pytest.approx(2 * 0.5**20)
    assert (comparison.only_first, comparison.only_second) == (None, None)


def test_private_rows_do_not_count() -> None:
    rows = " / ".join(f"{at},0,{'Public' if at < 10 else 'Private'}" for at in range(20))
    truth = truth_of(f"id,y,Usage / {rows}", "values", usage_column="Usage")
    files = [
        packed_of(
            "id,y / " + " / ".join(f"{at},{off if at > 9 else at}" for at in range(20)), truth
        )
        for off in (1, 99)
    ]
    for name in ("mae", "rmse", "r2"):
        comparison = compared(name, truth.key, *files).comparison
        assert (comparison.shared, comparison.difference or 0) == (10, 0)


@pytest.mark.parametrize("name", ["rmse", "median_absolute_error"])
def test_the_interval_of_other_metrics_contains_the_difference(name: str) -> None:
    """95 of 100 intervals contain 0 where both files are equally good."""
    dice = np.random.default_rng(7)
    hits, rounds = 0, 60
    for _ in range(rounds):
        values = dice.normal(size=150)
        truth = key(values)
        files = [file(values + dice.normal(size=150)) for _ in range(2)]
        interval = compared(name, truth, *files).comparison.interval
        assert interval is not None
        hits += interval[0] <= 0 <= interval[1]
    assert 0.89 * rounds <= hits


def test_many_rows_are_compared_by_some_of_them() -> None:
    dice = np.random.default_rng(3)
    codes = dice.integers(0, 2, 60_000)
    truth = key(codes, "scores", ("0", "1"))
    scores = dice.normal(size=60_000)
    comparison = compared(
        "roc_auc", truth, file(scores + codes), file(scores + 0.9 * codes)
    ).comparison
    assert comparison.shared == 60_000
    assert comparison.p is not None
    assert comparison.p < 1e-6


@pytest.mark.parametrize(("rows", "difference"), [(3, 1.0), (60, None)])
def test_files_that_cannot_be_compared_have_no_interval_and_no_p_value(
    rows: int, difference: float | None
) -> None:
    truth = key(np.ones(rows))
    files = [file(np.full(rows, 2.0)), file(np.full(rows, 1.0))]
    name = "rmse" if difference else "r2"
    comparison = compared(name, truth, *files).comparison
    assert (comparison.difference, comparison.interval, comparison.p) == (difference, None, None)
