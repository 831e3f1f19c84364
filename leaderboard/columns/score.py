from leaderboard.columns.column import Column
from leaderboard.rules.texts.messages import message

COLUMN = Column(
    key="score",
    label=message("Score"),
    direction="desc",
    description=message("What the challenge's scorer gave the attempt; never below 0"),
)
