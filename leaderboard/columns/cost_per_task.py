from leaderboard.columns.cost_usd import Dollars

COLUMN = Dollars(
    key="cost_per_task",
    label="Cost per task",
    direction="asc",
    unit="USD",
    decimals=4,
    description="Mean cost of a sample, in US dollars, over the tasks that report it",
    unit_is_fixed=True,
)
