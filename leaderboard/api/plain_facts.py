"""The facts of an attempt as pydantic looks at them; see `plain_attempts`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import ConfigDict, Field
from typing_extensions import TypedDict

from leaderboard.facts import Fact, known_facts

STRICT = ConfigDict(extra="forbid", strict=True)


def _type(fact: Fact) -> Any:
    """The type of a fact as `MetricsSerializer` takes it."""
    if fact.kind == "flag":
        return bool | None
    kind = int if fact.is_whole else float
    return Annotated[kind, Field(ge=0, le=fact.most)] | None


if TYPE_CHECKING:
    PlainMetrics = dict[str, bool | int | float | None]
else:
    PlainMetrics = TypedDict(
        "PlainMetrics", {key: _type(fact) for key, fact in known_facts().items()}, total=False
    )
    PlainMetrics.__pydantic_config__ = STRICT
