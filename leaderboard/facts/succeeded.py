from leaderboard.facts.fact import Fact
from leaderboard.rules.texts.messages import message

FACT = Fact(
    key="succeeded",
    label=message("Succeeded"),
    kind="flag",
    description=message("Whether the attempt passed the challenge"),
    hint=message("Did it reach the goal?"),
    example=True,
    place=1,
    page_place=1,
)
