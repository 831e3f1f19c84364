from datetime import UTC, datetime, timedelta

from leaderboard.columns.column import Column
from leaderboard.rules.texts.messages import message

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class MomentColumn(Column):
    """Seconds since 1970 (UTC), written as an ISO date and time of day: `2026-11-20 08:00:05`."""

    __slots__ = ()

    def written(self, value: float) -> str:
        return f"{_EPOCH + timedelta(seconds=int(value)):%Y-%m-%d %H:%M:%S}"


COLUMN = MomentColumn(
    key="submitted_at",
    label=message("Reached"),
    direction="asc",
    unit="s",
    decimals=0,
    description=message("When the attempt that counts arrived (UTC)"),
    unit_is_fixed=True,
)
