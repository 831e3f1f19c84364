"""Submitting by a form."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from leaderboard.models import Attempt, Challenge, User
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.competition.participants.disqualification import disqualify
from leaderboard.services.competition.participants.registration import register
from leaderboard.services.competition.participants.registration_decisions import decide
from leaderboard.services.competition.participants.registration_rules import declare_rules
from leaderboard.services.imports.examples import example_of
from tests.helpers.phases import set_phase
from tests.pages.conftest import Make, Submit
from tests.pages.reading import get, words

pytestmark = pytest.mark.django_db

PATH = "/c/sprint/submit/"
RANKABLE = {"participant": "atlas", "succeeded": "yes", "elapsed_ms": "1500"}


def test_the_form_needs_a_signed_in_user(client: Client, sprint: Challenge) -> None:
    response = client.get(PATH)
    assert response.status_code == 302
    assert response.headers["Location"] == f"/sign-in/?next={PATH}"


def test_the_form_saves_an_attempt_and_opens_it(
    as_ben: Client, sprint: Challenge, ben: User
) -> None:
    given = {"participant": " Atlas ", "succeeded": "yes", "elapsed_ms": "1500", "rating": "7.5"}
    response = as_ben.post(PATH, given)
    attempt = Attempt.objects.get()
    assert response.headers["Location"] == f"/attempts/{attempt.pk}/"
    assert attempt.submitted_by == ben
    assert attempt.participant.handle == "Atlas"
    facts = {name: value for name, value in attempt.metrics().items() if value is not None}
    assert facts == {"succeeded": True, "elapsed_ms": 1500, "rating": 7.5}


def test_a_client_that_has_to_wait_is_told_so(
    as_ben: Client, make: Make, sprint: Challenge, settings: Any
) -> None:
    settings.MAX_WAITING = 1
    make("Solve", "metric", metrics=["pass_rate"], rank_by=[{"key": "pass_rate"}])
    failing, passing = (
        {"participant": "boreas", "evidence": f'{{"task_rewards": {{"lock": [{reward}]}}}}'}
        for reward in (0, 1)
    )
    for path, first, second in (
        (PATH, RANKABLE, RANKABLE),
        ("/c/solve/submit/", failing, passing),
    ):
        assert as_ben.post(path, first).status_code == 302
        response = as_ben.post(path, second)
        assert (response.status_code, response["Retry-After"]) == (429, "60")
        assert "1 attempts of a participant" in words(response.content.decode())


def test_the_form_accepts_reported_values(as_ben: Client, sprint: Challenge) -> None:
    given = {**RANKABLE, "values": '{"solved": 9, "penalty": 0.5}'}
    as_ben.post(PATH, given)
    assert Attempt.objects.get().values == {"solved": 9.0, "penalty": 0.5}


def test_success_is_optional_if_the_board_does_not_need_it(as_ben: Client, make: Make) -> None:
    make("Cheapest", "metric", rank_by=[{"key": "cost_usd", "direction": "asc"}])
    for choice, succeeded in [("", None), ("no", False), ("yes", True)]:
        given = {"participant": f"p{choice}", "cost_usd": "0.5", "succeeded": choice}
        response = as_ben.post("/c/cheapest/submit/", given)
        attempt = Attempt.objects.get(participant__handle=f"p{choice}")
        assert response.headers["Location"] == f"/attempts/{attempt.pk}/"
        assert attempt.fact("succeeded") is succeeded


def test_errors_are_shown_beside_the_field(as_ben: Client, sprint: Challenge) -> None:
    for field, value, message in (
        ("participant", "", "got nothing"),
        ("elapsed_ms", "-1", "at least 0; got &quot;-1&quot;"),
        ("elapsed_ms", "1.5", "got &quot;1.5&quot;"),
        ("rating", "11", "at most 10; got &quot;11&quot;"),
        ("rating", "nan", "a number; got &quot;nan&quot;"),
        ("cost_usd", "inf", "a number; got &quot;inf&quot;"),
        ("participant", "a\u202eb", "invisible"),
        ("values", "{", "JSON; got a syntax error"),
        ("values", "[1]", "an object"),
        ("values", '{"solved": true}', "solved: must be a number; got true"),
        ("values", '{"solved": 1, "solved": 2}', "solved"),
        ("values", '{"rating": 9}', "under metrics"),
    ):
        response = as_ben.post(PATH, {**RANKABLE, field: value})
        assert response.status_code == 422, value
        text = response.content.decode()
        assert message in text, value
        assert f'id="id_{field}_error"' in text, value
    assert not Attempt.objects.exists()


def test_a_name_belongs_to_its_first_user(
    as_zoe: Client, as_ann: Client, sprint: Challenge, submit: Submit
) -> None:
    submit(sprint, "atlas", elapsed_ms=1)
    response = as_zoe.post(PATH, {**RANKABLE, "participant": "ATLAS"})
    assert response.status_code == 422
    assert 'id="id_participant_error"' in response.content.decode()
    assert as_ann.post(PATH, {**RANKABLE, "participant": "ATLAS"}).status_code == 302


def test_a_closed_challenge_accepts_no_attempts(
    as_ben: Client, sprint: Challenge, ann: User
) -> None:
    change_challenge(sprint, user=ann, fields={"is_active": False})
    assert 'name="participant"' not in get(as_ben, PATH)
    assert as_ben.post(PATH, {"participant": "atlas"}).status_code == 422
    assert not Attempt.objects.exists()


def test_the_form_asks_for_the_phase_where_several_are_open(
    sprint: Challenge, as_ben: Client
) -> None:
    assert 'name="phase"' not in get(as_ben, "/c/sprint/submit/")
    sprint.phases.create(slug="side", name="Side track", position=1, overlaps=True, total=2)
    page = get(as_ben, "/c/sprint/submit/")
    assert page.count('name="phase"') == 2  # by hand, and by file
    assert "Side track" in words(page)
    assert example_of(sprint)["phase"] == "main"
    unnamed = {"participant": "atlas", "succeeded": "yes", "elapsed_ms": "5"}
    assert as_ben.post("/c/sprint/submit/", unnamed).status_code == 422
    sent = {**unnamed, "phase": "side"}
    assert as_ben.post("/c/sprint/submit/", sent).status_code == 302
    assert sprint.attempts.filter(phase__slug="side").exists()
    sprint.phases.filter(slug="side").update(closes_at=timezone.now() - timedelta(hours=1))
    assert as_ben.post("/c/sprint/submit/", sent).status_code == 422, "not in another phase"
    assert sprint.attempts.count() == 1


def test_a_deadline_stands_in_the_zone_of_the_phase_and_in_utc(
    sprint: Challenge, as_ben: Client
) -> None:
    set_phase(sprint, time_zone="America/Sao_Paulo", closes_at="2100-12-15T23:59")
    for path in ("submit/", ""):
        page = get(as_ben, f"/c/sprint/{path}")
        assert "15 Dec 2100, 23:59 America/Sao_Paulo (16 Dec 2100, 02:59 UTC)" in words(page), path
        assert 'data-zone="America/Sao_Paulo"' in page


@pytest.mark.usefixtures("contexts")
def test_the_page_says_what_stands_in_the_way(
    sprint: Challenge, ann: User, ben: User, as_ben: Client
) -> None:
    def explanation() -> str:
        obstacle = as_ben.get("/c/sprint/submit/").context["obstacle"]
        return f"{obstacle.why} {obstacle.reason}" if obstacle else ""

    assert explanation() == ""
    terms = {"terms": "Be fair.", "largest_team": 3}
    declare_rules(sprint, {"mode": "approval", **terms})
    assert "not registered" in explanation()
    mine = register(sprint, ben, {"participant": "Atlas", "accepts_terms": 1})
    assert "not accepted" in explanation()
    decide(mine, by=ann, fields={"status": "declined", "reason": "Use your own data."})
    assert "declined. Use your own data." in explanation()
    decide(mine, by=ann, fields={"status": "accepted"})
    assert explanation() == ""
    declare_rules(sprint, {"mode": "approval", "terms": "Be kind.", "largest_team": 3})
    assert "terms have changed" in explanation()
    declare_rules(sprint, {"mode": "approval", "smallest_team": 2, "largest_team": 3})
    assert "at least 2 members" in explanation()
    disqualify(mine, {"reason": "It read the answers."}, by=ann)
    assert "disqualified in this challenge. It read the answers." in explanation()
