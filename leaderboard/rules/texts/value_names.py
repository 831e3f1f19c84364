"""Names of values: reserved names, valid names, and free names."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final, Literal

from leaderboard.rules.texts.messages import message

ECONOMICS: Final = ("time_per_task", "tokens_per_task", "cost_per_task")
"""Values that every attempt with usage has, so that no challenge lists them."""
COSTS: Final = (
    "cost_per_task",
    "cost_usd",
    "time_per_task",
    "elapsed_ms",
    "tokens_per_task",
    "tokens_total",
)
"""What an entry costs, the first that has values."""
TRIES_BEFORE: Final = "tries_before"
OWN: Final = ("score", *ECONOMICS, "submitted_at", TRIES_BEFORE)
"""Values that every board has, so that no metric has the name of one."""

VALUE_NAMES: Final = message("1 to 80 letters, digits and _ @ ^ : . -")
"""What `is_value_name` accepts, in words."""

_VALUE_NAME: Final = re.compile(r"[A-Za-z0-9_@^:.-]{1,80}")

MAX_TEXT_METRIC: Final = 80
"""Characters of the id of a text metric, and of its name in a challenge."""


Reported = Literal["refuse", "allow", "rank"]
"""How a value reported for a metric is treated: refused, shown without a rank, or ranked."""


def is_value_name(text: object) -> bool:
    """Whether a number that a participant reports may have this name."""
    return isinstance(text, str) and _VALUE_NAME.fullmatch(text) is not None


def is_text(value: object, longest: int) -> bool:
    """Whether it is one line of 1 to `longest` visible characters, without surrounding spaces."""
    return (
        isinstance(value, str)
        and 1 <= len(value) <= longest
        and value.isprintable()
        and value == value.strip()
    )


def free_name(name: str, taken: Collection[str]) -> str:
    """The name, or the first of `name-2`, `name-3`, … that is not taken."""
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}-{number}"
    return free
