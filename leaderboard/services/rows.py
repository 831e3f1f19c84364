"""Rows of a board as plain tuples, read by one statement.

A first page is read more often than anything else. Model instances and a query compiled anew for
each reader would cost several times what the database needs, so this is written by hand.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import cache
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection

from leaderboard.models import Participant, ScoringConfig, Standing
from leaderboard.models.standing import StandingQuerySet
from leaderboard.rules.cells import BoardCell
from leaderboard.rules.ranking import RANKED, rank_key_of

STANDING = ("sort_key", "unranked", "attempts", "reached_at", "attempt_id", "values", "cells")
WHO = ("id", "handle", "slug", "name", "kind")


class Who(NamedTuple):
    """A participant, as far as a row shows it."""

    pk: int
    handle: str
    slug: str
    name: str
    kind: str

    @property
    def shown_name(self) -> str:
        return self.name or self.handle


class Row(NamedTuple):
    """A line of the board. `rank` is None for an unranked participant, with the reason."""

    rank: int | None
    tied: bool
    unranked: str
    participant: Who
    attempt_id: UUID
    values: dict[str, float]
    cells: dict[str, BoardCell]
    attempts: int
    reached_at: datetime
    sort_key: bytes

    @property
    def rank_key(self) -> bytes:
        return rank_key_of(self.sort_key)


class Unplaced(NamedTuple):
    """A line as it is stored: everything but the rank, which is how many are ahead."""

    sort_key: bytes
    unranked: str
    attempts: int
    reached_at: datetime
    attempt_id: UUID
    values: dict[str, float]
    cells: dict[str, BoardCell]
    participant: Who

    @property
    def rank_key(self) -> bytes:
        return rank_key_of(self.sort_key)

    def at(self, rank: int, *, tied: bool) -> Row:
        """The row, once its rank is known."""
        ranked = self.sort_key.startswith(RANKED)
        return Row(
            rank if ranked else None,
            tied and ranked,
            self.unranked,
            self.participant,
            self.attempt_id,
            self.values,
            self.cells,
            self.attempts,
            self.reached_at,
            self.sort_key,
        )


def lines_from(config: ScoringConfig, key: bytes, limit: int) -> list[Unplaced]:
    """Up to `limit` lines in order, from a sort key on."""
    with connection.cursor() as cursor:
        cursor.execute(page_sql(connection.vendor), [config.pk, key, limit])
        return _lines(cursor.fetchall())


def lines_of(standings: StandingQuerySet) -> list[Unplaced]:
    """The lines of any query, in its order."""
    who = [f"participant__{name}" for name in WHO]
    return [
        Unplaced._make((bytes(row[0]), *row[1 : len(STANDING)], Who(*row[len(STANDING) :])))
        for row in standings.values_list(*STANDING, *who)
    ]


@cache
def page_sql(vendor: str) -> str:
    """The statement of `lines_from`: config, sort key and limit are its parameters."""
    quote = connection.ops.quote_name
    standing, participant = (quote(model._meta.db_table) for model in (Standing, Participant))
    names = [f"s.{quote(name)}" for name in STANDING] + [f"p.{quote(name)}" for name in WHO]
    return (
        f"SELECT {', '.join(names)} FROM {standing} s"  # noqa: S608 - names of the models
        f" JOIN {participant} p ON p.id = s.participant_id"
        " WHERE s.config_id = %s AND s.sort_key >= %s ORDER BY s.sort_key LIMIT %s"
    )


def _lines(found: Sequence[tuple[Any, ...]]) -> list[Unplaced]:
    """What drivers give, as Python values; all JSON texts are read as one."""
    texts = ",".join(f"[{row[5]},{row[6]}]" for row in found)
    shown: list[tuple[dict[str, float], dict[str, BoardCell]]] = json.loads(f"[{texts}]")
    moment: Callable[[Any], datetime] = _unchanged if connection.vendor == "postgresql" else _moment
    key: Callable[[Any], UUID] = _unchanged if connection.vendor == "postgresql" else UUID
    return [
        Unplaced(bytes(row[0]), row[1], row[2], moment(row[3]), key(row[4]), *pair, Who(*row[7:]))
        for row, pair in zip(found, shown, strict=True)
    ]


def _unchanged(value: Any) -> Any:
    return value


def _moment(value: Any) -> datetime:
    """SQLite's drivers give texts, or what Django has registered to be made of them."""
    parsed = value if isinstance(value, datetime) else datetime.fromisoformat(value)
    return parsed.replace(tzinfo=UTC)
