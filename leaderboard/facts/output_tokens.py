from leaderboard.facts.fact import Fact
from leaderboard.rules.texts.messages import message

FACT = Fact(
    key="output_tokens",
    label=message("Output tokens"),
    kind="count",
    description=message("Tokens that came out of models"),
    for_scorers=False,
    of_samples=True,
    place=8,
    page_place=5,
)
