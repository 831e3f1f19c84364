"""The standings of a board that differ from those that follow from attempts and scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple
from uuid import UUID

from django.db import connection, models

from leaderboard.models import Board, Standing
from leaderboard.models.clock import moment
from leaderboard.models.streams import streamed
from leaderboard.rules.json.stored_numbers import read_numbers
from leaderboard.rules.ranking.standing_draft import StandingDraft
from leaderboard.services.board.standing_columns import COLUMNS
from leaderboard.services.board.standings.drafts import insert, replace_all

_READERS: Final[Mapping[str, Mapping[type, Callable[[Any], Any]]]] = {
    "postgresql": {models.JSONField: read_numbers},
    "sqlite": {
        models.JSONField: read_numbers,
        models.UUIDField: UUID,
        models.DateTimeField: moment,
    },
}
"""How values of the driver become those of a draft, by the class of the field."""


class Corrections(NamedTuple):
    """The ids of superfluous standings, and drafts of wrong and missing ones."""

    superfluous: Sequence[int]
    wrong: Sequence[StandingDraft]
    missing: Sequence[StandingDraft]

    @property
    def number(self) -> int:
        return sum(map(len, self))


def corrections(board: Board, expected: Iterable[StandingDraft]) -> Corrections:
    """The differences between the standings of a board and the expected ones."""
    left = {(line.participant_id, line.slot): line for line in expected}
    readers = [_READERS[connection.vendor].get(column.kind) for column in COLUMNS]
    names = [column.name for column in COLUMNS]
    who, slot = names.index("participant_id"), names.index("slot")
    superfluous, wrong = [], []
    with streamed(_sql(), [board.pk]) as rows:
        for pk, *row in rows:
            stored = [
                value if read is None else read(value)
                for value, read in zip(row, readers, strict=True)
            ]
            line = left.pop((stored[who], stored[slot]), None)
            if line is None:
                superfluous.append(pk)
            elif stored != [column.of(line) for column in COLUMNS]:
                wrong.append(line)
    return Corrections(superfluous, wrong, [*left.values()])


def correct(board: Board, corrected: Corrections) -> None:
    """Write the corrections of a board."""
    Standing.objects.filter(pk__in=corrected.superfluous).delete()
    replace_all(board.pk, corrected.wrong)
    insert(board.pk, corrected.missing)


def _sql() -> str:
    quote = connection.ops.quote_name
    text = "::text" if connection.vendor == "postgresql" else ""
    names = [
        f"{quote(column.name)}{text if column.kind is models.JSONField else ''}"
        for column in COLUMNS
    ]
    table = quote(Standing._meta.db_table)
    return f"SELECT id, {', '.join(names)} FROM {table} WHERE board_id = %s"  # noqa: S608 - names of the model
