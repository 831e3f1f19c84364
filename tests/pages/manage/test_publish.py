"""Organisers publish a draft in a browser."""

from __future__ import annotations

import pytest
from django.test import Client

from leaderboard.models import AuditEntry, Challenge, User
from tests.pages.conftest import Make
from tests.pages.reading import get, words

pytestmark = pytest.mark.django_db
PAGES = ["", "rules/", "submit/", "announcements/", "manage/"]
PUBLISH = "/c/plan/manage/publish/"


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


def test_publishing_it(plan: Challenge, ann: User, as_ann: Client, client: Client) -> None:
    assert f'action="{PUBLISH}"' in get(as_ann, "/c/plan/manage/")
    page = as_ann.post(PUBLISH, follow=True).content.decode()
    assert "The challenge is published." in page
    assert PUBLISH not in page
    assert "Draft" not in words(get(client, "/c/plan/"))
    assert AuditEntry.objects.get(kind="challenge").actor == ann
    assert "published already" in as_ann.post(PUBLISH, follow=True).content.decode()
