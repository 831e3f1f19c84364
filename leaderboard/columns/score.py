from leaderboard.columns.column import Column

COLUMN = Column(
    key="score",
    label="Score",
    direction="desc",
    description="What the challenge's scorer gave the attempt; never below 0",
)
