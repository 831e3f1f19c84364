"""The notice on a board and its rules while attempts are scored again."""

from __future__ import annotations

from typing import NamedTuple

from leaderboard.languages.translation import count_text
from leaderboard.models import Challenge
from leaderboard.services.challenges.rescores import progress_of
from leaderboard.services.competition.visible.access import Access


class Rescoring(NamedTuple):
    """A rescore, or the need of one: the two versions, and how many attempts are scored."""

    newest: int
    current: int
    is_running: bool
    done: int
    total: int

    @property
    def done_text(self) -> str:
        return count_text(self.done)

    @property
    def total_text(self) -> str:
        return count_text(self.total)


def rescore_of(challenge: Challenge, access: Access) -> Rescoring | None:
    """The progress of a rescore while the board shows an older version.

    Readers from whom attempts are hidden learn of the new version only.
    """
    if challenge.shown_config_id == challenge.newest_config_id:
        return None
    newest, progress = challenge.newest, progress_of(challenge.newest)
    return Rescoring(
        newest=newest.number,
        current=challenge.shown.number,
        is_running=newest.is_rescoring and access.counts_attempts,
        done=progress.done,
        total=progress.total,
    )
