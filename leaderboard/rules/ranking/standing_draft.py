"""The values of a participant's line on a board before it is stored."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from leaderboard.rules.ranking.places import StandingPlace
from leaderboard.rules.rewards.cells import BoardCell

ONE_ROW = UUID(int=0)
"""The slot of a participant that has one row on the board."""


@dataclass(slots=True)
class StandingDraft:
    """A standing before it is stored: the attempt that counts, and the number of attempts.

    values: the numbers of the attempt by name: its score, facts, metric values and reported ones.
    is_out_of_ranking: whether the row of the participant is out of the ranking.
    slot: tells the rows of a participant apart where each attempt is a row: the attempt's id.
    family: the system of which the attempt is one configuration, "" for none.
    """

    participant_id: int
    attempt_id: UUID
    place: StandingPlace
    values: dict[str, float]
    cells: dict[str, BoardCell]
    reached_at: datetime
    attempts: int
    slot: UUID = ONE_ROW
    is_out_of_ranking: bool = False
    family: str = ""
