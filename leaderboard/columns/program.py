"""The column of a number that the challenge's scoring program returns."""

from collections.abc import Mapping
from typing import Any

from leaderboard.columns.column import Column
from leaderboard.rules.texts.messages import message


def program_column(key: str, note: Mapping[str, Any]) -> Column:
    """note: what the config stores of the value, its better `direction`."""
    return Column(
        key=key,
        label=key,
        direction=note.get("direction", "desc"),
        description=message("Returned by the scoring program of the challenge"),
    )
