"""The standings of a board that differ from those that follow from attempts and scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple
from uuid import UUID

from django.db import connection, models
from pydantic_core import from_json

from leaderboard.models import Board, Standing
from leaderboard.models.clock import moment
from leaderboard.models.streams import streamed
from leaderboard.rules.standing_draft import StandingDraft
from leaderboard.services.board import sorted_values
from leaderboard.services.board.standing_columns import COLUMNS
from leaderboard.services.board.standing_drafts import insert

MOST: Final = 5000
"""For more corrections, a board is written completely, which is quicker then."""

_READERS: Final[Mapping[str, Mapping[type, Callable[[Any], Any]]]] = {
    "postgresql": {models.JSONField: from_json},
    "sqlite": {
        models.JSONField: from_json,
        models.UUIDField: UUID,
        models.DateTimeField: moment,
    },
}
"""How values of the driver become those of a draft, by the class of the field."""


class Corrections(NamedTuple):
    """The ids and participants of wrong standings, and drafts of those that are missing then."""

    wrong: Sequence[tuple[int, int]]
    missing: Sequence[StandingDraft]

    @property
    def number(self) -> int:
        return len(self.wrong) + len(self.missing)


def corrections(board: Board, expected: Iterable[StandingDraft]) -> Corrections:
    """The differences between the standings of a board and the expected ones."""
    left = {(line.participant_id, line.slot): line for line in expected}
    readers = [_READERS[connection.vendor].get(column.kind) for column in COLUMNS]
    names = [column.name for column in COLUMNS]
    who, slot = names.index("participant_id"), names.index("slot")
    wrong, missing = [], []
    with streamed(_sql(), [board.pk]) as rows:
        for pk, *row in rows:
            stored = [
                value if read is None else read(value)
                for value, read in zip(row, readers, strict=True)
            ]
            line = left.pop((stored[who], stored[slot]), None)
            if line is None or stored != [column.of(line) for column in COLUMNS]:
                wrong.append((pk, stored[who]))
                missing += [line] if line else []
    return Corrections(wrong, [*missing, *left.values()])


def correct(board: Board, found: Corrections) -> None:
    """Write the corrections of a board, and the values of its sorted columns."""
    Standing.objects.filter(pk__in=[pk for pk, _ in found.wrong]).delete()
    insert(board.pk, found.missing)
    sorted_values.forget(board.pk, [participant for _, participant in found.wrong])
    sorted_values.write(board.pk, [line.participant_id for line in found.missing])


def _sql() -> str:
    quote = connection.ops.quote_name
    text = "::text" if connection.vendor == "postgresql" else ""
    names = [
        f"{quote(column.name)}{text if column.kind is models.JSONField else ''}"
        for column in COLUMNS
    ]
    table = quote(Standing._meta.db_table)
    return f"SELECT id, {', '.join(names)} FROM {table} WHERE board_id = %s"  # noqa: S608 - names of the model
