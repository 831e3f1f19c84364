"""chrF, as sacrebleu computes it."""

from collections.abc import Sequence
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field

from scorers.protocol import Instance, Parameters, TextResult
from scorers.text._sacrebleu import Corpus, Score


class ChrfConfig(BaseModel):
    """The parameters of sacrebleu's CHRF, under sacrebleu's names."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    char_order: int = Field(default=6, ge=1, le=100, description="The longest character n-grams")
    word_order: int = Field(
        default=0, ge=0, le=100, description="The longest word n-grams; 2: chrF++"
    )
    beta: int = Field(default=2, ge=1, le=100, description="How many times recall weighs precision")
    lowercase: bool = Field(default=False, description="Compare in lower case")
    whitespace: bool = Field(default=False, description="Let n-grams contain white space")
    eps_smoothing: bool = Field(
        default=False, description="Smooth as chrF++.py does, instead of leaving out empty orders"
    )


class Chrf:
    """chrF by sacrebleu: F-score of the character n-grams that output and reference share.

    chrF = (1 + β²) · P · R / (β² · P + R), where P and R are means over the n-gram orders. From 0
    to 100. With several references, the one with the highest chrF counts. `corpus_chrf` takes the
    matches over all instances together, `mean_of_sentence_chrf` is the mean over instances,
    `signature` says how it was computed.
    """

    id: ClassVar[str] = "CHRF"
    bounds: ClassVar[tuple[float, float]] = (0.0, 100.0)
    needs: ClassVar[tuple[str, ...]] = ("sacrebleu",)
    install: ClassVar[str] = "python -m pip install sacrebleu"
    Config = ChrfConfig

    def evaluate(self, instances: Sequence[Instance], parameters: Parameters) -> TextResult:
        return _corpus(parameters).measured(instances)

    def combine(self, statistics: Sequence[Any], parameters: Parameters) -> Score:
        return _corpus(parameters).combined(statistics)


def _corpus(parameters: Parameters) -> Corpus:
    from sacrebleu.metrics.chrf import CHRF

    return Corpus("chrf", CHRF(**parameters))
