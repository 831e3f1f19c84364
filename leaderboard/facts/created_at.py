from leaderboard.facts.fact import Fact
from leaderboard.rules.moments import LATEST_MS

FACT = Fact(
    key="created_at",
    label="Created at (ms since 1970)",
    kind="moment",
    description="When the attempt began, in milliseconds since 1970; without it, scorers get its "
    "arrival",
    most=LATEST_MS,
    column="reported_created_at",
    place=5,
    page_place=8,
)
