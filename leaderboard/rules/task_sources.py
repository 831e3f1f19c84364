"""The source of a task, as a Harbor registry gives it beside the task's name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from leaderboard.rules.json_values import JsonObject

SOURCE_FIELDS: Final = ("git_url", "git_commit_id", "path")
MAX_SOURCE: Final = 1000
"""Characters of each."""


def source_of(task: Mapping[str, Any]) -> dict[str, str]:
    """The source that a declared task states."""
    return {name: task[name] for name in SOURCE_FIELDS if name in task}


def without_sources(tasks: Iterable[Mapping[str, object]]) -> list[JsonObject]:
    """The declared tasks without the fields that do not affect scores."""
    return [
        {name: value for name, value in task.items() if name not in SOURCE_FIELDS} for task in tasks
    ]
