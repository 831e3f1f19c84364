from leaderboard.rules.ranking.places import RankKey
from leaderboard.rules.texts.messages import message
from leaderboard.strategies.strategy import Strategy

STRATEGY = Strategy(
    key="custom",
    label=message("Custom"),
    summary=message("a scorer computes the score"),
    keys=(RankKey("score", "desc"),),
    sentence=message("The attempt with the highest score wins."),
    ranked=message(
        "Every attempt that the scorer gave a score is ranked, successful or not; "
        "the scorer decides what an unsuccessful one is worth."
    ),
    runs_scorer=True,
    place=5,
)
