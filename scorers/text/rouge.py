"""ROUGE, as Google's rouge-score computes it."""

import re
import unicodedata
from collections.abc import Sequence
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from scorers.protocol import Instance, Parameters, TextResult
from scorers.text._plain import mean
from scorers.text._unspaced import is_unspaced

LATIN = re.compile(r"[a-z0-9]", re.IGNORECASE)

Type = Literal[
    "rouge1",
    "rouge2",
    "rouge3",
    "rouge4",
    "rouge5",
    "rouge6",
    "rouge7",
    "rouge8",
    "rouge9",
    "rougeL",
    "rougeLsum",
]


class RougeConfig(BaseModel):
    """The parameters of rouge-score, and a tokenizer for more than English."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    types: list[Type] = Field(
        default=["rouge1", "rouge2", "rougeL"],
        min_length=1,
        description="n-grams (rouge1…rouge9), the longest common subsequence (rougeL), or that of "
        "each line (rougeLsum); the first is the metric's value",
    )
    use_stemmer: bool = Field(
        default=False, description="Take off English endings; with the tokenizer rouge only"
    )
    tokenizer: Literal["rouge", "unicode"] = Field(
        default="rouge",
        description="rouge: words of a–z and 0–9, as published; unicode: words of any script, "
        "Chinese, Japanese and Thai by the character",
    )

    @field_validator("types")
    @classmethod
    def _each_once(cls, types: list[Type]) -> list[Type]:
        if len(set(types)) < len(types):
            raise PydanticCustomError("twice", "Name each type once.")
        return types

    @field_validator("tokenizer")
    @classmethod
    def _stems_english(cls, tokenizer: str, info: ValidationInfo) -> str:
        if tokenizer == "unicode" and info.data.get("use_stemmer"):
            raise PydanticCustomError("stemmer", "use_stemmer goes with the tokenizer rouge only.")
        return tokenizer


class Rouge:
    """ROUGE by rouge-score: words and sequences that output and reference share, as F1.

    F1 = 2 · P · R / (P + R), where P is the share of the output's n-grams that the reference has
    and R the share of the reference's that the output has; rougeL takes the longest common
    subsequence of words instead. From 0 to 1: the best of several references counts for each type,
    then the mean over instances.

    The usual tokenizer knows only the letters a–z and splits words at all others; use `tokenizer`
    unicode for text in other scripts. The log warns if nothing was left to compare.
    """

    id: ClassVar[str] = "ROUGE"
    averaged: ClassVar[bool] = True
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    needs: ClassVar[tuple[str, ...]] = ("rouge_score",)
    install: ClassVar[str] = "python -m pip install rouge-score"
    Config = RougeConfig

    def evaluate(self, instances: Sequence[Instance], parameters: Parameters) -> TextResult:
        types, scorer = parameters["types"], _scorer(parameters)
        scored = [
            scorer.score_multi(instance.references, instance.output) for instance in instances
        ]
        columns = {name: [float(scores[name].fmeasure) for scores in scored] for name in types}
        is_latin_only = parameters["tokenizer"] == "rouge"
        return {
            "score": {name: mean(column) for name, column in columns.items()},
            "results": [
                dict(zip(types, row, strict=True)) for row in zip(*columns.values(), strict=True)
            ],
            "warnings": _nothing_to_compare(instances) if is_latin_only else {},
        }


def _scorer(parameters: Parameters) -> Any:
    from rouge_score.rouge_scorer import RougeScorer
    from rouge_score.tokenizers import DefaultTokenizer

    unicode = parameters["tokenizer"] == "unicode"
    tokenizer = _Words() if unicode else DefaultTokenizer(parameters["use_stemmer"])
    return RougeScorer(parameters["types"], tokenizer=tokenizer)


class _Words:
    """A tokenizer for rouge-score: runs of letters, marks and digits of any script."""

    def __init__(self) -> None:
        self.spaced = _Spaced()

    def tokenize(self, text: str) -> list[str]:
        return text.lower().translate(self.spaced).split()


class _Spaced(dict[int, str]):
    """A table for `str.translate` that puts spaces between words; filled as characters are met."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        if is_unspaced(character):
            self[code] = f" {character} "
        else:
            self[code] = character if unicodedata.category(character)[0] in "LMN" else " "
        return self[code]


def _nothing_to_compare(instances: Sequence[Instance]) -> dict[int, str]:
    text = "No reference has letters a–z or digits, so that ROUGE is 0; use tokenizer unicode."
    words = _Words()
    return {
        at: text
        for at, instance in enumerate(instances)
        if not any(map(LATIN.search, instance.references))
        and any(map(words.tokenize, instance.references))
    }
