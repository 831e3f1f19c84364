"""Bare loops: what a user of the library would write without this product.

`python -m benchmarks.loops METRIC FILE [fresh]` runs one as a separate process; `fresh` forks for
each run, so that no library caches the texts of the previous run. The loop reads the rows that a
worker reads, which is timed separately, and holds all instances in memory. For a metric of several
numbers it computes only the first, by the library's own function for it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from statistics import fmean
from typing import Any

from benchmarks.parts.models import LAYERS, MODEL
from benchmarks.parts.repeats import serve
from benchmarks.parts.stored import read_blocks
from benchmarks.parts.texts import REFERENCES
from leaderboard.rules.json.packing import unpacked
from leaderboard.rules.rewards.instances import Instance

PARAMETERS: dict[str, dict[str, object]] = {
    "BLEU_NLTK": {"smoothing_function": "method1"},
    "SACREBLEU": {},
    "CHRF": {},
    "ROUGE": {},
    "EDIT_DISTANCE": {},
    "F1": {},
    "LENGTH_RATIO": {},
    "EXACT_MATCH": {},
}
"""The metrics, the slow ones first, and the parameters that they are measured with."""

OF_MODELS: dict[str, dict[str, object]] = {
    "BERTSCORE": {"model_path": MODEL, "num_layers": LAYERS},
}
"""Metrics that need a model, and their parameters."""

Loop = Callable[[Sequence[Instance]], float]


def bertscore() -> Loop:
    """Import PyTorch and load the model each time, as the worker's child does."""

    def loop(given: Sequence[Instance]) -> float:
        from bert_score import BERTScorer

        folder = os.path.join(os.environ["MODEL_PATH"], MODEL)
        scorer = BERTScorer(model_type=folder, num_layers=LAYERS)
        outputs = [instance.outputs[0] for instance in given]
        precision, *_ = scorer.score(outputs, [list(instance.references) for instance in given])
        return float(precision.double().mean())

    return loop


def bleu_nltk() -> Loop:
    from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

    smooth = SmoothingFunction().method1

    def loop(given: Sequence[Instance]) -> float:
        best_scores = []
        for instance in given:
            output = instance.outputs[0].split()
            references = [text.split() for text in instance.references]
            best_scores.append(
                max(sentence_bleu([one], output, smoothing_function=smooth) for one in references)
            )
        return fmean(best_scores)

    return loop


def sacrebleu() -> Loop:
    from sacrebleu.metrics.bleu import BLEU

    return _corpus(BLEU())


def chrf() -> Loop:
    from sacrebleu.metrics.chrf import CHRF

    return _corpus(CHRF())


def _corpus(metric: Any) -> Loop:
    def loop(given: Sequence[Instance]) -> float:
        outputs = [instance.outputs[0] for instance in given]
        streams = [[instance.references[at] for instance in given] for at in range(REFERENCES)]
        score: float = metric.corpus_score(outputs, streams).score
        return score

    return loop


def rouge() -> Loop:
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer(["rouge1", "rouge2", "rougeL"])

    def loop(given: Sequence[Instance]) -> float:
        scores = [
            scorer.score_multi(instance.references, instance.outputs[0]) for instance in given
        ]
        return fmean(score["rouge1"].fmeasure for score in scores)

    return loop


def edit_distance() -> Loop:
    """Loop over our own function, since no library computes this in reasonable time."""
    from scorers.text.edit_distance import nearest

    return lambda given: fmean(
        nearest(instance.outputs[0], instance.references)[0] for instance in given
    )


def f1() -> Loop:
    """Use the function of SQuAD's evaluation script."""
    from collections import Counter

    def overlap(output: list[str], reference: list[str]) -> float:
        same = sum((Counter(output) & Counter(reference)).values())
        if not same:
            return float(output == reference)
        precision, recall = same / len(output), same / len(reference)
        return 2 * precision * recall / (precision + recall)

    def loop(given: Sequence[Instance]) -> float:
        return fmean(
            max(overlap(instance.outputs[0].split(), text.split()) for text in instance.references)
            for instance in given
        )

    return loop


def length_ratio() -> Loop:
    def ratio(output: int, references: Sequence[int]) -> float:
        return output / max(1, min(references, key=lambda length: abs(length - output)))

    return lambda given: fmean(
        ratio(len(instance.outputs[0].split()), [len(text.split()) for text in instance.references])
        for instance in given
    )


def exact_match() -> Loop:
    return lambda given: fmean(
        float(instance.outputs[0] in instance.references) for instance in given
    )


def main() -> None:
    metric, file, *how = sys.argv[1:]
    loop: Loop = getattr(import_module("benchmarks.loops"), metric.lower())()
    serve(lambda: read(Path(file)), loop, fresh=how == ["fresh"])


def read(file: Path) -> list[Instance]:
    return [Instance.of(row) for content, _ in read_blocks(file) for row in unpacked(content)]


if __name__ == "__main__":
    main()
