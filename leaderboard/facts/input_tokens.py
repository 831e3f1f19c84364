from leaderboard.facts.fact import Fact

FACT = Fact(
    key="input_tokens",
    label="Input tokens",
    kind="count",
    description="Tokens that went into models",
    for_scorers=False,
    of_samples=True,
    place=7,
    page_place=4,
)
