from leaderboard.facts.fact import Fact

FACT = Fact(
    key="cost_usd",
    label="Cost",
    kind="number",
    description="What the attempt cost, in US dollars",
    hint="In US dollars.",
    unit="USD",
    decimals=4,
    direction="asc",
    of_samples=True,
    example=0.04,
    place=6,
    page_place=7,
)
