from leaderboard.columns.column import Column, number
from leaderboard.columns.fact import fact_column
from leaderboard.facts import get_fact


class Dollars(Column):
    """US dollars with the sign in front: `$0.0400`."""

    __slots__ = ()

    def written(self, value: float) -> str:
        return f"${number(value, self.decimals)}"


COLUMN = fact_column(get_fact("cost_usd"), Dollars)
