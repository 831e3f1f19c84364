from leaderboard.rules.ranking import RankKey
from leaderboard.strategies.strategy import Strategy

STRATEGY = Strategy(
    key="custom",
    label="Custom",
    summary="a scorer computes the score",
    keys=(RankKey("score", "desc"),),
    sentence="The attempt with the highest score wins.",
    ranked=(
        "Every attempt that the scorer gave a score is ranked, successful or not; "
        "the scorer decides what an unsuccessful one is worth."
    ),
    runs_scorer=True,
    place=5,
)
