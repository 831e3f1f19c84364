"""A board that lists the best row of each family, and gives medals."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from leaderboard.models import Attempt, Challenge, Phase, User
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.scoring.single import score_waiting
from tests.helpers.attempts import attempt_of
from tests.helpers.phases import set_phase
from tests.pages.board.test_page import names, ranks
from tests.pages.conftest import Make
from tests.pages.reading import get, words

pytestmark = pytest.mark.django_db
FIRS = [("fir low", 200), ("fir high", 100), ("fir <b>", 300)]


@pytest.fixture
def sprint(make: Make, ben: User) -> Challenge:
    challenge = make("Sprint", folds_families=True)
    for name, elapsed in [*FIRS, ("oak", 200), ("elm", 150)]:
        meta = {"family": "Fir & co"} if (name, elapsed) in FIRS else {}
        facts = {"succeeded": True, "elapsed_ms": elapsed}
        attempt_of(ben, challenge, name, metrics=facts, meta=meta)
    score_waiting()
    return challenge


def test_the_best_row_of_a_family_opens(client: Client, sprint: Challenge) -> None:
    html = get(client, "/c/sprint/")
    assert (names(html)[0], ranks(html)) == ("fir high", ["1", "2", "3"])
    inside = html[html.index('<details class="family">') :].partition("</details>")[0]
    assert "+ 2 variants" in words(inside)
    assert "fir &lt;b&gt;" in inside
    link = re.findall(r'<a href="(/c/sprint/\?family=[^"]*)"', inside)
    family = get(client, *link)
    assert names(family) == ["fir high", "fir low", "fir &lt;b&gt;"]

    every = get(client, "/c/sprint/?families=all")
    assert ranks(every) == ["1", "2", "3=", "3=", "5"]
    assert 'class="family"' not in every
    assert client.get("/c/sprint/?families=some").status_code == 404


def test_readers_who_may_not_see_meta_get_all_rows(client: Client, sprint: Challenge) -> None:
    set_phase(sprint, notes="own")
    assert ranks(get(client, "/c/sprint/")) == ["1", "2", "3=", "3=", "5"]
    assert client.get("/c/sprint/?families=best").status_code == 404


def test_medals_come_when_the_phase_has_closed(client: Client, sprint: Challenge) -> None:
    Challenge.objects.filter(pk=sprint.pk).update(medals="first_three")
    assert 'class="tag medal' not in get(client, "/c/sprint/?families=all")
    Phase.objects.filter(challenge=sprint).update(closes_at=timezone.now() - timedelta(hours=1))
    html = get(client, "/c/sprint/?families=all")
    assert re.findall(r'class="tag medal (\w+)"', html) == ["gold", "silver", "bronze", "bronze"]


def test_the_form_asks_for_what_is_declared(as_ben: Client, sprint: Challenge, ann: User) -> None:
    openness = {"name": "openness", "type": "choice", "choices": ["open", "closed"]}
    change_challenge(sprint, user=ann, fields={"meta_fields": [openness]})
    facts = {"participant": "ash", "succeeded": "yes", "elapsed_ms": "9"}
    answers = {"meta.family": "Ash", "meta.openness": "open", "meta.openness.words": "Apache"}
    assert as_ben.post("/c/sprint/submit/", facts | answers).status_code == 302
    attempt = Attempt.objects.get(participant__handle="ash")
    assert attempt.meta == {"family": "Ash", "openness": "open: Apache"}
    wrong = as_ben.post("/c/sprint/submit/", facts | {"meta.openness": "half"})
    assert wrong.status_code == 422
    score_waiting()
    assert names(get(as_ben, "/c/sprint/?openness=open")) == ["ash"]
    assert names(get(as_ben, "/c/sprint/?openness=closed")) == []


def test_a_folded_board_costs_a_few_statements_more(client: Client, sprint: Challenge) -> None:
    counts = {}
    for families in ("all", "best"):
        with CaptureQueriesContext(connection) as queries:
            get(client, f"/c/sprint/?families={families}&sort=elapsed_ms")
        counts[families] = len(queries)
    assert counts["best"] <= counts["all"] + 5
