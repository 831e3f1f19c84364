"""Finding participants by a part of their names, on boards of any length, in two steps.

For a single statement that joins names and standings, the database has to guess the number of
matches, and may choose a slow plan. So a first statement reads the matches, up to a limit. If there
are more, a second one reads the board in its order, and soon fills a page.
"""

from __future__ import annotations

from typing import Any

from django.db import connection
from django.db.models import Q

from leaderboard.models.prepared import fetch
from leaderboard.rules.texts.names import name_key

MOST = 1000
"""The most matches whose standings are read by id."""
SHORTEST = 3
"""The shortest text to look up: a shorter one is in too many names and cannot use the index."""

# One query each for handles and names: each has an index, and no index serves both at once. The
# limit is part of the text. Of a parameter, PostgreSQL would guess that it is low, and might
# prepare a plan that reads all names.
_SQL = {
    "postgresql": """
        (SELECT id FROM leaderboard_participant
         WHERE tenant_id = %s AND handle_key LIKE %s LIMIT {most})
        UNION ALL
        (SELECT id FROM leaderboard_participant
         WHERE tenant_id = %s AND name <> '' AND upper(name) LIKE upper(%s) LIMIT {most})""",
    "sqlite": r"""
        SELECT * FROM (SELECT id FROM leaderboard_participant
            WHERE tenant_id = %s AND handle_key LIKE %s ESCAPE '\' LIMIT {most})
        UNION ALL
        SELECT * FROM (SELECT id FROM leaderboard_participant
            WHERE tenant_id = %s AND name <> '' AND name LIKE %s ESCAPE '\' LIMIT {most})""",
}


def named(text: str) -> Q:
    """The standings of participants whose handle or name contains a text."""
    return Q(participant__handle_key__contains=name_key(text)) | Q(
        participant__name__icontains=text
    )


def ids_named(tenant_id: int, text: str) -> list[int] | None:
    """The participants of a tenant whose handle or name contains a text.

    None if there are too many of them, or may be because the text is short.
    """
    if len(name_key(text)) < SHORTEST or len(text) < SHORTEST:
        return None
    sql = _SQL[connection.vendor].format(most=MOST + 1)
    asked: list[Any] = [tenant_id, _like(name_key(text)), tenant_id, _like(text)]
    ids = {key for (key,) in fetch(sql, asked)}
    return sorted(ids) if len(ids) <= MOST else None


def _like(text: str) -> str:
    return f"%{connection.ops.prep_for_like_query(text)}%"
