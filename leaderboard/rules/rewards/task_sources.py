"""The source of a task, as a Harbor registry gives it beside the task's name.

It has no influence on scores: if nothing else of the tasks changes, stored scoring versions get the
new sources in place, so that no board waits for a rescore that changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal

from leaderboard.rules.json.stored import StoredTask
from leaderboard.rules.json.values import JsonObject

SourceField = Literal["git_url", "git_commit_id", "path"]
SOURCE_FIELDS: Final[tuple[SourceField, ...]] = ("git_url", "git_commit_id", "path")
MAX_SOURCE: Final = 1000
"""Characters of each."""


def source_of(task: StoredTask) -> dict[SourceField, str]:
    """The source that a declared task states."""
    return {name: task[name] for name in SOURCE_FIELDS if name in task}


def without_sources(tasks: Iterable[StoredTask]) -> list[JsonObject]:
    """The declared tasks without the fields that do not affect scores."""
    return [
        {name: value for name, value in task.items() if name not in SOURCE_FIELDS} for task in tasks
    ]
