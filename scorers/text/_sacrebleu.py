"""sacrebleu's metrics for instances in blocks.

sacrebleu computes a row of counts for each instance, and its corpus score from the sum of the rows.
It does so itself for its significance tests, by the methods that are called here.
"""

from collections.abc import Sequence
from math import fsum
from typing import Any, TypedDict

from scorers.protocol import Instance, TextResult

Score = dict[str, float | str | None]


class CorpusStatistics(TypedDict):
    """What the score of all instances needs to know about a block.

    sum: of the scores of single instances. counts: the sums of sacrebleu's rows. references: the
    fewest and the most of an instance.
    """

    instances: int
    sum: float
    counts: list[int]
    references: list[int]


class Corpus:
    """A metric of sacrebleu. name: a part of the names of its scores.

    metric: for all instances together. sentence_metric: for single ones; `metric` if not given.
    """

    def __init__(self, name: str, metric: Any, sentence_metric: Any = None) -> None:
        self.name = name
        self.metric = metric
        self.sentence_metric = sentence_metric or metric

    def measured(self, instances: Sequence[Instance]) -> TextResult:
        rows = [self._counts(instance) for instance in instances]
        results = [self.sentence_metric._compute_score_from_stats(row).score for row in rows]
        counts = [len(instance.references) for instance in instances]
        statistics: CorpusStatistics = {
            "instances": len(rows),
            "sum": fsum(results),
            "counts": _sums(rows),
            "references": [min(counts), max(counts)],
        }
        return {"score": self.combined([statistics]), "results": results, "statistics": statistics}

    def _counts(self, instance: Instance) -> list[int]:
        streams = [[reference] for reference in instance.references]
        rows: list[list[int]] = self.metric._extract_corpus_statistics([instance.output], streams)
        return rows[0]

    def combined(self, blocks: Sequence[CorpusStatistics]) -> Score:
        """The score of all instances. blocks: the statistics of each block."""
        counts = _sums([block["counts"] for block in blocks])
        total = fsum(block["sum"] for block in blocks)
        return {
            f"corpus_{self.name}": self.metric._compute_score_from_stats(counts).score,
            f"mean_of_sentence_{self.name}": total / sum(block["instances"] for block in blocks),
            "signature": self._signature([block["references"] for block in blocks]),
        }

    def _signature(self, references: Sequence[Sequence[int]]) -> str:
        """sacrebleu's signature; it denotes a varying number of references by -1."""
        fewest, most = min(low for low, _ in references), max(high for _, high in references)
        self.metric.num_refs = most if fewest == most else -1
        return str(self.metric.get_signature())


def _sums(rows: Sequence[Sequence[int]]) -> list[int]:
    return [sum(column) for column in zip(*rows, strict=True)]
