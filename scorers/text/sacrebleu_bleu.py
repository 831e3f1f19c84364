"""BLEU as sacrebleu computes it, which is usual for published results of machine translation."""

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from scorers.protocol import Instance, Parameters, TextResult
from scorers.text._sacrebleu import Corpus, Score

TOKENIZERS = ("13a", "intl", "zh", "char", "none")
NOT_HERE = {
    "spm": "fetches its model from the network",
    "flores101": "fetches its model from the network",
    "flores200": "fetches its model from the network",
    "spBLEU-1K": "fetches its model from the network",
    "ja-mecab": "needs MeCab, which does not come with sacrebleu",
    "ko-mecab": "needs MeCab, which does not come with sacrebleu",
}
OF_LANGUAGE = {"ja": "ja-mecab", "ko": "ko-mecab"}


class SacrebleuConfig(BaseModel):
    """The parameters of sacrebleu's BLEU, under sacrebleu's names."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, strict=True, frozen=True)

    lowercase: bool = Field(default=False, description="Compare in lower case")
    force: bool = Field(
        default=False,
        description="Without effect: it silences a warning of sacrebleu that is not given here",
    )
    tokenize: str | None = Field(
        default=None,
        json_schema_extra={"enum": [None, *TOKENIZERS]},
        description="The tokenizer; null: 13a, or what trg_lang asks for",
    )
    smooth_method: Literal["exp", "floor", "add-k", "none"] = Field(
        default="exp", description="How n-gram orders without a match are counted"
    )
    smooth_value: float | None = Field(
        default=None,
        ge=0,
        le=1000,
        description="For floor (0.1 unless given) and add-k (1 unless given)",
    )
    max_ngram_order: int = Field(default=4, ge=1, le=100, description="The longest n-grams")
    effective_order: bool = Field(
        default=False,
        description="Leave out orders that the output is too short for, in the corpus BLEU as well",
    )
    trg_lang: str = Field(
        default="", description="The language of the output: zh picks tokenize zh"
    )

    @field_validator("tokenize")
    @classmethod
    def _works_offline(cls, name: str | None) -> str | None:
        if name is None or name in TOKENIZERS:
            return name
        why = f"{name} {NOT_HERE[name]}" if name in NOT_HERE else "There is no such tokenizer"
        raise PydanticCustomError("tokenize", f"{why}; there are: {', '.join(TOKENIZERS)}.")

    @field_validator("trg_lang")
    @classmethod
    def _has_a_tokenizer(cls, language: str, info: ValidationInfo) -> str:
        if language in OF_LANGUAGE and info.data.get("tokenize", "") is None:
            name = OF_LANGUAGE[language]
            text = (
                f"{language} asks for the tokenizer {name}, which {NOT_HERE[name]}; give tokenize."
            )
            raise PydanticCustomError("tokenize", text)
        return language


class Sacrebleu:
    """BLEU by sacrebleu: n-grams that output and references share, over all instances together.

    `corpus_bleu` takes matches and lengths over all instances together; with several references an
    n-gram counts if any of them has it, and the length is that of the closest one. From 0 to 100.
    `mean_of_sentence_bleu` is the mean over instances, each measured with sacrebleu's effective
    order, so that short ones do not score 0. `signature` says how it was computed.
    """

    id: ClassVar[str] = "SACREBLEU"
    bounds: ClassVar[tuple[float, float]] = (0.0, 100.0)
    needs: ClassVar[tuple[str, ...]] = ("sacrebleu",)
    install: ClassVar[str] = "python -m pip install sacrebleu"
    Config = SacrebleuConfig

    def evaluate(self, instances: Sequence[Instance], parameters: Parameters) -> TextResult:
        return _corpus(parameters).measured(instances)

    def combine(self, statistics: Sequence[Any], parameters: Parameters) -> Score:
        return _corpus(parameters).combined(statistics)


def _corpus(parameters: Parameters) -> Corpus:
    from sacrebleu.metrics.bleu import BLEU

    return Corpus("bleu", BLEU(**parameters), BLEU(**{**parameters, "effective_order": True}))
