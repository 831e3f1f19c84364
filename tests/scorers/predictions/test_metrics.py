"""The values of each metric of predictions, computed by hand, and what has none."""

from __future__ import annotations

from math import log, log2, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.predictions.layouts import KINDS, Kind
from scorers.predictions.masks._masks import overlap
from tests.predictions.comparing import measured, metric_class, truth_of

METRICS = sorted(path.stem for path in Path("scorers/predictions").glob("*/[a-z]*.py"))


def column(cells: str, header: str = "y") -> str:
    """Return a table with ids from 0 and a row for each word."""
    rows = (f"{at},{cell}" for at, cell in enumerate(cells.split(" ")))
    return " / ".join([f"id,{header}", *rows])


NUMBERS = ("1 2 4 8", "1 3 3 10")
LETTERS = ("a a a b b c", "a a b b c c")
ANSWERS = ("yes yes no no no", "yes no yes no no")
CHANCES = ("1 0 1 0", ".8 .3 .4 .4")
OF_LETTERS = ("a b c a", ".7,.2,.1 .3,.4,.3 .2,.5,.3 .2,.3,.5")
ITEMS = ("a_b c", "a_x_b y_c")
MASKS = ("1_4 ", "3_4 ")
Cells = tuple[str, str]

VALUES: list[tuple[str, Kind, Cells, dict[str, Any], float]] = [
    ("mse", "values", NUMBERS, {}, 1.5),
    ("rmse", "values", NUMBERS, {}, sqrt(1.5)),
    ("mae", "values", NUMBERS, {}, 1),
    ("median_absolute_error", "values", NUMBERS, {}, 1),
    ("mape", "values", NUMBERS, {}, 0.25),
    ("smape", "values", NUMBERS, {}, (2 / 5 + 2 / 7 + 2 / 9) / 4),
    ("smape", "values", ("0 1", "0 1"), {}, 0),
    ("rmsle", "values", ("0 3", "-.5 3"), {}, log(2) / sqrt(2)),
    ("r2", "values", NUMBERS, {}, 1 - 6 / 28.75),
    ("pearson", "values", NUMBERS, {}, 35.25 / sqrt(28.75 * 46.75)),
    ("spearman", "values", NUMBERS, {}, 4.5 / sqrt(22.5)),
    ("kendall", "values", NUMBERS, {}, 5 / sqrt(30)),
    ("pinball", "values", NUMBERS, {"quantile": 0.8}, 0.35),
    ("accuracy", "labels", LETTERS, {}, 2 / 3),
    ("accuracy", "labels", ("1 0", "1.0 0"), {}, 1),
    ("balanced_accuracy", "labels", LETTERS, {}, 13 / 18),
    ("precision", "labels", LETTERS, {}, 2 / 3),
    ("recall", "labels", LETTERS, {}, 13 / 18),
    ("f_beta", "labels", LETTERS, {}, (0.8 + 0.5 + 2 / 3) / 3),
    ("f_beta", "labels", LETTERS, {"average": "micro"}, 2 / 3),
    ("f_beta", "labels", LETTERS, {"average": "weighted"}, (2.4 + 1 + 2 / 3) / 6),
    ("f_beta", "labels", ANSWERS, {"average": "binary"}, 0.5),
    ("f_beta", "labels", ("yes yes no", "yes no no"), {"average": "binary", "beta": 2.0}, 5 / 9),
    ("f_beta", "labels", ("yes no", "no no"), {"average": "binary"}, 0),
    ("jaccard", "labels", LETTERS, {}, 0.5),
    ("jaccard", "labels", ANSWERS, {"average": "binary"}, 1 / 3),
    ("hamming", "labels", LETTERS, {}, 1 / 3),
    ("mcc", "labels", LETTERS, {}, 12 / sqrt(24 * 22)),
    ("cohen_kappa", "labels", LETTERS, {}, 0.5),
    ("cohen_kappa", "labels", ("1 2 10 10", "2 2 10 1"), {"weights": "quadratic"}, 1 - 82 / 141.5),
    ("cohen_kappa", "labels", ("1 2 10 10", "2 2 10 1"), {"weights": "linear"}, 1 - 10 / 17.5),
    ("log_loss", "probabilities", CHANCES, {}, -log(0.8 * 0.7 * 0.4 * 0.6) / 4),
    ("log_loss", "probabilities", ("1 0", "0 0"), {}, -log(np.finfo(float).eps) / 2),
    ("log_loss", "probabilities", OF_LETTERS, {}, -log(0.7 * 0.4 * 0.3 * 0.2) / 4),
    ("brier", "probabilities", CHANCES, {}, 0.1625),
    ("brier", "probabilities", OF_LETTERS, {}, 0.61),
    ("ece", "probabilities", CHANCES, {}, 0.175),
    ("ece", "probabilities", OF_LETTERS, {}, 0.475),
    ("roc_auc", "scores", CHANCES, {}, 0.875),
    ("roc_auc", "probabilities", OF_LETTERS, {}, (0.625 + 2 / 3 + 0.5) / 3),
    ("roc_auc", "scores", OF_LETTERS, {"average": "weighted"}, (1.25 + 2 / 3 + 0.5) / 4),
    ("roc_auc", "scores", OF_LETTERS, {"multi_class": "ovo"}, 1.625 / 3),
    ("gini", "scores", CHANCES, {}, 0.75),
    ("average_precision", "scores", CHANCES, {}, 5 / 6),
    ("top_k_accuracy", "probabilities", CHANCES, {"k": 1}, 0.75),
    ("top_k_accuracy", "scores", OF_LETTERS, {"k": 2}, 0.75),
    ("top_k_accuracy", "scores", ("a b", "1,1 1,1"), {"k": 1}, 0.5),
    ("map_at_k", "rankings", ITEMS, {"k": 3}, 2 / 3),
    ("map_at_k", "rankings", ITEMS, {"k": 1}, 0.5),
    ("map_at_k", "rankings", ("a_b", "a_a_b"), {}, 5 / 6),
    ("recall_at_k", "rankings", ITEMS, {"k": 2}, 0.75),
    ("ndcg_at_k", "rankings", ITEMS, {"k": 3}, (1.5 / (1 + 1 / log2(3)) + 1 / log2(3)) / 2),
    ("mrr", "rankings", ITEMS, {}, 0.75),
    ("dice", "masks", MASKS, {}, 0.75),
    ("dice", "masks", MASKS, {"over": "pixels"}, 0.5),
    ("iou", "masks", MASKS, {}, (1 / 3 + 1) / 2),
]


