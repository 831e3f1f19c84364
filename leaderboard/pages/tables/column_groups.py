"""The headings above columns of one group of tasks, with the way to a board of that group alone."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple
from urllib.parse import urlencode

from leaderboard.columns import Column
from leaderboard.models import ScoringConfig
from leaderboard.schemas.metrics import spec_of


class GroupHead(NamedTuple):
    """A cell above columns that stand together. label: "" above columns of all tasks.

    fit: the class of these columns. query: of the page that ranks by the group, "" for none.
    is_first: whether no cell before is of the same group; the others repeat it for screen readers.
    """

    label: str
    span: int
    fit: str
    query: str
    is_first: bool


def group_heads(
    config: ScoringConfig,
    columns: Sequence[Column],
    fits: Sequence[str],
    *,
    strip: str | None,
    is_whole: bool,
) -> list[GroupHead]:
    """The cells above the columns; none if no column is of a group, or they are named like it.

    fits: the class of each column, empty if all are shown. strip: that of the strip of tasks, which
    stands behind the first column; None without one. is_whole: whether the reader sees all rows, so
    that they can be ranked anew.
    """
    groups = [_group(config, column) for column in columns]
    labels = [column.label for column in columns]
    if not any(group and group != label for group, label in zip(groups, labels, strict=True)):
        return []
    cells: list[tuple[str, str, Column | None]]
    cells = [*zip(groups, fits or [""] * len(groups), columns, strict=True)]
    heads: list[GroupHead] = []
    if strip is not None:
        cells.insert(1, ("", strip, None))
    for (label, fit), run in groupby(cells, key=lambda cell: cell[:2]):
        keys = [column.key if column else "" for _, _, column in run]
        is_first = not heads or heads[-1].label != label
        query = _query(config, keys[0]) if label and is_whole else ""
        heads.append(GroupHead(label, len(keys), fit, query, is_first))
    return heads


def orders_by_group(config: ScoringConfig, columns: Sequence[Column]) -> list[tuple[str, str]]:
    """The groups that have columns, each with the query that orders a board by its first column."""
    firsts: dict[str, str] = {}
    for column in columns:
        firsts.setdefault(_group(config, column), column.key)
    orders = [(label, _query(config, key)) for label, key in firsts.items() if label]
    return [(label, query) for label, query in orders if query]


def group_orders(config: ScoringConfig, columns: Sequence[Column]) -> list[tuple[str, str]]:
    """The groups that have columns, each with the order of rows by its first column, the best
    first; not the group that the board ranks by."""
    ranked = {ranked.key for ranked in config.ranking.keys[:1]}
    orders: dict[str, str] = {}
    for column in columns:
        order = column.key if column.direction == "asc" else f"-{column.key}"
        orders.setdefault(_group(config, column), "" if column.key in ranked else order)
    return [(label, order) for label, order in orders.items() if label and order]


def _group(config: ScoringConfig, column: Column) -> str:
    """The group of tasks that a column is over; "" for all tasks, and for what is no metric."""
    spec = spec_of(column.key, config.metric_specs)
    return (spec.group or "") if spec else ""


def _query(config: ScoringConfig, key: str) -> str:
    """The weights with which the page What if ranks by one column; "" if the board does so."""
    ranked = next((ranked.key for ranked in config.ranking.keys), "")
    if ranked == key:
        return ""
    return urlencode({"by": "columns", f"w.{ranked}": 0, f"w.{key}": 1})
