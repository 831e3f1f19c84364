"""The tasks of a challenge: `[{"name": "task-1", "rewards": ["reward"], "group": "science"}]`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Final

from pydantic import AfterValidator, BeforeValidator, Field

from leaderboard.rules.json.values import JsonObject
from leaderboard.rules.rewards.samples import MAX_REWARDS
from leaderboard.rules.rewards.task_sources import MAX_SOURCE, SOURCE_FIELDS
from leaderboard.rules.texts.messages import message
from leaderboard.rules.texts.quoting import sent
from leaderboard.schemas.base import Accepts, Items, Strict
from leaderboard.schemas.errors import WrongPart
from leaderboard.schemas.rewards import RewardName
from leaderboard.schemas.texts import EachOnce, Line

MAX_TASKS: Final = 10_000
MAX_GROUP: Final = 120
MAX_WEIGHT: Final = 1e9


def _without_empty(task: object) -> object:
    """Empty fields (null, "", []) count as absent; a source must not be empty."""
    if not isinstance(task, dict):
        return task
    return {
        name: value
        for name, value in task.items()
        if name in SOURCE_FIELDS or name == "name" or value not in (None, "", [])
    }


SourcePart = Annotated[str, Line(MAX_SOURCE, trimmed=False)]


class ChallengeTask(Strict):
    """A task that a challenge declares."""

    name: RewardName
    rewards: Annotated[
        tuple[RewardName, ...],
        Items(MAX_REWARDS),
        EachOnce(),
        Field(description="The rewards that each of its samples must have."),
    ] = ()
    group: Annotated[
        str, Line(MAX_GROUP), Field(description="For metrics of a group of tasks.")
    ] = ""
    cluster: Annotated[
        str,
        Line(MAX_GROUP),
        Field(
            description="Tasks of one cluster are repeats of one source, such as a repository:"
            " errors and comparisons are over clusters."
        ),
    ] = ""
    weight: Annotated[
        float,
        Field(gt=0, le=MAX_WEIGHT, description="In a weighted mean; 1 if it is absent."),
    ] = 1.0
    git_url: SourcePart = ""
    git_commit_id: SourcePart = ""
    path: SourcePart = ""

    def as_json(self) -> JsonObject:
        """The task as a challenge stores it, without empty fields."""
        return self.model_dump(mode="json", exclude_unset=True)


def declared_rewards(tasks: Iterable[ChallengeTask]) -> list[str]:
    """The names of rewards that tasks declare, each once."""
    return list(dict.fromkeys(name for task in tasks for name in task.rewards))


def _checked_together(tasks: tuple[ChallengeTask, ...]) -> tuple[ChallengeTask, ...]:
    names: set[str] = set()
    for index, task in enumerate(tasks):
        if task.name in names:
            text = message("must be named once; got {name} twice", name=sent(task.name))
            raise WrongPart(f"{index}.name", text)
        names.add(task.name)
    if (count := len(declared_rewards(tasks))) > MAX_REWARDS:
        text = message(
            "must have at most {most} rewards; got {count}", most=MAX_REWARDS, count=count
        )
        raise ValueError(text)
    return tasks


_FIELDS: Final = ", ".join(f'"{name}"' for name in ChallengeTask.model_fields)
Tasks = Annotated[
    tuple[
        Annotated[
            ChallengeTask,
            BeforeValidator(_without_empty),
            Accepts(message("must be an object {{{fields}}}", fields=_FIELDS)),
        ],
        ...,
    ],
    Items(MAX_TASKS),
    AfterValidator(_checked_together),
]
