from leaderboard.facts.fact import Fact

FACT = Fact(
    key="output_tokens",
    label="Output tokens",
    kind="count",
    description="Tokens that came out of models",
    for_scorers=False,
    of_samples=True,
    place=8,
    page_place=5,
)
