from leaderboard.columns.column import Column

COLUMN = Column(
    key="tokens_per_task",
    label="Tokens per task",
    direction="asc",
    decimals=0,
    description="Mean tokens of a sample, over the tasks that report them",
)
