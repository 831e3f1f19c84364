from leaderboard.columns.cost_usd import Dollars
from leaderboard.rules.texts.messages import message

COLUMN = Dollars(
    key="cost_per_task",
    label=message("Cost per task"),
    direction="asc",
    unit="USD",
    decimals=4,
    description=message("Mean cost of a sample, in US dollars, over the tasks that report it"),
    unit_is_fixed=True,
)
