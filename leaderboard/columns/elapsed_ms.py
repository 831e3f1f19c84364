from leaderboard.columns.column import Column, number
from leaderboard.columns.fact import fact_column
from leaderboard.facts import get_fact


class Elapsed(Column):
    """Milliseconds in readable units: `850 ms`, `12.5 s`, `30 min 34 s`, `2 h 05 min`.

    `decimals` applies to seconds, below a minute.
    """

    __slots__ = ()

    def written(self, value: float) -> str:
        seconds = round(value / 1000, self.decimals)
        if round(value) < 1000:
            return f"{number(value, 0)} ms"
        if seconds < 60:
            return f"{number(seconds, self.decimals)} s"
        minutes, seconds = divmod(round(value / 1000), 60)
        if minutes < 60:
            return f"{minutes} min {seconds:02} s"
        hours, minutes = divmod(round(value / 60_000), 60)
        return f"{hours:,} h {minutes:02} min"


COLUMN = fact_column(get_fact("elapsed_ms"), Elapsed)
