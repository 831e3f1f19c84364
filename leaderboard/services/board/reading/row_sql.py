"""The statements that read lines of a board with their participants.

A first page is read more often than anything else. Model instances and a query compiled anew for
each reader would cost several times what the database needs, so these are written by hand.

PostgreSQL plans a prepared statement anew for each execution if it expects a cheaper plan from the
values of its parameters, as with an OFFSET. Here that plan is always the same, and planning takes
as long as reading. So `_hidden` parameters are values that the planner cannot see, and limits are
part of the text.
"""

from __future__ import annotations

from functools import cache

from django.db import connection

from leaderboard.models import (
    Attempt,
    Board,
    Bucket,
    Participant,
    Registration,
    ScoringConfig,
    Standing,
)
from leaderboard.rules.sortkey import REACHED_LENGTH
from leaderboard.schemas.choices import RowKind
from leaderboard.services.board.reading.ranks import AFTER_EQUALS
from leaderboard.services.board.standing_columns import COLUMNS

STANDING = (
    "sort_key",
    "unranked",
    "attempts",
    "reached_at",
    "attempt_id",
    "values",
    "cells",
    "family",
)
JSON = ("values", "cells")
PARTICIPANT = ("id", "handle", "slug", "name", "kind")
KEYS = ("participant_id", "pick_key", "slot")
OTHERS = tuple(column for column in COLUMNS if column.name not in (*STANDING, *KEYS))
"""Stored values that a row has in `stored`."""
WIDTH = len(STANDING) + len(PARTICIPANT) + len(OTHERS)
"""The number of columns that every line has."""
PLACE = 3
"""The number of further columns of a line that was read with its place."""

_RANK_KEY = f"substr({{of}}.sort_key, 1, length({{of}}.sort_key) - {REACHED_LENGTH:d})"
_LOW = """
    (SELECT b.low FROM BUCKET b WHERE b.board_id = i.board_id AND b.low <= RANK_KEY
     ORDER BY b.low DESC LIMIT 1) AS bucket""".replace("RANK_KEY", _RANK_KEY.format(of="i"))
_BETWEEN = """
    (SELECT count(*) FROM STANDING k
     WHERE k.board_id = s.board_id AND k.sort_key >= s.bucket AND k.sort_key < RANK_KEY)"""
_TIED = {
    "postgresql": """
    EXISTS (SELECT 1 FROM STANDING k WHERE k.board_id = s.board_id AND k.sort_key >= RANK_KEY
            AND k.sort_key < RANK_KEY || decode('AFTER', 'hex') OFFSET 1)""".replace(
        "AFTER", AFTER_EQUALS.hex()
    ),
    # There, || makes a text.
    "sqlite": """
    (SELECT SECOND_KEY FROM STANDING k WHERE k.board_id = s.board_id AND k.sort_key >= RANK_KEY
     ORDER BY k.sort_key LIMIT 1 OFFSET 1) = RANK_KEY""".replace(
        "SECOND_KEY", _RANK_KEY.format(of="k")
    ),
}
_AT_ONCE = {"postgresql": "OFFSET 0", "sqlite": "LIMIT -1"}
"""Keeps the database from moving a subquery into each of the places where its result is used."""


@cache
def page_sql(
    vendor: str,
    limit: int,
    *,
    skips: bool = False,
    with_meta: bool = False,
) -> str:
    """Consecutive lines. Parameters: board, first sort key and, if it skips lines, their number."""
    key = _hidden(vendor, "bytea") if skips else "%s"
    inner = (
        f"SELECT * FROM {_standing()} WHERE board_id = %s AND sort_key >= {key}"  # noqa: S608 - names of the models
        f" ORDER BY sort_key LIMIT {limit:d}{_offset(vendor, skips)}"
    )
    return f"{_select(vendor, inner, with_meta=with_meta)} ORDER BY s.sort_key"


