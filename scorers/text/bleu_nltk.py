"""BLEU, as NLTK computes it."""

import math
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, TypedDict

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from scorers.protocol import Instance, Parameters, TextResult, Unmeasurable

Tokens = Sequence[Any]
Smooth = Callable[..., Sequence[Any]]

Method = Literal[
    "method0", "method1", "method2", "method3", "method4", "method5", "method6", "method7"
]
UNSMOOTHED = (None, "method0")
FOUR_GRAMS = (0.25, 0.25, 0.25, 0.25)
MOST_FOR_METHOD6 = 10
"""The most orders for method6: the digits of its fractions double with each further order."""


class BleuConfig(BaseModel):
    """NLTK's three parameters, and two of our own."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, strict=True, frozen=True)

    weights: list[Annotated[float, Field(ge=0, le=100)]] = Field(
        default=list(FOUR_GRAMS),
        min_length=1,
        max_length=100,
        description="The weight of each n-gram order, from 1 on",
    )
    smoothing_function: Method | None = Field(
        default=None, description="A method of NLTK's SmoothingFunction; null: none"
    )
    auto_reweigh: bool = Field(
        default=False,
        description="With the default weights: give outputs of fewer than four tokens fewer orders",
    )
    reference_mode: Literal["best", "union"] = Field(
        default="best",
        description="best: the reference with the highest BLEU alone; union: all of them at once",
    )
    tokenizer: Literal["whitespace", "13a", "nltk"] = Field(
        default="whitespace",
        description="Split at white space, as sacrebleu does (13a), or by NLTK's word tokenizer",
    )

    @field_validator("smoothing_function")
    @classmethod
    def _has_enough_orders(cls, method: str | None, info: ValidationInfo) -> str | None:
        orders = len(info.data.get("weights", FOUR_GRAMS))
        if method == "method6" and orders < 3:
            raise PydanticCustomError("too_few", "method6 needs three weights or more")
        if method == "method6" and orders > MOST_FOR_METHOD6:
            text = f"method6 takes at most {MOST_FOR_METHOD6} weights"
            raise PydanticCustomError("too_many", text)
        return method


class BleuNltk:
    """BLEU by NLTK: n-grams that output and reference share, times a penalty for short outputs.

    BLEU = BP · exp(Σ wₙ · log pₙ), where pₙ is the share of the output's n-grams that the reference
    has too, and BP = min(1, exp(1 − reference length / output length)). From 0 to 1; the methods 5
    and 7 can give more. `mean_of_sentence_bleu` is the mean over instances, `corpus_bleu` takes
    shares and lengths over all instances together.

    With several references, `reference_mode` best uses the one with the highest BLEU, in the corpus
    BLEU as well; union counts an n-gram if any of them has it, as NLTK itself does.

    Without smoothing, an output with no match of some order scores about zero. So does a perfect
    one of fewer than four tokens, which has no 4-grams: the log warns of these. The metric fails
    where NLTK fails, as method6 does for an output without a 3-gram match.
    """

    id: ClassVar[str] = "BLEU_NLTK"
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    notes: ClassVar[dict[str, dict[str, str]]] = {
        "reference_mode": {
            "best": "Several references: the best one counts, in the corpus BLEU as well. "
            "For NLTK's own value, the union of all references, set reference_mode to union.",
            "union": "Several references: all count at once, as NLTK's own union.",
        }
    }
    needs: ClassVar[tuple[str, ...]] = ("nltk", "sacrebleu")
    install: ClassVar[str] = "python -m pip install nltk sacrebleu"
    Config = BleuConfig

    def evaluate(self, instances: Sequence[Instance], parameters: Parameters) -> TextResult:
        bleu = Bleu(parameters)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # NLTK warns of each order without a match
            segments = [bleu.measured(instance) for instance in instances]
            statistics = bleu.statistics(segments, instances[-1])
            score = bleu.combined([statistics])
        return {
            "score": score,
            "results": [segment.bleu for segment in segments],
            "statistics": statistics,
            "warnings": {
                at: segment.warning for at, segment in enumerate(segments) if segment.warning
            },
        }

    def combine(
        self, statistics: Sequence[Any], parameters: Parameters
    ) -> dict[str, float | str | None]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return Bleu(parameters).combined(statistics)


class Counts(NamedTuple):
    """The counts of an instance, or their sums for a corpus, from which BLEU is computed.

    matches, totals: the matching and all n-grams of each order. length, closest: the number of
    tokens of the output, and of the reference that is closest to it in length.
    """

    matches: Sequence[int]
    totals: Sequence[int]
    length: int
    closest: int


class Measured(NamedTuple):
    """The BLEU of an instance. references: positions of the references that it was compared to."""

    bleu: float
    counts: Counts
    references: Sequence[int]
    warning: str = ""


class BleuStatistics(TypedDict):
    """What the score of all instances needs to know about a block: sums, and its last instance.

    instances: how many. sum: of their BLEU. last: see `_stand_in`.
    """

    instances: int
    sum: float
    matches: list[int]
    totals: list[int]
    length: int
    closest: int
    last: list[int]


class Bleu:
    """NLTK's BLEU, computed from its parts.

    NLTK's `corpus_bleu` needs all instances at once and does not return its counts. This class uses
    NLTK's counting, smoothing and penalty in the same way, for each instance and for all.
    """

    def __init__(self, parameters: Parameters) -> None:
        from nltk.translate import bleu_score

        self.nltk = bleu_score
        self.weights = tuple(parameters["weights"])
        self.reweigh = parameters["auto_reweigh"] and self.weights == FOUR_GRAMS
        self.method = parameters["smoothing_function"]
        self.smooth: Smooth = getattr(bleu_score.SmoothingFunction(), self.method or "method0")
        self.union = parameters["reference_mode"] == "union"
        self.tokens = tokenizer(parameters["tokenizer"])

    # One instance.

    def measured(self, instance: Instance) -> Measured:
        output = self.tokens(instance.output)
        expected = [self.tokens(reference) for reference in instance.references]
        if self.union:
            best = self._measured(output, expected, range(len(expected)))
        else:
            best = self._best(output, expected)
        return best._replace(warning=self._too_short(best.counts))

    def _best(self, output: Tokens, expected: Sequence[Tokens]) -> Measured:
        """The highest BLEU over the references for which NLTK computes one.

        Raises Unmeasurable if NLTK fails for a reference and no other reference gives more than 0.
        """
        by_reference, problem = list[Measured](), None
        for at, reference in enumerate(expected):
            try:
                by_reference.append(self._measured(output, [reference], [at]))
            except Unmeasurable as error:
                problem = error
        if problem is not None and not any(one.bleu > 0 for one in by_reference):
            raise problem
        return max(by_reference, key=lambda measured: measured.bleu)

    def _measured(
        self, output: Tokens, references: Sequence[Tokens], at: Sequence[int]
    ) -> Measured:
        precisions = [
            self.nltk.modified_precision(references, output, order)
            for order in range(1, len(self.weights) + 1)
        ]
        counts = Counts(
            [precision.numerator for precision in precisions],
            [precision.denominator for precision in precisions],
            len(output),
            self.nltk.closest_ref_length(references, len(output)),
        )
        return Measured(self._bleu(precisions, counts, references, output), counts, at)

    def _bleu(
        self, precisions: list[Any], counts: Counts, references: Sequence[Tokens], output: Tokens
    ) -> float:
        """The last part of NLTK's `corpus_bleu`. Raises Unmeasurable if NLTK raises."""
        if counts.matches[0] == 0:
            return 0.0
        try:
            smoothed = self.smooth(
                precisions, references=references, hypothesis=output, hyp_len=counts.length
            )
        except AssertionError as error:
            text = (
                f"NLTK's {self.method} cannot smooth an output that has no match of three tokens "
                "in a row; choose another smoothing_function."
            )
            raise Unmeasurable(text) from error
        weighed = zip(self._weights(counts.length), smoothed, strict=False)
        logs = math.fsum(weight * math.log(share) for weight, share in weighed if share > 0)
        penalty: float = self.nltk.brevity_penalty(counts.closest, counts.length)
        return penalty * math.exp(logs)

    def _weights(self, length: int) -> tuple[float, ...]:
        return (1 / length,) * length if self.reweigh and 0 < length < 4 else self.weights

    def _too_short(self, counts: Counts) -> str:
        """A warning if a matching output has too few tokens for n-grams of every order, else ""."""
        orders = len(self._weights(counts.length))
        if self.method not in UNSMOOTHED or counts.length >= orders or counts.matches[0] == 0:
            return ""
        remedy = " or auto_reweigh" if self.weights == FOUR_GRAMS else ""
        return (
            f"The output has no {orders}-grams, so that its BLEU is about 0 however good it is; "
            f"use smoothing_function method1{remedy}."
        )

    # All instances.

    def statistics(self, measured: Sequence[Measured], last: Instance) -> BleuStatistics:
        """What `combined` needs for a block: sums, and two numbers of its last instance."""
        counts = [one.counts for one in measured]
        return {
            "instances": len(measured),
            "sum": math.fsum(one.bleu for one in measured),
            "matches": _sums(count.matches for count in counts),
            "totals": _sums(count.totals for count in counts),
            "length": sum(count.length for count in counts),
            "closest": sum(count.closest for count in counts),
            "last": self._length_and_five_grams(measured[-1], last),
        }

    def _length_and_five_grams(self, measured: Measured, instance: Instance) -> list[int]:
        references = [self.tokens(instance.references[at]) for at in measured.references]
        output = self.tokens(instance.output)
        return [len(output), self.nltk.modified_precision(references, output, 5).numerator]

    def combined(self, blocks: Sequence[BleuStatistics]) -> dict[str, float | str | None]:
        """The score of all instances. blocks: the `statistics` of each block, in order."""
        instances = sum(block["instances"] for block in blocks)
        return {
            "mean_of_sentence_bleu": math.fsum(block["sum"] for block in blocks) / instances,
            "corpus_bleu": self._corpus(blocks),
        }

    def _corpus(self, blocks: Sequence[BleuStatistics]) -> float:
        counts = Counts(
            _sums(block["matches"] for block in blocks),
            _sums(block["totals"] for block in blocks),
            sum(block["length"] for block in blocks),
            sum(block["closest"] for block in blocks),
        )
        precisions = [
            self.nltk.Fraction(matches, total, _normalize=False)
            for matches, total in zip(counts.matches, counts.totals, strict=True)
        ]
        return self._bleu(precisions, counts, *_stand_in(*blocks[-1]["last"]))


def _stand_in(length: int, five_grams: int) -> tuple[list[list[int]], list[int]]:
    """References and output of an instance with this length and this many 5-gram matches.

    NLTK smooths a corpus as if it consisted of its last segment; the methods 5 to 7 depend only on
    these two numbers.
    """
    return [list(range(five_grams + 4)) if five_grams else []], list(range(length))


def _sums(rows: Iterable[Sequence[int]]) -> list[int]:
    return [sum(column) for column in zip(*rows, strict=True)]


def tokenizer(name: str) -> Callable[[str], Tokens]:
    """The function that splits a text into tokens, by the parameter's value."""
    if name == "13a":
        from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

        cut: Callable[[str], str] = Tokenizer13a()  # type: ignore[no-untyped-call]
        return lambda text: cut(text).split()
    if name == "nltk":
        from nltk.tokenize import NLTKWordTokenizer

        words: Callable[[str], Tokens] = NLTKWordTokenizer().tokenize
        return words
    return str.split
