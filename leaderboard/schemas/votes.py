"""Votes about pairs of participants, as organisers send them."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field, TypeAdapter

from leaderboard.schemas.base import Items, Strict
from leaderboard.schemas.texts import Line

MOST_VOTES: Final = 10_000

Winner = Literal["first", "second", "tie"]
OUTCOMES: Final[dict[Winner, float]] = {"first": 1.0, "second": 0.0, "tie": 0.5}


class NewVote(Strict):
    """One vote. first, second: names of participants; new ones are made."""

    first: Annotated[str, Field(min_length=1, max_length=120)]
    second: Annotated[str, Field(min_length=1, max_length=120)]
    winner: Annotated[Winner, Field(description="Which of them is preferred.")]
    voter: Annotated[
        str, Line(100), Field(description="Identifies who has voted, such as a pseudonym.")
    ]
    prompt: Annotated[
        str,
        Line(255, least=0),
        Field(description="Identifies what both answered. A later vote of the voter replaces it."),
    ] = ""


class NewVotes(Strict):
    """Votes, in the order in which they were made."""

    votes: Annotated[tuple[NewVote, ...], Items(MOST_VOTES, least=1)]


NEW_VOTES: Final = TypeAdapter(NewVotes)
