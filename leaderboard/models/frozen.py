"""What a stored scoring config keeps for ever."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

FROZEN: Final = (
    "strategy",
    "plugin_id",
    "entrypoint",
    "config",
    "secrets",
    "rank_by",
    "only_succeeded",
    "counting",
    "timeout_ms",
    "metrics",
    "tasks",
    "rewards",
    "num_samples",
    "min_coverage",
    "unknown_tasks",
    "text_metrics",
    "text_secrets",
    "text_timeout_ms",
    "references_id",
)
"""The fields of a config that say how attempts are scored and ranked."""


class FrozenConfig(Exception):
    """A stored scoring config says for ever the same: a change makes a new revision."""


def attname_of(name: str) -> str:
    """`references`, as a foreign key may be named too, is `references_id`."""
    return f"{name}_id" if f"{name}_id" in FROZEN else name


def refuse_frozen(names: Iterable[str]) -> None:
    """Raises FrozenConfig if one of the fields never changes."""
    if changed := [name for name in names if name in FROZEN]:
        raise FrozenConfig(f"{', '.join(changed)}: a stored scoring config keeps what it says")
