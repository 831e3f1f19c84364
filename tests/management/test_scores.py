"""`verify_standings`, `rebuild_standings`, `rescore` and `sweep`, as an operator runs them."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.utils import timezone

from leaderboard.models import Attempt, Challenge, Score, Standing
from leaderboard.services.scoring.single import score_waiting
from tests.services.conftest import Submit


def run(*arguments: str) -> list[str]:
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue().splitlines()


@pytest.fixture
def scored(sprint: Challenge, submit: Submit) -> Challenge:
    for number, participant in enumerate(["atlas", "boreas", "atlas"]):
        submit(sprint, participant, elapsed_ms=900 - number)
    assert score_waiting() == 3
    return sprint


def test_standings_are_verified_and_rebuilt(scored: Challenge) -> None:
    assert run("verify_standings") == ["sprint: no differences"]
    Standing.objects.filter(participant__handle="atlas").update(attempts=7)
    Standing.objects.filter(participant__handle="boreas").delete()
    out = StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("verify_standings", "sprint", stdout=out)
    assert ended.value.code == 1
    first, *differences = out.getvalue().splitlines()
    assert first == "sprint: 3 differences"  # two standings and the bucket that counts them
    assert "atlas" in differences[0]
    assert run("rebuild_standings", "sprint") == ["sprint: 2 standings"]
    assert run("verify_standings", "sprint") == ["sprint: no differences"]


def test_the_error_names_an_unknown_challenge(db: None) -> None:
    cases: list[str] = ["verify_standings", "rebuild_standings", "rescore"]
    for command in cases:
        with pytest.raises(CommandError, match="'marathon'"):
            run(command, "marathon")


def test_rescore_starts_a_rescore(scored: Challenge, notifications: list[tuple[Any, ...]]) -> None:
    notifications.clear()
    assert run("rescore", "sprint") == ["scoring 3 attempts under version 2"]
    scored.refresh_from_db()
    assert scored.shown.number == 1
    assert {task for task, *_ in notifications} <= {"rescore"}


def test_rescore_can_wait_for_the_end(scored: Challenge) -> None:
    first, *bars, last = run("rescore", "sprint", "--wait")
    assert first == "scoring 3 attempts under version 2"
    assert bars[-1] == "█" * 40 + " 3 / 3"
    assert last == "the board shows version 2"
    scored.refresh_from_db()
    assert scored.shown.number == 2
    assert Score.objects.filter(config=scored.shown).count() == 3
    assert run("verify_standings") == ["sprint: no differences"]


def test_sweep_notifies_workers_of_attempts_that_wait_too_long(
    sprint: Challenge, submit: Submit, notifications: list[tuple[Any, ...]]
) -> None:
    waiting = submit(sprint, "atlas", elapsed_ms=5)
    assert run("sweep") == ["0 attempts were waiting"]
    notifications.clear()
    long_ago = timezone.now() - timedelta(minutes=1)
    Attempt.objects.filter(pk=waiting.pk).update(queued_at=long_ago)
    assert run("sweep") == ["1 attempts were waiting"]
    assert notifications == [("score_waiting",)]
