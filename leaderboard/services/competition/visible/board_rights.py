"""What a reader may see of a board, and ask of it, by the settings of its phase."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from leaderboard.columns import named_keys
from leaderboard.models import Board, Challenge, ScoringConfig
from leaderboard.rules.texts.value_names import TRIES_BEFORE
from leaderboard.rules.visibility.view import Extent, PhaseView
from leaderboard.schemas.choices import Disclose
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.board.reading.state import BoardState, state_of
from leaderboard.services.competition.visible.access import Access
from leaderboard.services.competition.visible.rounding import inexact_row


def visible_row(row: BoardRow, access: Access, phase_id: int, config: ScoringConfig) -> BoardRow:
    """A row of a phase's board with the numbers, the name and the attempt that a reader sees."""
    is_own, view = row.participant.pk in access.own, access.view(phase_id)
    if not view.is_exact:
        row = inexact_row(row, view, config, is_own=is_own)
    if not is_own and min(view.notes, view.attempts) is not Extent.ALL:
        row = row._replace(family="")
    who = access.row_participant(row.participant, phase_id)
    if view.attempts is Extent.ALL or is_own:
        return row._replace(participant=who)
    return row._replace(participant=who, attempt_id=None, attempts=None)


@dataclass(frozen=True, slots=True)
class BoardRights:
    """A board, and what a reader may see of it."""

    board: Board
    access: Access

    @property
    def challenge(self) -> Challenge:
        return self.board.challenge

    @property
    def phase_id(self) -> int:
        return self.board.phase_id

    @property
    def view(self) -> PhaseView:
        """What the reader sees of the phase of the board."""
        return self.access.view(self.phase_id)

    @property
    def frozen_since(self) -> datetime | None:
        """Since when the board is frozen for the reader; None if it is not."""
        freeze = self.access.frozen.get(self.phase_id)
        return freeze.since if freeze else None

    @property
    def is_whole(self) -> bool:
        """Whether the reader sees all rows, with their order, ranks and counts."""
        return self.view.board is Extent.ALL

    @property
    def state(self) -> BoardState:
        """The state of the board that the reader can see: it does not change with an attempt that
        changes no row where the reader may not know of it."""
        state = state_of(self.board)
        if self.view.attempts is Extent.ALL:
            return state
        version = state.version - self.board.unseen_changes
        return state._replace(version=version, judged_version=None)

    @property
    def changed_at(self) -> datetime | None:
        """When the board changed last; None where that tells of hidden attempts."""
        return self.board.changed_at if self.view.attempts is Extent.ALL else None

    @property
    def shows_tries(self) -> bool:
        """Whether rows say how many attempts preceded theirs: a column that the challenge names,
        for readers who may know of all attempts."""
        challenge = self.challenge
        if challenge.disclose != Disclose.EVERYONE or self.view.attempts is not Extent.ALL:
            return False
        return TRIES_BEFORE in named_keys(challenge.columns)

    @property
    def names_all(self) -> bool:
        """Whether the reader sees the names of all participants."""
        return self.view.names is Extent.ALL

    @property
    def lists_verified(self) -> bool:
        """Whether the reader may ask which attempts on the board are verified."""
        return self.is_whole and self.view.attempts is Extent.ALL

    @property
    def lists_meta(self) -> bool:
        """Whether the reader may ask for rows by the meta of the attempts that count."""
        return self.lists_verified and self.view.notes is Extent.ALL

    @property
    def lists_families(self) -> bool:
        """Whether the reader may ask for families, which meta names, and for ranks among them."""
        return self.lists_meta and self.sorts

    @property
    def lists_names(self) -> bool:
        """Whether the reader may ask for rows by names, and by what goes with them."""
        return self.is_whole and self.names_all

    @property
    def is_veiled(self) -> bool:
        """Whether cursors must not contain sort keys, which reveal attempts and their times."""
        view = self.view
        is_limited = min(view.board, view.names, view.attempts) is not Extent.ALL
        return is_limited or not view.is_exact

    @property
    def sorts(self) -> bool:
        """Whether the reader may order rows by a column: not if it has values that are hidden.

        Nor if they are rounded, because an order by exact values would tell more than these.
        """
        return self.is_whole and self.view.is_exact
