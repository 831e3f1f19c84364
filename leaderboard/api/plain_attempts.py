"""A quick look at attempts that are right, as most are: a serializer takes longer than saving one.

Whatever this does not let through, `NewAttemptSerializer` looks at, and says what is wrong with it.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, Required

from pydantic import Field, TypeAdapter
from pydantic import ValidationError as NotPlain
from rest_framework.exceptions import ValidationError
from typing_extensions import TypedDict

from leaderboard.api.fields import FlatTexts, Moment, Numbers
from leaderboard.api.plain_facts import STRICT, PlainMetrics
from leaderboard.api.samples import SamplesField, TaskRewardsField
from leaderboard.api.serializers.new_attempt import (
    LONGEST_NOTE,
    says_something,
    was_possible,
)
from leaderboard.services.attempts.new_attempts import NewAttempt

Kind = Literal["system", "person", "team"]


class PlainAttempt(TypedDict, total=False):
    """The fields of `NewAttemptSerializer` but for a model's outputs, which take long anyway."""

    __pydantic_config__ = STRICT  # type: ignore[misc]

    participant: Required[Annotated[str, Field(min_length=1)]]
    metrics: PlainMetrics
    values: Any
    task_rewards: Any
    samples: Any
    name: Annotated[str, Field(max_length=120)]
    kind: Kind
    submitted_at: Any
    meta: Any
    note: Annotated[str, Field(max_length=LONGEST_NOTE)]


_PLAIN: Final = TypeAdapter(PlainAttempt).validator
_FIELDS: Final = {
    "values": Numbers(),
    "task_rewards": TaskRewardsField(),
    "samples": SamplesField(),
    "submitted_at": Moment(),
    "meta": FlatTexts(),
}


def plain_attempt(body: Any) -> NewAttempt | None:
    """What the serializer would make of a body; None where it has to look at it itself."""
    try:
        found = _PLAIN.validate_python(body)
        for name in _FIELDS.keys() & found.keys():
            found[name] = _FIELDS[name].to_internal_value(found[name])
    except (NotPlain, ValidationError):
        return None
    if not says_something(found) or not was_possible(found.get("submitted_at")):
        return None
    return NewAttempt(**found)
