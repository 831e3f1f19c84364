"""Where a task of a challenge comes from, as a Harbor registry states it beside the task's name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

SOURCE_FIELDS: Final = ("git_url", "git_commit_id", "path")
MAX_SOURCE: Final = 1000
"""Characters of each."""


def wrong_source(value: object) -> str:
    """What is wrong with one of the fields; "" if nothing."""
    if isinstance(value, str) and 1 <= len(value) <= MAX_SOURCE and value.isprintable():
        return ""
    got = f"a text of {len(value)} characters" if isinstance(value, str) else type(value).__name__
    return f"a text of 1 to {MAX_SOURCE} characters that can be seen; got {got}"


def source_of(task: Mapping[str, Any]) -> dict[str, str]:
    """The source that a declared task states."""
    return {name: task[name] for name in SOURCE_FIELDS if name in task}


def without_sources(tasks: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The declared tasks as far as they have a say in scores."""
    return [
        {name: value for name, value in task.items() if name not in SOURCE_FIELDS} for task in tasks
    ]
