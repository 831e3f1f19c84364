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


def test_a_sample_attempt_fills_the_checklist_of_a_draft(
    plan: Challenge, as_ann: Client, as_ben: Client, make: Make, notifications: object
) -> None:
    assert "data-hx-get" not in get(as_ann, MANAGE)
    assert as_ben.post(SAMPLE).status_code == 404
    assert as_ann.get(SAMPLE).status_code == 405
    answer = as_ann.post(SAMPLE)
    assert answer["Location"] == f"{MANAGE}#checklist"
    assert f'data-hx-get="{MANAGE}"' in get(as_ann, MANAGE)
    sample = Attempt.objects.get()
    assert score_attempt(sample.pk)
    page = get(as_ann, MANAGE)
    assert "data-hx-get" not in page
    assert "rank 1" in words(page)
    assert f'href="/attempts/{sample.pk}/"' in page
    for address in ("/c/plan/", "/c/plan/people/", "/account/"):
        assert "Sample attempt" not in words(get(as_ann, address)), address
    make("Open")
    assert "checklist" not in get(as_ann, "/c/open/manage/")
    as_ann.post("/c/open/manage/sample/")
    assert Attempt.objects.count() == 1


def test_a_draft_with_missing_points_is_not_published(
    plan: Challenge, ann: User, as_ann: Client
) -> None:
    change_challenge(plan, user=ann, fields={"phases": [{"slug": "main", **PAST}]})
    page = as_ann.post(PUBLISH, follow=True).content.decode()
    assert "last phase" in words(page)
    plan.refresh_from_db()
    assert plan.is_draft


def test_organisers_publish_a_draft_once(
    plan: Challenge, ann: User, as_ann: Client, client: Client
) -> None:
    assert f'action="{PUBLISH}"' in get(as_ann, "/c/plan/manage/")
    page = as_ann.post(PUBLISH, follow=True).content.decode()
    assert PUBLISH not in page
    assert "Draft" not in words(get(client, "/c/plan/"))
    assert AuditEntry.objects.get(kind="challenge").actor == ann
    assert as_ann.post(PUBLISH).status_code == 302
    assert AuditEntry.objects.count() == 1
