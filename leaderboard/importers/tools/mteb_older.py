"""Task results of MTEB before 1.11: scores by split, some of them without a `main_score`.

There the metrics identify the main score: each kind of task has one that no other kind has, except
two tasks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from leaderboard.importers.reading.json_place import Part
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
OTHERS: Final = (
    "mteb_version",
    "dataset_revision",
    "mteb_dataset_name",
    "evaluation_time",
    "kg_co2_emissions",
)
NO_SUBSETS: Final = ("v_measures", "cos_sim", "euclidean", "manhattan", "dot", "max", "similarity")
"""Objects within a split that are groups of metrics and not subsets."""


def scores_before_1_11(task: Part) -> list[tuple[str, str, Part]]:
    """Split, subset and main score of each result. Raises ImportFailed for an unknown form."""
    own = OWN.get(task["mteb_dataset_name"].words().casefold(), ())
    found = []
    for split, part in task.fields():
        if split in OTHERS:
            continue
        if not isinstance(part.value, dict):
            raise part.fail(message("must be an object of scores"))
        subsets = [
            (name, each)
            for name, each in part.fields()
            if isinstance(each.value, dict) and name not in NO_SUBSETS
        ]
        for name, each in subsets or [("default", part)]:
            found.append((split, name, _main(each, own)))
    if not found:
        raise task.fail(message("must contain scores"))
    return found


def _main(part: Part, own: Sequence[Sequence[str]]) -> Part:
    for path in ((MAIN,), *own, *MAINS):
        found = part
        for name in path:
            found = found[name] if isinstance(found.value, dict) else Part(None, part.file)
        if found.value is not None:
            return found
    raise part.fail(
        message(
            "must contain one of the main scores {each}",
            each=", ".join(".".join(main) for main in MAINS),
        )
    )
