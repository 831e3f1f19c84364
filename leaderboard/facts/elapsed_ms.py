from leaderboard.facts.fact import Fact

FACT = Fact(
    key="elapsed_ms",
    label="Time",
    kind="count",
    description="How long the attempt took, in milliseconds",
    tooltip="How long the attempt took",
    hint="In milliseconds.",
    unit="ms",
    decimals=1,
    direction="asc",
    of_samples=True,
    example=12500,
    place=3,
    page_place=2,
)
