"""Keys of values with a direction: what a board ranks by, and what a win rate compares."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field

from leaderboard.rules.json.stored import StoredRankKey
from leaderboard.rules.ranking.places import MAX_KEYS, RankKey
from leaderboard.rules.sortkey import PRECISION, Direction
from leaderboard.rules.texts.messages import message
from leaderboard.schemas.base import Accepts, Items, NotNull, Shorthand, Strict
from leaderboard.schemas.texts import Line

MAX_KEY: Final = 255


class RankedBy(Strict):
    """A value, and whether high or low values are better.

    direction: None where the value's own counts. decimals: to how many decimals values are
    compared; 9 if it is absent.
    """

    key: Annotated[str, Line(MAX_KEY)]
    direction: Annotated[
        Direction | None,
        NotNull(),
        Field(
            description="Which end is better: `asc` is the lowest. If it is absent, what the metric"
            " or the fact says of itself, and `desc` for a reported value."
        ),
    ] = None
    decimals: Annotated[
        int | None,
        Field(
            ge=0,
            le=PRECISION,
            description="To how many decimals values are compared; 9 if it is absent.",
        ),
    ] = None

    def rank_key(self) -> RankKey:
        """Of a stored value, which names its direction unless that is `desc`."""
        decimals = PRECISION if self.decimals is None else self.decimals
        return RankKey(self.key, self.direction or "desc", decimals)

    def as_json(self, own: Direction = "desc") -> StoredRankKey:
        """As a challenge stores it: with the decimals, if they are given.

        own: the direction of the value itself.
        """
        stored: StoredRankKey = {"key": self.key, "direction": self.direction or own}
        if self.decimals is not None:
            stored["decimals"] = self.decimals
        return stored


ComparedKey = Annotated[
    RankedBy,
    Shorthand("key", MAX_KEY),
    Accepts(message('must be the key of a value, or an object {{"key", "direction"}}')),
]
"""A value that a win rate compares."""

RankKeys = Annotated[
    tuple[
        Annotated[
            RankedBy, Accepts(message('must be an object {{"key", "direction", "decimals"}}'))
        ],
        ...,
    ],
    Items(MAX_KEYS),
]
"""The keys that a board ranks by, in their order."""
