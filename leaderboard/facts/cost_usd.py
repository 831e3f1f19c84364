from leaderboard.facts.fact import Fact
from leaderboard.rules.texts.messages import message

FACT = Fact(
    key="cost_usd",
    label=message("Cost"),
    kind="number",
    description=message("What the attempt cost, in US dollars"),
    hint=message("In US dollars."),
    unit="USD",
    decimals=4,
    direction="asc",
    of_samples=True,
    example=0.04,
    place=6,
    page_place=7,
)
