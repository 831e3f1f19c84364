"""The column of a key that no file here describes: a number that participants report."""

from leaderboard.columns.column import Column
from leaderboard.rules.texts.messages import message


def reported(key: str) -> Column:
    return Column(
        key=key,
        label=key,
        direction="desc",
        description=message("As reported by participants"),
        level="reported",
    )
