"""Compare a file of predictions with a truth, both as texts, in this process."""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path
from typing import Any

from leaderboard.predictions.checking import check_predictions
from leaderboard.predictions.layouts import Kind, Part, TruthSettings
from leaderboard.predictions.scoring import Measured, answers_of, measure
from leaderboard.predictions.truths import Truth, read_truth
from leaderboard.sandbox.child.configs import fill


def metric_class(name: str) -> type[Any]:
    """Return the class in `scorers/predictions/KIND/NAME.py`."""
    (file,) = Path("scorers/predictions").glob(f"*/{name}.py")
    module = importlib.import_module(f"scorers.predictions.{file.parent.name}.{name}")
    (plugin,) = (
        value
        for value in vars(module).values()
        if inspect.isclass(value) and "id" in vars(value) and value.__module__ == module.__name__
    )
    return plugin


def lines(text: str) -> bytes:
    """Return lines that are written between slashes: `id,y / 1,2`."""
    return text.replace(" / ", "\n").encode()


def truth_of(text: str, kind: Kind, targets: tuple[str, ...] = ("y",), **settings: Any) -> Truth:
    return read_truth(lines(text), TruthSettings("id", targets, kind, **settings))


def packed_of(predictions: str, truth: Truth) -> bytes:
    return check_predictions(lines(predictions), truth.form).packed


def measured(
    name: str,
    truth: Truth,
    predictions: str | None,
    part: Part = "all",
    **parameters: object,
) -> Measured:
    """Return what a metric says. predictions: None for those that equal the truth."""
    plugin = metric_class(name)
    packed = None if predictions is None else packed_of(predictions, truth)
    return measure(plugin(), fill(plugin, parameters), answers_of(truth.key, part), packed)
