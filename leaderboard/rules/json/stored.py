"""What JSON columns hold: the schemas have checked it when it was stored.

The classes that wrote it, most of them in `leaderboard.schemas`, say more about each field.
"""

from collections.abc import Mapping
from typing import NotRequired, TypedDict

from leaderboard.rules.sortkey import Direction


class StoredTask(TypedDict):
    """A declared task, without empty fields (`ChallengeTask`)."""

    name: str
    rewards: NotRequired[list[str]]
    group: NotRequired[str]
    cluster: NotRequired[str]
    weight: NotRequired[float]
    git_url: NotRequired[str]
    git_commit_id: NotRequired[str]
    path: NotRequired[str]


class StoredSplit(TypedDict, total=False):
    """A split: names of tasks, or a share and the seed of its choice, or a column of a truth
    (`ChallengeSplit`)."""

    column: str
    public: list[str]
    share: float
    seed: str


class StoredRankKey(TypedDict):
    """A value and its direction (`RankedBy`)."""

    key: str
    direction: Direction
    decimals: NotRequired[int]


class SentRankKey(TypedDict):
    """A value and its direction as an organiser sends it; without one, the value's own counts."""

    key: str
    direction: NotRequired[Direction]
    decimals: NotRequired[int]


def sent_rank_key(key: str, direction: Direction | None, decimals: int | None) -> SentRankKey:
    """A rank key from the fields of a form. direction: empty for the value's own. decimals: None
    for all.
    """
    rank_key: SentRankKey = {"key": key}
    if direction:
        rank_key["direction"] = direction
    if decimals is not None:
        rank_key["decimals"] = decimals
    return rank_key


class StoredColumn(TypedDict):
    """What a challenge changes of a column (`ColumnChange`)."""

    key: str
    label: NotRequired[str]
    unit: NotRequired[str]
    decimals: NotRequired[int]
    direction: NotRequired[Direction]
    position: NotRequired[int]
    hidden: NotRequired[bool]


class StoredMetaField(TypedDict):
    """A declared field of meta (`MetaFieldBody`)."""

    name: str
    label: NotRequired[str]
    type: NotRequired[str]
    unit: NotRequired[str]
    choices: NotRequired[list[str]]
    shown: NotRequired[bool]


class StoredQuestion(TypedDict):
    """A question that people answer when they register (`Question`)."""

    key: str
    kind: str
    label: str
    options: list[str]
    required: bool


class StoredFileMetric(TypedDict):
    """A metric value in an imported file, beside ours (`FileMetric`)."""

    name: str
    stated: float
    ours: float | None
    differs: bool | None


class GivenTextMetric(TypedDict, total=False):
    """A text metric as a challenge or a document names it (`TextMetricEntry`); it has an id.

    An entry of a document may have further fields, which mean nothing here.
    """

    id: str
    enable: bool | None
    parameters: Mapping[str, object] | None
    name: str | None
    reported: str
