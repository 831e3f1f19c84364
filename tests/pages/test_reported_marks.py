"""Numbers that participants report say so where they stand, without a pointer."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from leaderboard.models import Attempt, Challenge, User
from leaderboard.services.scoring.single import score_waiting
from tests.helpers.attempts import attempt_of
from tests.pages.conftest import Make, Submit
from tests.pages.reading import get, words

pytestmark = pytest.mark.django_db


@pytest.fixture
def sprint(make: Make, submit: Submit) -> Challenge:
    """A board whose only ranked number is what participants typed."""
    sprint = make("Sprint", is_embeddable=True)
    submit(sprint, "atlas", elapsed_ms=900, rating=9)
    submit(sprint, "bolt", elapsed_ms=100)
    return sprint


def test_facts_are_marked_on_every_page(client: Client, sprint: Challenge) -> None:
    attempt = Attempt.objects.get(participant__slug="atlas")
    for path in (
        "/",
        "/c/sprint/",
        "/c/sprint/p/atlas/",
        f"/attempts/{attempt.pk}/",
        "/c/sprint/compare/?p=atlas,bolt",
        "/c/sprint/progress/",
        "/embed/c/sprint/",
        "/c/sprint/p/atlas/badge.svg",
        "/c/sprint/feed.atom",
    ):
        html = get(client, path)
        without_tooltips = re.sub(r"\s(?:title|data-label)=\"[^\"]*\"", "", html)
        assert re.search(r"Time[^.]{0,40}reported", words(without_tooltips)), path


def test_the_rating_is_not_said_to_be_of_a_judge(client: Client, sprint: Challenge) -> None:
    assert "judge" not in get(client, "/c/sprint/")


def test_a_metric_that_is_only_reported_is_marked_beside_its_value(
    client: Client, make: Make, ben: User
) -> None:
    challenge = make(
        "Cup",
        "metric",
        metrics=[{"type": "mean", "reported": "rank"}],
        rank_by=[{"key": "mean"}],
        is_embeddable=True,
    )
    attempt_of(ben, challenge, "atlas", values={"mean": 0.9})
    score_waiting()
    for path in ("/", "/c/cup/", "/c/cup/p/atlas/", "/embed/c/cup/", "/c/cup/p/atlas/badge.svg"):
        assert re.search(r"0\.900?\W+reported", words(get(client, path))), path
