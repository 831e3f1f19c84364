from leaderboard.columns.column import Column
from leaderboard.rules.texts.messages import message

COLUMN = Column(
    key="tokens_per_task",
    label=message("Tokens per task"),
    direction="asc",
    decimals=0,
    description=message("Mean tokens of a sample, over the tasks that report them"),
)
