"""The brackets in which the participants of a board are registered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from leaderboard.models import Registration
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.competition.participants.taking_part import rules_of
from leaderboard.services.competition.visible.board_rights import BoardRights


class RowBrackets:
    """The bracket of each row, for readers who may ask for rows by it.

    rows: those that are asked about; None: any. Nothing is read for a challenge without brackets.
    """

    def __init__(self, board: BoardRights, rows: Sequence[BoardRow] | None = None) -> None:
        rules = rules_of(board.challenge)
        self._challenge = board.challenge
        self._rows = rows
        self.are_there = bool(rules and rules.brackets) and board.lists_names

    def of(self, row: BoardRow) -> str | None:
        return self._by_participant.get(row.participant.pk) if self.are_there else None

    @cached_property
    def _by_participant(self) -> Mapping[int, str]:
        registrations = Registration.objects.filter(challenge=self._challenge).exclude(bracket="")
        if self._rows is not None:
            registrations = registrations.filter(
                participant__in=[row.participant.pk for row in self._rows]
            )
        return dict(registrations.values_list("participant", "bracket"))
