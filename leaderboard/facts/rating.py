from leaderboard.facts.fact import Fact
from leaderboard.rules.texts.messages import message

FACT = Fact(
    key="rating",
    label=message("Rating"),
    kind="number",
    description=message("The rating of the attempt from 0 to 10, as it was reported"),
    hint=message("From 0 to 10, if it was judged."),
    most=10,
    decimals=1,
    direction="desc",
    example=8,
    place=4,
    page_place=6,
)
