from leaderboard.strategies.strategy import Strategy

STRATEGY = Strategy(
    key="metric",
    label="Metric",
    summary="ranked by metrics and facts of your choice",
    keys=(),
    ranked="",
    place=6,
)
