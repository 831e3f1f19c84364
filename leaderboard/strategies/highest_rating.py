from leaderboard.rules.messages import message
from leaderboard.rules.ranking import RankKey
from leaderboard.strategies.strategy import Strategy

STRATEGY = Strategy(
    key="highest_rating",
    label=message("Highest rating"),
    summary=message("the best rated success wins"),
    keys=(RankKey("rating", "desc"),),
    sentence=message("The successful attempt with the highest rating wins."),
    only_succeeded=True,
    place=4,
)
