"""Erase what the programs of challenges have kept of attempts; their values stay."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from leaderboard.models import ProgramRun
from leaderboard.services.files.store import delete_after_commit


def erase_runs(attempts: Collection[UUID]) -> None:
    """Erase outputs, errors and the results of code. Call it in a transaction."""
    runs = ProgramRun.objects.filter(attempt__in=attempts)
    delete_after_commit(runs.exclude(path="").values_list("path", flat=True))
    runs.update(output="", error_message="", error_detail="", notes=[], path="")
