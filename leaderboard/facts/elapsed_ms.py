from leaderboard.facts.fact import Fact
from leaderboard.rules.texts.messages import message

FACT = Fact(
    key="elapsed_ms",
    label=message("Time"),
    kind="count",
    description=message("How long the attempt took, in milliseconds"),
    tooltip=message("How long the attempt took"),
    hint=message("In milliseconds."),
    unit="ms",
    decimals=1,
    direction="asc",
    of_samples=True,
    example=12500,
    place=3,
    page_place=2,
)