@cache
def out_of_ranking_sql(vendor: str, limit: int) -> str:
    """The lines of a board beside the ranking, each after its kind. Parameter: board."""
    board, config, registration = (
        connection.ops.quote_name(model._meta.db_table)
        for model in (Board, ScoringConfig, Registration)
    )
    inner = (
        f"SELECT line.*, r.row_kind FROM {_standing()} line"  # noqa: S608 - names of the models
        f" JOIN {board} b ON b.id = line.board_id JOIN {config} c ON c.id = b.config_id"
        f" JOIN {registration} r ON r.challenge_id = c.challenge_id"
        " AND r.participant_id = line.participant_id"
        f" WHERE line.board_id = %s AND r.row_kind <> '{RowKind.RANKED.value}'"
        f" AND r.disqualified_at IS NULL ORDER BY line.sort_key LIMIT {limit:d}"
    )
    return f"{_select(vendor, inner, 's.row_kind, ')} ORDER BY s.sort_key"


@cache
def own_sql(vendor: str) -> str:
    """The first line of a participant, with its place. Parameters: board, participant."""
    inner = (
        f"SELECT * FROM {_standing()} WHERE board_id = %s AND participant_id = %s"  # noqa: S608 - names of the models
        " ORDER BY sort_key LIMIT 1"
    )
    return _placed(vendor, inner)


@cache
def some_sql(vendor: str) -> str:
    """Lines with their places, each after the id of its standing. Parameter: these ids."""
    inner = f"SELECT * FROM {_standing()} WHERE id {_among(vendor)}"  # noqa: S608 - names of the models
    return _placed(vendor, inner, "s.id, ")


@cache
def among_sql(vendor: str) -> str:
    """Lines of participants with their places. Parameters: board, their ids, limit, offset."""
    inner = (
        f"SELECT * FROM {_standing()} WHERE board_id = %s AND participant_id {_among(vendor)}"  # noqa: S608 - names of the models
        " ORDER BY sort_key LIMIT %s OFFSET %s"
    )
    return f"{_placed(vendor, inner)} ORDER BY s.sort_key"


def _placed(vendor: str, standings: str, first: str = "") -> str:
    """The statement of `_select` with `PLACE` further columns.

    Those are: the sort key at which the bucket of the line's rank key begins, the number of
    standings between them, and whether another line has the rank key.
    """
    bucket = connection.ops.quote_name(Bucket._meta.db_table)
    inner = f"SELECT i.*, {_LOW.replace('BUCKET', bucket)} FROM ({standings}) i {_AT_ONCE[vendor]}"  # noqa: S608 - names of the models
    more = ", ".join(("", "s.bucket", _BETWEEN, _TIED[vendor])).replace("STANDING", _standing())
    more = more.replace("RANK_KEY", _RANK_KEY.format(of="s"))
    return _select(vendor, inner, first, more)


def _select(
    vendor: str,
    standings: str,
    first: str = "",
    more: str = "",
    *,
    with_meta: bool = False,
) -> str:
    """A statement that reads standings with their participants; JSON comes as text."""
    quote = connection.ops.quote_name
    text = "::text" if vendor == "postgresql" else ""
    names = [f"s.{quote(name)}{text if name in JSON else ''}" for name in STANDING]
    names += [f"p.{quote(name)}" for name in PARTICIPANT]
    names += [f"s.{quote(column.name)}" for column in OTHERS]
    names += [f"a.meta{text}"] if with_meta else []
    participant = quote(Participant._meta.db_table)
    attempt = quote(Attempt._meta.db_table)
    attempts = f" LEFT JOIN {attempt} a ON a.id = s.attempt_id" if with_meta else ""
    return (
        f"SELECT {first}{', '.join(names)}{more} FROM ({standings}) s"  # noqa: S608 - names of the models
        f" JOIN {participant} p ON p.id = s.participant_id{attempts}"
    )


def _standing() -> str:
    return connection.ops.quote_name(Standing._meta.db_table)


def _among(vendor: str) -> str:
    """A condition with one parameter for any number of ids."""
    postgresql = vendor == "postgresql"
    return "= ANY(%s::bigint[])" if postgresql else "IN (SELECT value FROM json_each(%s))"


def _offset(vendor: str, skips: bool) -> str:
    return f" OFFSET {_hidden(vendor, 'bigint')}" if skips else ""


def _hidden(vendor: str, kind: str) -> str:
    """A parameter whose value PostgreSQL does not see when it plans the statement."""
    return f"(SELECT CAST(%s AS {kind}))" if vendor == "postgresql" else "%s"
