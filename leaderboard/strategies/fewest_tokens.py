from leaderboard.rules.ranking.places import RankKey
from leaderboard.rules.texts.messages import message
from leaderboard.strategies.strategy import Strategy

STRATEGY = Strategy(
    key="fewest_tokens",
    label=message("Fewest tokens"),
    summary=message("the most economical success wins"),
    keys=(RankKey("tokens_total", "asc"),),
    sentence=message("The successful attempt that used the fewest tokens wins."),
    only_succeeded=True,
    place=3,
)
