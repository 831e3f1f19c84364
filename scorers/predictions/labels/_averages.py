"""Settings and arithmetic of metrics of labels that are averaged over the labels."""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from scorers.protocol import Parameters, PredictionTruth, Unmeasurable


class Averaged(BaseModel):
    """How the numbers of several labels become one."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    average: Literal["binary", "micro", "macro", "weighted"] = Field(
        default="macro",
        description="binary: of the positive label; micro: of all rows; macro: the mean over the "
        "labels; weighted: the mean weighted by the rows that have the label",
    )


def averaged(
    score: Callable[..., Any],
    truth: PredictionTruth,
    predictions: Any,
    parameters: Parameters,
    *,
    rows: Literal["true", "predicted", "either"],
) -> float:
    """A score of scikit-learn, by the setting `average`.

    rows: the score is 0/0 if none of these rows has the label. Labels that are in neither truth nor
    predictions are left out, and other scores of 0/0 count 0, as scikit-learn does it. Raises
    Unmeasurable for 0/0 of the positive label, and if there is none.
    """
    average = parameters["average"]
    options: dict[str, Any] = {"average": average, "zero_division": 0}
    if average == "binary":
        if truth.positive is None:
            raise Unmeasurable("The average binary needs a positive label.")
        options["pos_label"] = truth.positive
        is_true = rows != "predicted" and np.any(truth.values == truth.positive)
        is_predicted = rows != "true" and np.any(predictions == truth.positive)
        if not is_true and not is_predicted:
            raise Unmeasurable("It is 0/0: no row has the positive label.")
    return float(score(truth.values, predictions, **options))
