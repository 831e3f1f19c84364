from leaderboard.facts.fact import Fact
from leaderboard.rules.texts.messages import message
from leaderboard.rules.texts.moments import LATEST_MS

FACT = Fact(
    key="created_at",
    label=message("Created at (ms since 1970)"),
    kind="moment",
    description=message(
        "When the attempt began, in milliseconds since 1970; without it, scorers get its arrival"
    ),
    most=LATEST_MS,
    column="reported_created_at",
    place=5,
    page_place=8,
)
