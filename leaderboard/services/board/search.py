"""Finding participants by a part of their names, on boards of any length, in two steps.

One statement that joins names and standings is planned for a number of matches that the database
can only guess. So the matches come first, up to a number that is read at once; where there are
more, the board is walked in its order, and a page is soon full.
"""

from __future__ import annotations

from typing import Any

from django.db import connection
from django.db.models import Q

from leaderboard.models.prepared import fetch
from leaderboard.rules.names import name_key

MOST = 1000
"""More matches than that are not looked up one by one."""
SHORTEST = 3
"""A shorter text is in too many names, and an index of three characters does not help."""

# A question each for handles and names: an index serves either, and none serves both at once.
_SQL = {
    "postgresql": """
        (SELECT id FROM leaderboard_participant
         WHERE tenant_id = %s AND handle_key LIKE %s LIMIT %s)
        UNION ALL
        (SELECT id FROM leaderboard_participant
         WHERE tenant_id = %s AND name <> '' AND upper(name) LIKE upper(%s) LIMIT %s)""",
    "sqlite": r"""
        SELECT * FROM (SELECT id FROM leaderboard_participant
            WHERE tenant_id = %s AND handle_key LIKE %s ESCAPE '\' LIMIT %s)
        UNION ALL
        SELECT * FROM (SELECT id FROM leaderboard_participant
            WHERE tenant_id = %s AND name <> '' AND name LIKE %s ESCAPE '\' LIMIT %s)""",
}


def named(text: str) -> Q:
    """The standings of those whose handle or name holds a text."""
    return Q(participant__handle_key__contains=name_key(text)) | Q(
        participant__name__icontains=text
    )


def ids_named(tenant_id: int, text: str) -> list[int] | None:
    """The participants of a tenant whose handle or name holds a text.

    None where there are too many of them, or may be, as the text is short.
    """
    if len(name_key(text)) < SHORTEST or len(text) < SHORTEST:
        return None
    asked: list[Any] = [
        tenant_id,
        _like(name_key(text)),
        MOST + 1,
        tenant_id,
        _like(text),
        MOST + 1,
    ]
    found = {key for (key,) in fetch(_SQL[connection.vendor], asked)}
    return sorted(found) if len(found) <= MOST else None


def _like(text: str) -> str:
    return f"%{connection.ops.prep_for_like_query(text)}%"
