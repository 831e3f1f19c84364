"""Pages show phases with their dates and limits, their changes, and what is left."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from leaderboard.models import Phase, User
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.scoring.single import score_attempt
from tests.helpers.attempts import attempt_of
from tests.pages.conftest import Make
from tests.pages.reading import get, words

pytestmark = pytest.mark.django_db

FINAL = {
    "slug": "final",
    "name": "Final",
    "time_zone": "Etc/GMT+12",
    "opens_at": "2026-03-02T00:00",
    "closes_at": "2026-03-09T00:00",
    "per_day": 1,
    "total": 3,
    "count_failed": False,
}


def test_the_rules_show_phases_and_their_changes(client: Client, make: Make, ann: User) -> None:
    sprint = make("Sprint")
    assert "no phases" in words(get(client, "/c/sprint/rules/"))
    change_challenge(sprint, user=ann, fields={"is_active": False})
    assert "no phases" not in words(get(client, "/c/sprint/rules/"))
    change_challenge(sprint, user=ann, fields={"is_active": True, "phases": [FINAL]})
    text = words(get(client, "/c/sprint/rules/"))
    for part in (
        "2 Mar 2026, 00:00 anywhere on Earth – 9 Mar 2026, 00:00",
        "1 attempt of a participant a day",
        "3 attempts of a participant",
        "fail do not count",
    ):
        assert part in text
    assert "no phases" not in text
    later = {**FINAL, "closes_at": "2026-03-10T00:00"}
    change_challenge(sprint, user=ann, fields={"phases": [later]})
    text = words(get(client, "/c/sprint/rules/"))
    assert "Closes: 9 Mar 2026, 12:00 UTC → 10 Mar 2026, 12:00 UTC" in text
    assert "Final From" in words(get(client, "/c/sprint/"))


def test_the_form_shows_what_is_left(as_ben: Client, make: Make, ben: User) -> None:
    sprint = make("Sprint", phases=[{"total": 3}])
    attempt_of(ben, sprint, "atlas")
    text = words(get(as_ben, "/c/sprint/submit/"))
    assert "2 of 3" in text


def test_the_form_says_when_a_phase_has_ended(as_ben: Client, make: Make) -> None:
    make("Sprint", phases=[FINAL])
    Phase.objects.update(closes_at="2026-03-09T12:00:00Z")
    answer = as_ben.post(
        "/c/sprint/submit/", {"participant": "atlas", "succeeded": "yes", "elapsed_ms": "1"}
    )
    assert answer.status_code == 422
    assert "since 2026-03-09T12:00:00Z" in words(answer.content.decode())


def test_a_challenge_is_open_while_a_phase_is(client: Client, make: Make) -> None:
    """Also for readers who have the page from before its end."""
    challenge = make("Sprint")
    before = client.get("/c/sprint/")
    assert "Sprint Open" in words(before.content.decode())
    past = timezone.now() - timedelta(seconds=1)
    Phase.objects.filter(challenge=challenge).update(closes_at=past)
    answer = client.get("/c/sprint/", headers={"If-None-Match": before.headers["ETag"]})
    assert answer.status_code == 200
    assert "Sprint Closed" in words(answer.content.decode())
    assert "Sprint Closed" in words(get(client, "/c/sprint/rules/"))


def test_files_are_those_of_the_shown_phase(client: Client, make: Make, ben: User) -> None:
    phases = [
        {"slug": "one", "closes_at": "2020-01-02T00:00:00Z"},
        {"slug": "two", "opens_at": "2020-01-02T00:00:00Z"},
    ]
    challenge = make("Sprint", phases=phases)
    attempt = attempt_of(ben, challenge, "atlas", metrics={"succeeded": True, "elapsed_ms": 5})
    assert score_attempt(attempt.pk)
    html = get(client, "/c/sprint/?phase=two")
    for ending in (".csv?phase=two", ".csv?for=excel&amp;phase=two", ".json?phase=two"):
        assert f'href="/api/v1/challenges/sprint/leaderboard{ending}&amp;columns=' in html


def test_a_frozen_board_says_so(client: Client, make: Make) -> None:
    moments = {"freezes_at": "2020-01-02T00:00:00Z", "closes_at": "2120-01-02T00:00:00Z"}
    make("Frost", phases=[{"slug": "main", **moments}])
    make("Sun")
    for path, is_frozen in (("/c/frost/", True), ("/c/sun/", False), ("/c/frost/rules/", True)):
        assert ('class="state frozen"' in get(client, path)) == is_frozen, path
    assert get(client, "/").count('class="state frozen"') == 1