@pytest.mark.parametrize(("name", "kind", "cells", "parameters", "value"), VALUES)
def test_a_metric_has_the_value_that_is_computed_by_hand(
    name: str, kind: Kind, cells: Cells, parameters: dict[str, Any], value: float
) -> None:
    truth, predictions = (column(cell) for cell in cells)
    positive = "yes" if "yes" in truth else ""
    if kind in ("rankings", "masks"):
        truth, predictions = truth.replace("_", " "), predictions.replace("_", " ")
    read = truth_of(truth, kind, positive=positive)
    predictions = predictions.replace("id,y", ",".join(read.layout.columns))
    assert measured(name, read, predictions, **parameters).values[name] == pytest.approx(
        value, rel=1e-12
    )


def test_each_metric_has_a_value_here() -> None:
    assert {name for name, *_ in VALUES} == set(METRICS)


@pytest.mark.parametrize("name", METRICS)
def test_a_metric_describes_itself(name: str) -> None:
    plugin = metric_class(name)
    assert (plugin.id, plugin.kind in KINDS) == (name, True)
    low, high = plugin.bounds
    assert low is None or high is None or low < high
    perfect = high if getattr(plugin, "direction", "desc") == "desc" else low
    assert perfect is not None
    cells = {
        "values": "1 2 4",
        "rankings": "a b c",
        "masks": "1 2 4",
    }.get(plugin.kind, "1 0 1")
    if plugin.kind == "masks":
        truth = truth_of("id,y / 1,3 4 / 2,", "masks")
    else:
        truth = truth_of(column(cells), plugin.kind)
    value = measured(name, truth, None).values[name]
    assert value == pytest.approx(perfect, abs=1e-12)


UNDEFINED: list[tuple[str, Kind, Cells, dict[str, Any]]] = [
    ("mape", "values", ("0 1", "1 1"), {}),
    ("rmsle", "values", ("0 -1", "1 1"), {}),
    ("r2", "values", ("1 1", "1 2"), {}),
    ("spearman", "values", ("1 2", "1 1"), {}),
    ("pearson", "values", ("1 1", "1 2"), {}),
    ("kendall", "values", ("1 1", "1 2"), {}),
    ("mcc", "labels", ("a a", "a a"), {}),
    ("cohen_kappa", "labels", ("a a", "a a"), {}),
    ("cohen_kappa", "labels", ("a b", "a b"), {"weights": "linear"}),
    ("precision", "labels", ("1 0", "0 0"), {"average": "binary"}),
    ("f_beta", "labels", ("a b", "b b"), {"average": "binary"}),
    ("roc_auc", "scores", ("1 1", "1,0 1,0"), {}),
    ("average_precision", "scores", ("1 1", "1,0 1,0"), {}),
    ("map_at_k", "rankings", (" a", "a a"), {}),
]


@pytest.mark.parametrize(("name", "kind", "cells", "parameters"), UNDEFINED)
def test_what_is_undefined_is_not_zero_and_has_a_reason(
    name: str, kind: Kind, cells: Cells, parameters: dict[str, Any]
) -> None:
    truth = truth_of(column(cells[0]), kind)
    predictions = None if kind == "scores" else column(cells[1])
    outcome = measured(name, truth, predictions, **parameters)
    assert (outcome.values, bool(outcome.reason)) == ({name: None}, True)


RUNS = st.lists(st.tuples(st.integers(0, 5), st.integers(1, 5)), max_size=8)


@given(RUNS, RUNS)
def test_shared_pixels_are_those_of_sets(
    first: list[tuple[int, int]], second: list[tuple[int, int]]
) -> None:
    masks = [list(runs(steps)) for steps in (first, second)]
    pixels = [
        {at for first, length in mask for at in range(first, first + length)} for mask in masks
    ]
    assert overlap(*masks) == len(pixels[0] & pixels[1])


def runs(steps: list[tuple[int, int]]) -> Any:
    at = 1
    for gap, length in steps:
        yield at + gap, length
        at += gap + length
