from leaderboard.rules.texts.messages import message
from leaderboard.strategies.strategy import Strategy

STRATEGY = Strategy(
    key="metric",
    label=message("Metric"),
    summary=message("ranked by metrics and facts of your choice"),
    keys=(),
    ranked="",
    place=6,
)
