"""Copy the column labels of an imported table to the board."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from leaderboard.columns import named_keys
from leaderboard.importers.reading.suggestions import SuggestedColumn
from leaderboard.models import Challenge, User
from leaderboard.rules.json.stored import StoredColumn
from leaderboard.rules.json.values import JsonObject
from leaderboard.rules.texts.messages import message
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.challenges.rank_keys import KnownRankKeys, column_keys, why_not_a_key
from leaderboard.services.errors import ServiceError


def label_columns(
    challenge: Challenge,
    user: User,
    suggested: Sequence[SuggestedColumn],
    *,
    show_all: bool = False,
) -> list[str]:
    """Copy the labels of a table's columns to those of the board's columns that have none.

    suggested: columns in the form of the challenge's field, `{"key", "label", "unit",
    "direction"}`. show_all: also add columns that the board does not show yet; a key that could be
    mistaken for a misspelt one is added to the challenge's `values`. Returns warnings: the attempts
    are already saved, so a refused change is not an error.
    """
    ranked = {key["key"] for key in challenge.newest.rank_by}
    on_board = ranked | set(named_keys(challenge.columns))
    by_key = {
        column["key"]: column for column in suggested if show_all or column["key"] in on_board
    }
    columns = [_labelled(column, by_key.pop(column["key"], None)) for column in challenge.columns]
    for key, column in by_key.items():
        plain = {name: value for name, value in column.items() if name != "direction"}
        if key in ranked and column["label"] == key and "unit" not in column:
            continue
        columns.append(plain if key in ranked else dict(column))
    if columns == challenge.columns:
        return []
    try:
        change_challenge(
            challenge, user=user, fields={"columns": columns, **_values(challenge, by_key)}
        )
    except ServiceError as refused:
        reason = refused.message
        return [message("the labels of the columns are not taken over: {reason}", reason=reason)]
    return []


def _values(challenge: Challenge, keys: Iterable[str]) -> dict[str, list[str]]:
    """The field `values` with the new keys that would otherwise count as misspelt."""
    config = challenge.newest
    rank_keys = KnownRankKeys(
        config.metric_specs, config.text_specs, challenge.values, config.declared_rewards
    )
    taken = [*column_keys(), *config.ranked_keys]
    unlike = [key for key in keys if why_not_a_key(key, rank_keys, taken)]
    return {"values": [*challenge.values, *unlike]} if unlike else {}


def _labelled(column: StoredColumn, suggested: SuggestedColumn | None) -> JsonObject:
    """A column of the challenge, completed with the label and the unit of the table."""
    if suggested is None or "label" in column:
        return dict(column)
    unit = {"unit": suggested["unit"]} if "unit" in suggested else {}
    return {"label": suggested["label"], **unit, **column}
