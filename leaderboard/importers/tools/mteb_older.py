"""Task results of MTEB before 1.11: scores by split, some of them without a `main_score`.

There the metrics identify the main score: each kind of task has one that no other kind has, except
two tasks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from leaderboard.importers.reading.json_place import JsonValue
from leaderboard.rules.texts.messages import message

MAIN: Final = "main_score"
MAINS: Final = (
    (MAIN,),
    ("ndcg_at_10",),
    ("v_measure",),
    ("max", "ap"),
    ("cos_sim", "ap"),
    ("cos_sim", "spearman"),
    ("map",),
    ("f1",),
    ("accuracy",),
)
"""Main scores in the order in which they are searched: retrieval, clustering, pair classification,
similarity and summaries, reranking, bitext mining, classification.
"""
OWN: Final[Mapping[str, Sequence[Sequence[str]]]] = dict.fromkeys(
    ("cmnli", "ocnli"), (("max", "accuracy"), ("cos_sim", "accuracy"))
)
"""Main scores of tasks that differ from others of their kind: the `main_score` of their metadata in
MTEB is `max_accuracy`.
"""
NOT_SPLITS: Final = (
    "mteb_version",
    "dataset_revision",
    "mteb_dataset_name",
    "evaluation_time",
    "kg_co2_emissions",
)
NO_SUBSETS: Final = ("v_measures", "cos_sim", "euclidean", "manhattan", "dot", "max", "similarity")
"""Objects within a split that are groups of metrics and not subsets."""


def scores_before_1_11(task: JsonValue) -> list[tuple[str, str, JsonValue]]:
    """Split, subset and main score of each result. Raises ImportFailed for an unknown form."""
    own = OWN.get(task["mteb_dataset_name"].words().casefold(), ())
    scores = []
    for split, part in task.fields():
        if split in NOT_SPLITS:
            continue
        if not isinstance(part.value, dict):
            raise part.fail(message("must be an object of scores"))
        subsets = [
            (name, subset)
            for name, subset in part.fields()
            if isinstance(subset.value, dict) and name not in NO_SUBSETS
        ]
        for name, subset in subsets or [("default", part)]:
            scores.append((split, name, _main(subset, own)))
    if not scores:
        raise task.fail(message("must contain scores"))
    return scores


def _main(part: JsonValue, own: Sequence[Sequence[str]]) -> JsonValue:
    for path in ((MAIN,), *own, *MAINS):
        score = part
        for name in path:
            score = score[name] if isinstance(score.value, dict) else JsonValue(None, part.file)
        if score.value is not None:
            return score
    raise part.fail(
        message(
            "must contain one of the main scores {each}",
            each=", ".join(".".join(path) for path in MAINS),
        )
    )
