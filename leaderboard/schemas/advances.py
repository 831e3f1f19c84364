"""Moving the best of a phase into the next one."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import AfterValidator, Field, TypeAdapter

from leaderboard.rules.texts.messages import message
from leaderboard.schemas.base import Items, Strict
from leaderboard.schemas.errors import WrongPart
from leaderboard.schemas.texts import Line

MOST: Final = 1000
"""The most participants that move at once."""


class AdvanceFields(Strict):
    """Who moves: the first ones of the board, or those that are named."""

    best: Annotated[
        int | None,
        Field(ge=1, le=MOST, description="Those with these first ranks, and all ties at the end."),
    ] = None
    participants: Annotated[
        Annotated[tuple[Annotated[str, Line(120)], ...], Items(MOST, least=1)] | None,
        Field(description="Slugs of ranked participants."),
    ] = None


def _one_choice(fields: AdvanceFields) -> AdvanceFields:
    if fields.best is None and fields.participants is None:
        raise WrongPart("best", message("must be given, or participants; got neither"))
    if fields.best is not None and fields.participants is not None:
        raise WrongPart("participants", message("must be absent beside best; got both"))
    return fields


ADVANCE: Final[TypeAdapter[AdvanceFields]] = TypeAdapter(
    Annotated[AdvanceFields, AfterValidator(_one_choice)]
)
