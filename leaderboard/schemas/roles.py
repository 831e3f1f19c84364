"""Roles in one challenge."""

from __future__ import annotations

from typing import Final, Literal

from pydantic import Field, TypeAdapter

from leaderboard.schemas.base import Strict


class GivenRole(Strict):
    """What somebody may do in a challenge."""

    role: Literal["organiser", "reviewer"] = Field(
        description="Organisers may do everything in this challenge. Reviewers see what they see, "
        "and change nothing."
    )


GIVEN_ROLE: Final = TypeAdapter(GivenRole)
