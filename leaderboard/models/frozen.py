"""The fields of a stored scoring config that never change."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from leaderboard.schemas.scoring import SCORING_ROWS

FROZEN: Final = (
    *SCORING_ROWS.values(),
    "secrets",
    "text_secrets",
    "references_id",
    "truth_id",
    "split_below",
    "final_parts",
)
"""The fields of a config that say how attempts are scored and ranked."""


class FrozenConfig(Exception):
    """A stored scoring config cannot be changed; make a new revision instead."""


def attname_of(name: str) -> str:
    """The name of a field's column: `references_id` for the foreign key `references`."""
    return f"{name}_id" if f"{name}_id" in FROZEN else name


def refuse_frozen(names: Iterable[str]) -> None:
    """Raises FrozenConfig if one of the fields is frozen."""
    if changed := [name for name in names if name in FROZEN]:
        raise FrozenConfig(f"{', '.join(changed)}: a stored scoring config keeps what it says")
