"""Organisers publish a draft in a browser."""

from __future__ import annotations

import pytest
from django.test import Client

from leaderboard.models import Attempt, AuditEntry, Challenge, User
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.scoring.single import score_attempt
from tests.pages.conftest import Make
from tests.pages.reading import get, words

pytestmark = pytest.mark.django_db
PAGES = ["", "rules/", "submit/", "announcements/", "manage/"]
MANAGE = "/c/plan/manage/"
PUBLISH = "/c/plan/manage/publish/"
SAMPLE = "/c/plan/manage/sample/"
PAST = {"opens_at": "2020-01-01T00:00:00Z", "closes_at": "2020-02-01T00:00:00Z"}


@pytest.fixture
def plan(make: Make) -> Challenge:
    return make("Plan", is_draft=True)


def test_only_organisers_open_a_draft(
    plan: Challenge, client: Client, as_ann: Client, as_ben: Client
) -> None:
    for page in PAGES:
        path = f"/c/plan/{page}"
        assert as_ben.get(path).status_code == 404
        assert client.get(path).status_code == client.get(f"/c/nothing/{page}").status_code
        assert "Draft" in words(get(as_ann, path))
    assert "noindex" in get(as_ann, "/c/plan/")
    assert "Plan Draft" in words(get(as_ann, "/"))
    for reader in (client, as_ben):
        assert "Plan" not in words(get(reader, "/"))
    assert as_ben.post(PUBLISH).status_code == 404
    plan.refresh_from_db()
    assert plan.is_draft


def test_the_checklist_of_a_draft(
    plan: Challenge, as_ann: Client, as_ben: Client, make: Make, notifications: object
) -> None:
    page = get(as_ann, MANAGE)
    assert "No sample attempt has been scored and ranked yet." in words(page)
    assert "There is no description" in words(page)
    assert "data-hx-get" not in page
    assert as_ben.post(SAMPLE).status_code == 404
    assert as_ann.get(SAMPLE).status_code == 405
    answer = as_ann.post(SAMPLE)
    assert answer["Location"] == f"{MANAGE}#checklist"
    page = get(as_ann, MANAGE)
    assert f'data-hx-get="{MANAGE}"' in page
    assert "The sample attempt waits for its score." in words(page)
    sample = Attempt.objects.get()
    assert score_attempt(sample.pk)
    page = get(as_ann, MANAGE)
    assert "data-hx-get" not in page
    assert "The sample attempt was scored and has rank 1." in words(page)
    assert "The board with the sample attempt" in page
    assert f'href="/attempts/{sample.pk}/"' in page
    board = words(get(as_ann, "/c/plan/"))
    assert "Sample attempt" not in board
    assert "1 participant" not in board
    assert "Sample attempt" not in words(get(as_ann, "/c/plan/people/"))
    assert "Sample attempt" not in words(get(as_ann, "/account/"))
    make("Open")
    assert "checklist" not in get(as_ann, "/c/open/manage/")
    as_ann.post("/c/open/manage/sample/")
    assert "Only a draft has a sample attempt." in words(get(as_ann, "/c/open/manage/"))


def test_missing_points_stop_it(plan: Challenge, ann: User, as_ann: Client) -> None:
    change_challenge(plan, user=ann, fields={"phases": [{"slug": "main", **PAST}]})
    page = as_ann.post(PUBLISH, follow=True).content.decode()
    assert "The draft cannot be published yet. The last phase is over" in words(page)
    plan.refresh_from_db()
    assert plan.is_draft


def test_publishing_it(plan: Challenge, ann: User, as_ann: Client, client: Client) -> None:
    assert f'action="{PUBLISH}"' in get(as_ann, "/c/plan/manage/")
    page = as_ann.post(PUBLISH, follow=True).content.decode()
    assert "The challenge is published." in page
    assert PUBLISH not in page
    assert "Draft" not in words(get(client, "/c/plan/"))
    assert AuditEntry.objects.get(kind="challenge").actor == ann
    assert "published already" in as_ann.post(PUBLISH, follow=True).content.decode()
