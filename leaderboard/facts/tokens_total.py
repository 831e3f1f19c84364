from leaderboard.facts.fact import Fact
from leaderboard.rules.texts.messages import message

FACT = Fact(
    key="tokens_total",
    label=message("Tokens"),
    kind="count",
    description=message("Tokens the attempt used, input and output together"),
    hint=message("Input and output together."),
    direction="asc",
    of_samples=True,
    example=1500,
    place=2,
    page_place=3,
)
