"""Names of metrics, as challenges and documents give them: which are right, which are free."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final, Literal, cast, get_args

ECONOMICS: Final = ("time_per_task", "tokens_per_task", "cost_per_task")
"""Values that every attempt with usage has, so that no challenge lists them."""
OWN: Final = ("score", *ECONOMICS, "submitted_at")
"""Values that every board has, so that no metric has the name of one."""


Reported = Literal["refuse", "allow", "rank"]
"""What becomes of a value that participants state for a metric: it is refused, shown without a
rank, or ranked."""


class SpecError(ValueError):
    """A wrong metric of a challenge: which field (`metrics.2.failed`), and why."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}")
        self.field = field
        self.message = message


def is_text(value: object, longest: int) -> bool:
    """Whether it is a line of 1 to `longest` characters that can be seen, without space around."""
    return (
        isinstance(value, str)
        and 1 <= len(value) <= longest
        and value.isprintable()
        and value == value.strip()
    )


def checked_text(at: str, value: object, longest: int) -> str:
    """The text of the field `at`. Raises SpecError."""
    if is_text(value, longest):
        return str(value)
    raise SpecError(at, f"must be a text of 1 to {longest} characters")


def checked_name(at: str, name: object, longest: int, taken: Collection[str] = ()) -> str:
    """The name of a metric, which is the key of its value. taken: names of facts. Raises SpecError.

    Facts are unknown here, and names that are stored are not checked again: a challenge whose
    metric has the name of a later fact stays readable.
    """
    text = checked_text(at, name, longest)
    if text in OWN or text in taken:
        raise SpecError(at, f"{text} is the name of another value")
    return text


def checked_reported(at: str, rule: object) -> Reported:
    """The rule of a metric for stated values, from its field `reported`. Raises SpecError."""
    if rule not in get_args(Reported):
        raise SpecError(at, f"must be refuse, allow or rank; got {rule!r:.80}")
    return cast(Reported, rule)


def free_name(name: str, taken: Collection[str]) -> str:
    """The name, or the first of `name-2`, `name-3`, … that is not taken."""
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}-{number}"
    return free
