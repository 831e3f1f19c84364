"""What the programs of an attempt have printed, for those who may read it."""

from __future__ import annotations

from leaderboard.models import Attempt, ProgramRun, User
from leaderboard.services.competition.participants.ownership import is_own


def readable_runs(attempt: Attempt, reader: User | None, *, organiser: bool) -> list[ProgramRun]:
    """The runs of an attempt with what they printed: all for organisers of its challenge.

    Its participant reads those of its own code, and nobody else any.
    """
    runs = ProgramRun.objects.filter(attempt=attempt, started_at__isnull=False)
    if organiser:
        return list(runs)
    if not attempt.runs_program or reader is None or not is_own(attempt, reader):
        return []
    return list(runs.filter(step=ProgramRun.Step.INGESTION))
