from leaderboard.facts.fact import Fact

FACT = Fact(
    key="tokens_total",
    label="Tokens",
    kind="count",
    description="Tokens the attempt used, input and output together",
    hint="Input and output together.",
    direction="asc",
    of_samples=True,
    example=1500,
    place=2,
    page_place=3,
)
