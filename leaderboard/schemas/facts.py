"""The facts of an attempt as JSON, from the files in `leaderboard/facts`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any, Final

from pydantic import Field
from typing_extensions import TypedDict

from leaderboard.facts import Fact, known_facts, usage_facts
from leaderboard.rules.texts.messages import message
from leaderboard.rules.texts.moments import LATEST_MS
from leaderboard.schemas.base import STRICT, Accepts

Value = bool | int | float | None

MILLISECONDS: Final = Accepts(
    message(
        "must be milliseconds since 1970, a whole number from 0 to {most} (the end of the year"
        " 9999), or null",
        most=LATEST_MS,
    )
)


def _type(fact: Fact) -> Any:
    """The type of a fact; null is accepted and means the same as absent."""
    about = Field(description=f"{fact.description}.")
    if fact.kind == "flag":
        return Annotated[bool | None, about]
    kind: Any = int if fact.is_whole else float
    number: Any = Annotated[kind, Field(ge=0, le=fact.most)]
    if fact.kind == "moment":
        return Annotated[number | None, about, MILLISECONDS]
    return Annotated[number | None, about]


def _fields(facts: Iterable[Fact]) -> dict[str, object]:
    return {fact.key: _type(fact) for fact in facts}


if TYPE_CHECKING:
    FactsFields = dict[str, Value]
    UsageFields = dict[str, Value]
else:
    FactsFields = TypedDict("Facts", _fields(known_facts().values()), total=False)
    FactsFields.__doc__ = "The facts of one try. Any may be absent or null."
    UsageFields = TypedDict("Usage", _fields(usage_facts()), total=False)
    UsageFields.__doc__ = "What the sample took, as far as it is known."
    for fields in (FactsFields, UsageFields):
        fields.__pydantic_config__ = STRICT
