"""What a frozen board tells of code that has changed: nothing of attempts behind the freeze."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from leaderboard.models import Attempt, Challenge, Edition, User
from leaderboard.services.attempts.new_attempts import NewAttempt
from leaderboard.services.attempts.submit import submit_many
from leaderboard.services.board.standings.filling import fill_boards
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.challenges.code_changes import code_state, decide, held_at
from leaderboard.services.scoring import single
from tests.services.conftest import Submit
from tests.services.scoring.code_changes.changing import Make, finish, gives

BOARD = "/api/v1/challenges/own/leaderboard/"
DAY = timedelta(days=1)


def froze(challenge: Challenge) -> None:
    """Let the board have frozen an hour ago, with all attempts and editions of now before that."""
    now = timezone.now()
    Attempt.objects.update(submitted_at=now - DAY / 2)
    Edition.objects.update(first_at=now - DAY / 2)
    phase = {
        "slug": "main",
        "opens_at": (now - DAY).isoformat(),
        "closes_at": (now + DAY).isoformat(),
        "freezes_at": (now - DAY / 24).isoformat(),
    }
    change_challenge(challenge, user=None, fields={"phases": [phase]})
    challenge.refresh_from_db()
    fill_boards(challenge)


def public_view() -> tuple[str, Any, str, str]:
    """The board and its page as visitors get them, with the ETag and the version for pages."""
    cache.clear()
    client = Client()
    board = client.get(BOARD)
    page = client.get("/c/own/").content.decode()
    notices = page[page.index("<main") : page.index("</main>")]
    return board.headers["ETag"], board.json(), client.get("/c/own/version.json").text, notices


def test_attempts_held_behind_a_freeze_change_nothing(changed: Make, submit: Submit) -> None:
    challenge = changed("hold")
    froze(challenge)
    before = public_view()
    submit(challenge, "borea")
    single.score_waiting()
    assert held_at(challenge) == 1
    assert public_view() == before
    decide(challenge, "go_on")
    assert held_at(challenge) == 0
    single.score_waiting()
    assert len(code_state(challenge).editions) == 2
    assert public_view() == before


def test_the_page_of_an_earlier_attempt_tells_of_no_edition_behind_a_freeze(
    changed: Make, submit: Submit
) -> None:
    challenge = changed("warn")
    froze(challenge)
    page = f"/attempts/{Attempt.objects.get().pk}/"
    before = Client().get(page).content
    submit(challenge, "borea")
    single.score_waiting()
    assert len(code_state(challenge).editions) == 2
    assert Client().get(page).content == before


@pytest.mark.parametrize("decision", ["go_on", "rescore"])
def test_attempts_held_from_before_a_freeze_are_told(
    changed: Make, submit: Submit, own: Path, decision: Any
) -> None:
    challenge = changed("hold")
    submit(challenge, "borea")
    froze(challenge)
    before = public_view()
    single.score_waiting()
    held = public_view()
    assert (before[1]["held"], held[1]["held"]) == (0, 1)
    assert held[0] != before[0]
    decide(challenge, decision)
    assert public_view()[1]["held"] == 0
    assert public_view()[0] != held[0]


def test_editions_from_before_a_freeze_are_counted(
    changed: Make, submit: Submit, own: Path
) -> None:
    challenge = changed("warn")
    submit(challenge, "borea")
    single.score_waiting()
    froze(challenge)
    gives(own, 5.0)
    submit(challenge, "cirrus")
    single.score_waiting()
    assert len(code_state(challenge).editions) == 3
    assert public_view()[1]["editions"] == 2


def test_a_rescore_behind_a_freeze_tells_of_its_edition(
    changed: Make, submit: Submit, own: Path
) -> None:
    """All scores have the new code then, also those from before the freeze."""
    challenge = changed("warn")
    submit(challenge, "borea")
    single.score_waiting()
    froze(challenge)
    assert public_view()[1]["editions"] == 2
    decide(challenge, "rescore")
    finish(challenge)
    assert public_view()[1]["editions"] == 1
    gives(own, 5.0)
    submit(challenge, "cirrus")
    single.score_waiting()
    assert public_view()[1]["editions"] == 1
    challenge.refresh_from_db()
    assert len(code_state(challenge).editions) == 2


def test_history_held_from_before_and_after_a_freeze_is_told(changed: Make, alice: User) -> None:
    """A batch of history may have both; the board counts those from before the freeze."""
    challenge = changed("hold")
    froze(challenge)
    before = public_view()
    now = timezone.now()
    moments = [now, *(now - DAY / 3 for _ in range(3))]
    news = [NewAttempt("borea", {"succeeded": True}, submitted_at=at) for at in moments]
    submit_many(challenge=challenge, user=alice, news=news, organiser=True)
    single.score_waiting()
    assert held_at(challenge) == 4
    held = public_view()
    assert held[1]["held"] == 3
    assert held[0] != before[0]
