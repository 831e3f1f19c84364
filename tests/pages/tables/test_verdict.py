"""The verdict of a board in words, rank intervals beside ranks, and drawn intervals."""

from __future__ import annotations

import gzip
import random
import re
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from leaderboard.languages.translation import moment_text
from leaderboard.models import Attempt, Challenge, User
from leaderboard.rules.rewards.evidence import Sample
from leaderboard.services.board.certainty import board_parts
from leaderboard.services.board.certainty.computing import look_after_certainty
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.scoring.single import score_attempt
from leaderboard.services.scoring.sweeper import sweep
from tests.helpers.attempts import attempt_of, score_all
from tests.helpers.phases import set_phase
from tests.pages.conftest import Make, Submit
from tests.pages.reading import get, words
from tests.people import signed_in

pytestmark = pytest.mark.django_db

Bring = Callable[[str, Sequence[float | None]], Attempt]

FIRST = [1.0] * 75 + [0.0] * 25
SECOND = [1.0] * 60 + [0.0] * 15 + [1.0] * 5 + [0.0] * 20
PENDING = "The certainty of this order is being computed."


@pytest.fixture
def cup(make: Make) -> Challenge:
    return make("Cup", "metric", metrics=["mean_reward"], rank_by=[{"key": "mean_reward"}])


@pytest.fixture
def bring(cup: Challenge, ben: User) -> Bring:
    """Submit and score: `bring("atlas", [1.0, 0.0])`, a reward for each task."""

    def brought(name: str, rewards: Sequence[float | None]) -> Attempt:
        tasks = enumerate(rewards)
        samples = [
            Sample(f"t{at:03}", 0, {"r": reward}) for at, reward in tasks if reward is not None
        ]
        attempt = attempt_of(ben, cup, name, samples=samples)
        assert score_attempt(attempt.pk)
        return attempt

    return brought


def verdict(html: str) -> str:
    parts = re.findall(r'<p class="(?:headline|remarks)">(.*?)</p>', html, re.S)
    return words(re.sub(r"</?(strong|bdi)>", "", " ".join(parts)))


def ranges(html: str) -> list[str]:
    return re.findall(r'class="ranks" title="([^"]*)"', html)


def test_the_verdict_names_a_clear_lead_and_its_interval(client: Client, bring: Bring) -> None:
    """The numbers that were checked elsewhere, from the evidence to the page."""
    bring("atlas", FIRST)
    bring("borea", SECOND)
    assert PENDING in words(get(client, "/c/cup/"))
    look_after_certainty()
    html = get(client, "/c/cup/")
    assert verdict(html) == (
        "atlas leads with 0.750 (95%: 0.651 to 0.849, 100 tasks)."
        " The lead is clear: 0.100 before borea (95%: 0.013 to 0.187)."
        " Differences below about 0.100 cannot be shown with these 100 tasks."
    )
    assert ranges(html) == ["rank 1 with 95% confidence", "rank 2 with 95% confidence"]
    assert PENDING not in html


def test_the_verdict_names_entries_that_cannot_be_told_apart(client: Client, bring: Bring) -> None:
    for at, name in enumerate(("atlas", "borea", "ceres", "delos")):
        bring(name, FIRST[at:])
    bring("short", [1.0] * 3 + [0.0] * 4)
    look_after_certainty()
    html = get(client, "/c/cup/?intervals=1")
    assert "borea, ceres and 2 others cannot be told apart from it." in verdict(html)
    assert "Entries are compared on the tasks that both have, at least 7 tasks." in verdict(html)
    assert ranges(html)[-1] == "no rank interval: fewer than 8 tasks"
    assert html.count(">no rank interval: fewer than 8 tasks</small>") == 1


def test_scores_without_samples_have_no_certainty(
    client: Client, make: Make, submit: Submit
) -> None:
    challenge = make("Sprint")
    submit(challenge, "atlas", elapsed_ms=100)
    submit(challenge, "borea", elapsed_ms=150)
    look_after_certainty()
    html = get(client, "/c/sprint/")
    assert verdict(html) == (
        "atlas leads with 100 ms, 50 ms before borea."
        " A value that is a mean over tasks or instances would show how certain this order is."
    )
    assert 'class="interval"' not in html


def test_names_are_escaped_and_set_off(client: Client, bring: Bring) -> None:
    bring("<b>atlas</b>", FIRST)
    look_after_certainty()
    html = get(client, "/c/cup/")
    assert "<strong><bdi>&lt;b&gt;atlas&lt;/b&gt;</bdi></strong> is the only" in html


def test_the_verdict_names_entries_of_other_pages_but_not_of_an_older_board(
    client: Client, bring: Bring
) -> None:
    bring("atlas", FIRST)
    bring("borea", SECOND)
    first = client.get("/c/cup/")
    tag = {"If-None-Match": first["ETag"]}
    assert client.get("/c/cup/", headers=tag).status_code == 304
    look_after_certainty()
    again = client.get("/c/cup/", headers=tag)
    assert again.status_code == 200
    assert verdict(again.content.decode())
    html = get(client, "/c/cup/?q=borea")
    assert "atlas leads with 0.750" in verdict(html)
    assert ranges(html) == ["rank 2 with 95% confidence"]
    bring("ceres", FIRST)
    html = get(client, "/c/cup/")
    assert PENDING in html
    assert verdict(html) == ""
    assert ranges(html) == []


