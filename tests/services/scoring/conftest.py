"""Time for workers: the speed of the machine decides nothing in these tests."""

from __future__ import annotations

import pytest

from leaderboard.services.scoring import rescoring, single


@pytest.fixture(autouse=True)
def long_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine a worker gets as far in its turn as on a quiet one."""
    monkeypatch.setattr(single, "SECONDS_PER_NOTIFICATION", 600.0)
    monkeypatch.setattr(rescoring, "SECONDS_TOGETHER", 600.0)
