"""The fields of a challenge that an importer suggests, in the form of the API.

The schemas of `leaderboard.schemas` check them when the challenge is created or changed.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, Required, TypedDict

from leaderboard.rules.json.values import JsonObject
from leaderboard.rules.sortkey import Direction

SuggestedPolicy = Literal["zero", "exclude"]


class SuggestedMetric(TypedDict):
    """A metric of rewards. name: the key of its value. reward: absent for the only reward."""

    type: str
    name: str
    reward: NotRequired[str]
    failed: NotRequired[SuggestedPolicy]
    undefined: NotRequired[SuggestedPolicy]
    min_coverage: NotRequired[float]


class SuggestedTask(TypedDict):
    """A task. rewards: absent if no sample of it has any."""

    name: str
    rewards: NotRequired[list[str]]


class SuggestedReward(TypedDict):
    """A reward with its bounds."""

    name: str
    min: float
    max: float


class SuggestedKey(TypedDict):
    """A value that the board ranks by."""

    key: str
    direction: Direction


class SuggestedColumn(TypedDict):
    """A column of the board with the label of the file."""

    key: str
    label: str
    unit: NotRequired[str]
    direction: NotRequired[Direction]


class SuggestedFields(TypedDict, total=False):
    """Fields of a challenge that accepts and ranks the attempts of a file.

    text_metrics: as the document lists them, not checked. min_coverage: None, as the attempts of a
    file may cover some of the tasks.
    """

    scoring_strategy: str
    metrics: list[SuggestedMetric]
    tasks: list[SuggestedTask]
    num_samples: int
    min_coverage: float | None
    rewards: list[SuggestedReward]
    values: list[str]
    rank_by: list[SuggestedKey]
    columns: list[SuggestedColumn]
    text_metrics: list[Any]


class HarborRepository(TypedDict, total=False):
    """The repository of a task."""

    git_url: str
    git_commit_id: str


class HarborTask(HarborRepository):
    """A task of a dataset, as Harbor reads it."""

    name: Required[str]
    path: Required[str]


class HarborMetricEntry(TypedDict):
    """A metric of a dataset, whose type and arguments are still to be checked."""

    type: Any
    kwargs: JsonObject


class HarborDataset(TypedDict):
    """A dataset, as Harbor reads it."""

    name: str
    version: str
    description: str
    tasks: list[HarborTask]
    metrics: list[HarborMetricEntry]


class RegistryChallenge(TypedDict):
    """A dataset of a registry as a challenge. registry: the dataset itself."""

    slug: str
    name: str
    description: str
    scoring_strategy: str
    metrics: list[str | JsonObject]
    tasks: list[SuggestedTask]
    rank_by: list[SuggestedKey]
    registry: HarborDataset
