from leaderboard.columns.column import Column
from leaderboard.rules.texts.messages import message

COLUMN = Column(
    key="time_per_task",
    label=message("Time per task"),
    direction="asc",
    unit="s",
    decimals=1,
    description=message("Mean time of a sample, over the tasks that report it"),
    unit_is_fixed=True,
)
