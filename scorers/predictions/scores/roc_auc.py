"""Area under the ROC curve."""

from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from scorers.predictions.scores._curves import one_vs_one, one_vs_rest
from scorers.protocol import Parameters, PredictionTruth


class RocAucSettings(BaseModel):
    """How the areas of several labels become one."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    multi_class: Literal["ovr", "ovo"] = Field(
        default="ovr", description="ovr: each label against all others; ovo: each against each"
    )
    average: Literal["macro", "weighted"] = Field(
        default="macro", description="weighted: by the rows that have the label"
    )


class RocAuc:
    """Area under the ROC curve, from 0 to 1; 0.5 is as good as chance.

    The probability that a row with the positive label has a higher score than one without, where a
    tie counts half. With a score for each label, `multi_class` ovr is the mean over the labels of
    each against all others, ovo that over the pairs of labels. It is not defined if a label is in
    no row.
    """

    id: ClassVar[str] = "roc_auc"
    kind: ClassVar[str] = "scores"
    bounds: ClassVar[tuple[float | None, float | None]] = (0.0, 1.0)
    needs: ClassVar[tuple[str, ...]] = ("sklearn",)
    install: ClassVar[str] = "python -m pip install 'podium[predictions]'"
    Config = RocAucSettings

    def evaluate(self, truth: PredictionTruth, predictions: Any, parameters: Parameters) -> float:
        from sklearn.metrics import roc_auc_score

        mean = one_vs_rest if parameters["multi_class"] == "ovr" else one_vs_one
        weighted = parameters["average"] == "weighted"
        return mean(roc_auc_score, truth, predictions, weighted=weighted)
