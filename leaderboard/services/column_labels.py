"""Labels of a table's columns become labels of the board's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from leaderboard.columns import named_keys
from leaderboard.models import Challenge, User
from leaderboard.services.challenges import change_challenge


def label_columns(
    challenge: Challenge,
    user: User,
    found: Sequence[Mapping[str, Any]],
    *,
    show_all: bool = False,
) -> None:
    """Let the board call its columns what a table calls them, as far as nobody has said a label.

    found: columns as a challenge has them, `{"key", "label", "unit", "direction"}`. A column that
    the board does not show yet is added with `show_all` alone. Raises Refused.
    """
    ranked = {key["key"] for key in challenge.newest.rank_by}
    shown = ranked | set(named_keys(challenge.columns))
    by_key = {each["key"]: each for each in found if show_all or each["key"] in shown}
    columns = [_labelled(each, by_key.pop(each["key"], {})) for each in challenge.columns]
    for key, each in by_key.items():
        plain = {name: value for name, value in each.items() if name != "direction"}
        if key in ranked and each["label"] == key and "unit" not in each:
            continue
        columns.append(plain if key in ranked else dict(each))
    if columns != challenge.columns:
        change_challenge(challenge, user=user, fields={"columns": columns})


def _labelled(column: Mapping[str, Any], found: Mapping[str, Any]) -> dict[str, Any]:
    """A column of the challenge with the label and the unit that it does not have yet."""
    known = {name: found[name] for name in ("label", "unit") if name in found}
    return {**known, **column} if "label" not in column else dict(column)
