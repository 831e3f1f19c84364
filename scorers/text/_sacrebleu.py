"""sacrebleu's metrics over instances that come in blocks.

sacrebleu makes a row of counts of each instance, and its corpus score of the sum of the rows: it
does so itself for its significance tests, by the methods called here.
"""

from collections.abc import Sequence
from math import fsum
from typing import Any

from scorers.protocol import Instance, TextResult

Score = dict[str, float | str | None]


class Corpus:
    """A metric of sacrebleu, under the name that its scores get.

    metric: for all instances together. alone: for one by itself, the same unless given.
    """

    def __init__(self, name: str, metric: Any, alone: Any = None) -> None:
        self.name = name
        self.metric = metric
        self.alone = alone or metric

    def measured(self, instances: Sequence[Instance]) -> TextResult:
        rows = [self._counts(each) for each in instances]
        results = [self.alone._compute_score_from_stats(row).score for row in rows]
        counts = [len(each.references) for each in instances]
        statistics = {
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

    def combined(self, blocks: Sequence[dict[str, Any]]) -> Score:
        """The score of all instances. blocks: the statistics of each block."""
        counts = _sums([block["counts"] for block in blocks])
        total = fsum(block["sum"] for block in blocks)
        return {
            f"corpus_{self.name}": self.metric._compute_score_from_stats(counts).score,
            f"mean_of_sentence_{self.name}": total / sum(block["instances"] for block in blocks),
            "signature": self._signature([block["references"] for block in blocks]),
        }

    def _signature(self, references: Sequence[Sequence[int]]) -> str:
        """sacrebleu's own; -1 is its word for a number of references that varies."""
        fewest, most = min(low for low, _ in references), max(high for _, high in references)
        self.metric.num_refs = most if fewest == most else -1
        return str(self.metric.get_signature())


def _sums(rows: Sequence[Sequence[int]]) -> list[int]:
    return [sum(column) for column in zip(*rows, strict=True)]
