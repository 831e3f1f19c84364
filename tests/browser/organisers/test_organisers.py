"""An organiser adds a reviewer, who then sees the pages of organisers, in a real browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from leaderboard.models import ChallengeRole, Membership, Tenant, User
from leaderboard.services.challenges.challenges import create_challenge
from tests.browser.visitor import PHONE, Visitor
from tests.browser.world import PASSWORD
from tests.helpers.marks import IN_A_BROWSER
from tests.people import organiser_of

pytestmark = IN_A_BROWSER
PAGES = ("", "phases/", "extra/", "announcements/", "organisers/", "log/")


@pytest.fixture
def ben(tenant: Tenant) -> User:
    """An organiser, whom the visitor signs in as."""
    ben = organiser_of(tenant, "ben", password=PASSWORD)
    fields = {"name": "Sprint", "scoring_strategy": "fastest", "is_draft": True}
    create_challenge(tenant=tenant, user=ben, fields=fields)
    User.objects.create_user("rita", first_name="Rita", last_name="Rossi")
    return ben


def test_a_reviewer_is_added_and_reads(visitor: Visitor, ben: User) -> None:
    page = visitor.page
    visitor.sign_in()
    visitor.open("/c/sprint/manage/")
    menu = page.get_by_role("navigation", name="Manage")
    menu.get_by_role("link", name="People").click()
    menu.get_by_role("link", name="Organisers").click()
    page.get_by_label("Username or e-mail address").fill("nobody")
    page.get_by_role("button", name="Add").click()
    expect(page.get_by_text("must be a username")).to_be_visible()
    assert "422" in visitor.complaints.pop()  # Chromium reports the answer to a wrong form
    page.get_by_label("Username or e-mail address").fill("rita")
    page.get_by_role("button", name="Add").click()
    expect(page.get_by_role("button", name="Remove rita")).to_be_visible()
    visitor.look()
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    visitor.look()

    Membership.objects.all().delete()
    role = {"challenge": ChallengeRole.objects.get().challenge, "role": "reviewer"}
    ChallengeRole.objects.create(user=ben, **role)
    for name in PAGES:
        visitor.open(f"/c/sprint/manage/{name}")
        expect(page.get_by_text("You review this challenge")).to_be_visible()
        visitor.look()
    visitor.open("/account/")
    expect(page.get_by_role("link", name="Manage Sprint")).to_be_visible()
    visitor.look()
