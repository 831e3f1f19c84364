"""The rules of a challenge, in words."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from leaderboard.models import Challenge, User
from leaderboard.services.challenges import change_challenge
from leaderboard.services.rescoring import start_rescore
from tests.pages.conftest import Make, Submit
from tests.pages.reading import get, words

pytestmark = pytest.mark.django_db

TWO_KEYS = [{"key": "rating", "direction": "desc"}, {"key": "cost_usd", "direction": "asc"}]


@pytest.mark.parametrize(
    ("strategy", "fields", "sentences"),
    [
        ("first", {}, ["The earliest successful attempt wins."]),
        ("fastest", {}, ["The fastest successful attempt wins.", "Only successful attempts"]),
        ("fewest_tokens", {}, ["The successful attempt that used the fewest tokens wins."]),
        ("highest_rating", {}, ["The successful attempt with the highest rating wins."]),
        ("fastest", {"counting": "best"}, ["The best attempt of a participant counts"]),
        ("fastest", {"counting": "latest"}, ["The latest attempt of a participant counts"]),
        (
            "metric",
            {"rank_by": TWO_KEYS},
            [
                "Attempts are ranked by Rating (highest first), then Cost (lowest first).",
                "Every attempt with a value for Rating is ranked.",
            ],
        ),
    ],
)
def test_says_who_wins(
    client: Client, make: Make, strategy: str, fields: dict[str, Any], sentences: list[str]
) -> None:
    make("Sprint", strategy, **fields)
    text = words(get(client, "/c/sprint/rules/"))
    for sentence in sentences:
        assert sentence in text
    assert "Equal values share a rank" in text


def test_describes_the_scorer_and_its_config(client: Client, weighted: Challenge) -> None:
    text = words(get(client, "/c/prompt-escape/rules/"))
    assert "The attempt with the highest score wins." in text
    assert "scorers.weighted:WeightedScorer" in text
    assert "Success bonus + rating × weight" in text
    assert "success_bonus 100 100 Points for an attempt that succeeded (at least 0)" in text
    assert "rating_weight 15 10 Points for each point of the rating" in text
    assert "The scorer has 5 seconds for each attempt." in text


def test_shows_what_each_version_changed(
    client: Client, weighted: Challenge, submit: Submit, ann: User
) -> None:
    submit(weighted, "atlas", rating=1)
    fields = {"timeout_ms": 1000, "scoring_config": {"rating_weight": 20.0, "time_penalty": 0.5}}
    change_challenge(weighted, user=ann, fields=fields)
    text = words(get(client, "/c/prompt-escape/rules/"))
    assert "Version 2 " in text
    assert (
        "time limit (ms): 5000 → 1000 rating_weight: 15 → 20 token_penalty: 0.02 → default" in text
    )
    assert "Version 1 shown" in text
    assert "First version" in text


def test_says_when_a_version_changed_nothing(client: Client, make: Make, submit: Submit) -> None:
    sprint = make("Sprint")
    submit(sprint, "atlas", elapsed_ms=1)
    start_rescore(sprint)
    assert "Scored again, nothing changed" in words(get(client, "/c/sprint/rules/"))


def test_shows_what_the_organiser_wrote(client: Client, make: Make) -> None:
    make("Sprint", description="# Given\n\n**Ten** questions", goal="All <u>right</u>")
    html = get(client, "/c/sprint/rules/")
    assert "<h3>Given</h3>" in html
    assert "<strong>Ten</strong> questions" in html
    assert "All &lt;u&gt;right&lt;/u&gt;" in html
