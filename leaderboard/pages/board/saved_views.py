"""Tabs above the rows of a board: the views that its organisers have named, and groups of tasks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from django.http import HttpRequest, QueryDict

from leaderboard.models import Challenge


class SavedView(NamedTuple):
    """A tab. query: of the board's address, without the `?`."""

    name: str
    query: str
    is_shown: bool


def saved_views(
    request: HttpRequest, challenge: Challenge, phase: str, groups: Sequence[tuple[str, str]]
) -> list[SavedView]:
    """The tabs, after one of the whole board; none if there is neither a view nor a group.

    phase: that of the address, which all tabs keep. groups: groups of tasks, each with the order of
    rows by it; a view with the same name stands for it.
    """
    views = list(_declared(challenge.saved_views))
    named = {name for name, _query in views}
    views += [(name, QueryDict(f"sort={order}")) for name, order in groups if name not in named]
    if not views:
        return []
    now = _sorted(request.GET)
    kept = QueryDict(mutable=True)
    if phase:
        kept["phase"] = phase
    tabs = []
    for name, query in [(challenge.name, QueryDict()), *views]:
        whole = kept.copy()
        for key, values in query.lists():
            whole.setlist(key, values)
        tabs.append(SavedView(name, whole.urlencode(safe=",-"), _sorted(whole) == now))
    return tabs


def _declared(text: str) -> Iterator[tuple[str, QueryDict]]:
    """`Name: columns=cost&sort=-cost`, a line for each; other lines are left out."""
    for line in text.splitlines():
        name, separator, query = line.partition(":")
        if separator and name.strip() and query.strip():
            yield name.strip(), QueryDict(query.strip().removeprefix("?"))


def _sorted(query: QueryDict) -> list[tuple[str, list[str]]]:
    """The parts of a query that choose a view."""
    return sorted((key, list(values)) for key, values in query.lists() if key not in ("page",))
