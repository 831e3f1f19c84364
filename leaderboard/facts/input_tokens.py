from leaderboard.facts.fact import Fact
from leaderboard.rules.texts.messages import message

FACT = Fact(
    key="input_tokens",
    label=message("Input tokens"),
    kind="count",
    description=message("Tokens that went into models"),
    for_scorers=False,
    of_samples=True,
    place=7,
    page_place=4,
)