def test_larger_boards_say_how_many_rows_are_compared(
    client: Client, bring: Bring, monkeypatch: pytest.MonkeyPatch
) -> None:
    for at, name in enumerate(("atlas", "borea", "ceres")):
        bring(name, FIRST[at:])
    monkeypatch.setattr(board_parts, "MOST_NUMBERS", 200)
    look_after_certainty()
    html = get(client, "/c/cup/")
    assert "Only the first 2 rows are compared." in verdict(html)
    assert ranges(html)[-1] == "no rank interval: not compared"


def test_the_verdict_is_hidden_where_scores_are_not_exact(
    client: Client, cup: Challenge, ann: User, bring: Bring
) -> None:
    bring("atlas", FIRST)
    bring("borea", SECOND)
    hidden: list[dict[str, Any]] = [
        {"decimals": 1},
        {"board": "organisers"},
        {"board": "own"},
        {"scores_delayed": True, "closes_at": "2126-01-01T00:00Z"},
    ]
    for fields in hidden:
        set_phase(cup, **fields)
        sweep()
        html = get(client, "/c/cup/")
        assert verdict(html) == "", fields
        assert PENDING not in html, fields
        assert ranges(html) == [], fields
        assert 'class="interval"' not in html, fields
        whole = get(signed_in(ann), "/c/cup/")
        assert verdict(whole).startswith("atlas leads"), fields


def test_rows_over_too_few_tasks_take_no_part(
    client: Client, cup: Challenge, ann: User, bring: Bring
) -> None:
    change_challenge(cup, user=ann, fields={"tasks": [{"name": f"t{at:03}"} for at in range(100)]})
    bring("atlas", FIRST)
    bring("borea", SECOND)
    bring("short", [1.0] * 40)
    set_phase(cup, least_coverage=0.5)
    sweep()
    html = get(client, "/c/cup/")
    assert "The lead is clear: 0.100 before borea" in verdict(html)
    assert len(ranges(html)) == 2


def test_hidden_names_are_aliases(client: Client, cup: Challenge, bring: Bring) -> None:
    bring("atlas", FIRST)
    bring("borea", SECOND)
    set_phase(cup, names="anonymous")
    look_after_certainty()
    sentence = verdict(get(client, "/c/cup/"))
    assert re.search(r"Anonymous \w+ leads with 0.750", sentence)
    assert "atlas" not in sentence
    assert "borea" not in sentence


def test_the_board_takes_six_queries(client: Client, bring: Bring) -> None:
    bring("atlas", FIRST)
    bring("borea", SECOND)
    look_after_certainty()
    get(client, "/c/cup/")
    with CaptureQueriesContext(connection) as queries:
        assert verdict(get(client, "/c/cup/?rows=usual"))
    assert len(queries) <= 6
    cache.clear()
    with CaptureQueriesContext(connection) as queries:
        get(client, "/c/cup/")
    assert len(queries) <= 7, "one more counts the rows, once per version"


def test_a_large_board_is_a_small_page(client: Client, make: Make, ben: User) -> None:
    """A hundred rows of twelve columns, compressed: at most 45 kB."""
    names = [f"metric-{at}" for at in range(11)]
    metrics = [{"type": "mean_reward", "name": name, "reward": name} for name in names]
    wide = make("Wide", "metric", metrics=metrics, rank_by=[{"key": names[0]}])
    dice = random.Random(1)
    for at in range(100):
        samples = [
            Sample(f"t{task}", 0, {name: dice.random() for name in names}) for task in range(10)
        ]
        attempt_of(ben, wide, f"entry-{at}-{dice.random()}", samples=samples)
    score_all()
    look_after_certainty()
    html = get(client, "/c/wide/?rows=all")
    assert html.count('class="interval"') == html.count('class="ranks"') == 100
    assert len(gzip.compress(html.encode())) < 45_000


def test_the_verdict_names_the_first_one_where_times_rank(
    client: Client, make: Make, submit: Submit
) -> None:
    race = make("Race", "first")
    submit(race, "atlas", succeeded=True)
    assert verdict(get(client, "/c/race/")) == ("atlas is the only ranked entry.")
    submit(race, "borea", succeeded=True)
    start = Attempt.objects.get(participant__slug="atlas").submitted_at
    late = start + timedelta(days=5)
    Attempt.objects.filter(participant__slug="borea").update(submitted_at=late)
    call_command("rebuild_standings", "race")
    assert verdict(get(client, "/c/race/")) == (
        f"atlas was the first, on {moment_text(start)} UTC; borea followed 5 days later."
    )
