from leaderboard.rules.ranking.places import RankKey
from leaderboard.rules.texts.messages import message
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
