"""The column of a key that no file here describes: a number that participants report."""

from leaderboard.columns.column import Column


def reported(key: str) -> Column:
    return Column(
        key=key,
        label=key,
        direction="desc",
        description="As reported by participants",
        level="reported",
    )
