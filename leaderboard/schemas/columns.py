"""A challenge's changes to its columns: `[{"key": "physics", "label": "Physics", …}]`."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import AfterValidator, Field, TypeAdapter

from leaderboard.rules.sortkey import Direction
from leaderboard.rules.texts.messages import message
from leaderboard.rules.texts.quoting import sent
from leaderboard.schemas.base import STRICT, NotNull, Strict
from leaderboard.schemas.errors import WrongPart
from leaderboard.schemas.texts import Line

MAX_KEY: Final = 120
MAX_LABEL: Final = 60
MAX_UNIT: Final = 12
MAX_DECIMALS: Final = 9
MAX_POSITION: Final = 100


class ColumnChange(Strict):
    """What a challenge changes of the column with this key. What is absent stays as it is."""

    key: Annotated[
        str, Line(MAX_KEY), Field(description="Of a value that the board has, or may have.")
    ]
    label: Annotated[
        Annotated[str, Line(MAX_LABEL)] | None, NotNull(), Field(description="The heading.")
    ] = None
    unit: Annotated[
        Annotated[str, Line(MAX_UNIT, least=0)] | None,
        NotNull(),
        Field(description="Stands after the values. Facts keep their units."),
    ] = None
    decimals: Annotated[
        Annotated[int, Field(ge=0, le=MAX_DECIMALS)] | None,
        NotNull(),
        Field(description="How many decimals of a value are shown."),
    ] = None
    direction: Annotated[
        Direction | None,
        NotNull(),
        Field(description="The better end; not for what the board ranks by."),
    ] = None
    position: Annotated[
        Annotated[int, Field(ge=1, le=MAX_POSITION)] | None,
        NotNull(),
        Field(
            description="The place among the columns that the board does not rank by, from 1 on;"
            " columns without one come after those with one."
        ),
    ] = None
    hidden: Annotated[
        bool,
        Field(description="Whether the board leaves it out; not for what the board ranks by."),
    ] = False


def _each_once(changes: list[ColumnChange]) -> list[ColumnChange]:
    named: set[str] = set()
    for index, change in enumerate(changes):
        if change.key in named:
            raise WrongPart(
                f"{index}.key",
                message("must be named once; got {name} twice", name=sent(change.key)),
            )
        named.add(change.key)
    return changes


ColumnChanges = Annotated[list[ColumnChange], AfterValidator(_each_once)]

COLUMN_CHANGES: Final[TypeAdapter[list[ColumnChange]]] = TypeAdapter(ColumnChanges, config=STRICT)
