"""Metrics that are a mean over rows, or a function of one."""

from abc import ABC, abstractmethod
from typing import Any

from scorers.protocol import Parameters, PredictionTruth


class MeanOfRows(ABC):
    """A metric whose value is the mean of one number for each row."""

    @abstractmethod
    def parts(self, truth: PredictionTruth, predictions: Any, parameters: Parameters) -> Any:
        """An array with a number for each row."""

    def evaluate(
        self, truth: PredictionTruth, predictions: Any, parameters: Parameters
    ) -> float | None:
        return float(self.parts(truth, predictions, parameters).mean())
