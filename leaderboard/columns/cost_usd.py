from leaderboard.columns.column import Column, number


class Dollars(Column):
    """US dollars with the sign in front: `$0.0400`."""

    __slots__ = ()

    def written(self, value: float) -> str:
        return f"${number(value, self.decimals)}"


COLUMN = Dollars(
    key="cost_usd",
    label="Cost",
    direction="asc",
    unit="USD",
    decimals=4,
    description="What the attempt cost, in US dollars",
    level="reported",
    place=4,
    unit_is_fixed=True,
)
