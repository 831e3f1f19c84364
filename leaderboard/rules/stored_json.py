"""What the JSON columns of a scoring config hold: the schemas have checked it when it was stored.

The classes of `leaderboard.schemas` that wrote it say more about each field.
"""

from collections.abc import Mapping
from typing import NotRequired, TypedDict

from leaderboard.rules.sortkey import Direction


class StoredTask(TypedDict):
    """A declared task, without empty fields (`ChallengeTask`)."""

    name: str
    rewards: NotRequired[list[str]]
    group: NotRequired[str]
    weight: NotRequired[float]
    git_url: NotRequired[str]
    git_commit_id: NotRequired[str]
    path: NotRequired[str]


class StoredSplit(TypedDict, total=False):
    """A split: either names of tasks, or a share and the seed of its choice (`ChallengeSplit`)."""

    public: list[str]
    share: float
    seed: str


class StoredRankKey(TypedDict):
    """A value and its direction (`RankedBy`)."""

    key: str
    direction: Direction
    decimals: NotRequired[int]


class GivenTextMetric(TypedDict, total=False):
    """A text metric as a challenge or a document names it (`TextMetricEntry`); it has an id.

    An entry of a document may have further fields, which mean nothing here.
    """

    id: str
    enable: bool | None
    parameters: Mapping[str, object] | None
    name: str | None
    reported: str
