"""Labels of people for samples of judged rewards, as organisers send them."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field, TypeAdapter

from leaderboard.rules.rewards.samples import MAX_SAMPLES
from leaderboard.schemas.base import Items, Strict
from leaderboard.schemas.rewards import RewardName
from leaderboard.schemas.texts import Line

MOST_LABELS: Final = 10_000


class NewLabel(Strict):
    """What one person says of one reward of one sample."""

    task: RewardName
    sample: Annotated[int, Field(ge=0, lt=MAX_SAMPLES)]
    reward: RewardName
    value: Annotated[float, Field(description="On the scale of the judge.")]
    labeller: Annotated[
        str,
        Line(100),
        Field(
            description="Identifies who says it, such as a pseudonym. A later label of the same"
            " labeller replaces it."
        ),
    ]


class NewLabels(Strict):
    """Labels for samples of one attempt."""

    labels: Annotated[tuple[NewLabel, ...], Items(MOST_LABELS, least=1)]


NEW_LABELS: Final = TypeAdapter(NewLabels)
