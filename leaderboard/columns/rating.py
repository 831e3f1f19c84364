from leaderboard.columns.column import Column

COLUMN = Column(
    key="rating",
    label="Rating",
    direction="desc",
    decimals=1,
    description="What the judge gave the attempt, from 0 to 10",
    level="reported",
    place=3,
)
