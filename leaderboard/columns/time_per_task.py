from leaderboard.columns.column import Column

COLUMN = Column(
    key="time_per_task",
    label="Time per task",
    direction="asc",
    unit="s",
    decimals=1,
    description="Mean time of a sample, over the tasks that report it",
    unit_is_fixed=True,
)
