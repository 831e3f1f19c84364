"""Short notations of attempts and boards, for the tests of ranking."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from leaderboard.rules.ranking.places import Facts, Ranking, place, ranks

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


def attempt(number: int, *, second: float = 0, **changes: Any) -> Facts:
    """Return attempt `number`, succeeded, `second` seconds after noon; other arguments are its
    values."""
    fields = {
        name: changes.pop(name) for name in ("succeeded", "failed", "withdrawn") if name in changes
    }
    facts = Facts(UUID(int=number), NOON + timedelta(seconds=second), True, changes)
    return replace(facts, **fields)


def board(ranking: Ranking, attempts: Iterable[Facts]) -> list[tuple[int, int | None]]:
    """Return the number and rank of each attempt, in the order of the board."""
    rows = sorted(
        ((place(ranking, facts), facts.attempt_id.int) for facts in attempts),
        key=lambda row: row[0].sort_key,
    )
    computed = ranks(where.rank_key for where, _ in rows)
    return [
        (number, None if where.unranked else rank)
        for (where, number), rank in zip(rows, computed, strict=True)
    ]
