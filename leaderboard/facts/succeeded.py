from leaderboard.facts.fact import Fact

FACT = Fact(
    key="succeeded",
    label="Succeeded",
    kind="flag",
    description="Whether the attempt passed the challenge",
    hint="Did it reach the goal?",
    example=True,
    place=1,
    page_place=1,
)
