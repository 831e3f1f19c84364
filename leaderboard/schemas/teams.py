"""Bodies of requests about teams."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field, TypeAdapter

from leaderboard.schemas.base import NotNull, Strict
from leaderboard.schemas.registration import MOST_QUESTIONS, RegistrationAnswers


class TeamCode(Strict):
    """The code of a captain's link, which follows the # in its address."""

    code: Annotated[str, Field(min_length=1, max_length=100)]
    answers: Annotated[RegistrationAnswers, Field(max_length=MOST_QUESTIONS)] = Field(
        default_factory=dict,
        description="The answers to the questions of the challenge, by their keys.",
    )


class MemberChange(Strict):
    """A captain makes another member captain."""

    role: Literal["captain"]


class TeamChange(Strict):
    """A captain's change of the team: the fields that are sent."""

    participant: Annotated[str | None, NotNull(), Field(max_length=120)] = Field(
        default=None,
        description="The name to submit under. The former one stays reserved, and redirects.",
    )
    name: Annotated[str | None, NotNull(), Field(max_length=120)] = Field(
        default=None, description="Shown instead of it; need not be unique. Empty: none."
    )


class MergeRequest(Strict):
    """A captain's request that the team becomes a part of another one."""

    participant: Annotated[str, Field(min_length=1, max_length=140)] = Field(
        description="The name or the slug of the other team."
    )


MERGE_REQUEST: Final = TypeAdapter(MergeRequest)
TEAM_CHANGE: Final = TypeAdapter(TeamChange)
TEAM_CODE: Final = TypeAdapter(TeamCode)
MEMBER_CHANGE: Final = TypeAdapter(MemberChange)
