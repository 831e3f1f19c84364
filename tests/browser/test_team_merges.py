"""Two captains merge their teams in a real browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from leaderboard.models import Tenant, User
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.competition.participants.registration import register
from leaderboard.services.competition.participants.registration_rules import declare_rules
from leaderboard.services.competition.teams.merge_requests import ask_to_merge
from tests.browser.visitor import PHONE, Visitor
from tests.browser.world import PASSWORD
from tests.helpers.marks import IN_A_BROWSER
from tests.people import organiser_of

pytestmark = IN_A_BROWSER


@pytest.fixture
def teams(tenant: Tenant) -> None:
    """Ben, as whom the visitor signs in, leads the Tulips; eve and dan lead two other teams."""
    ann = organiser_of(tenant, "ann")
    fields = {"name": "Relay", "scoring_strategy": "fastest"}
    relay = create_challenge(tenant=tenant, user=ann, fields=fields)
    declare_rules(relay, {"largest_team": 3})
    for name, team in (("ben", "Tulips"), ("eve", "Roses"), ("dan", "Irises")):
        user = User.objects.create_user(name, password=PASSWORD)
        register(relay, user, {"participant": team, "kind": "team"})
    ask_to_merge(relay, user, "Tulips")


@pytest.mark.usefixtures("teams")
def test_a_captain_asks_and_answers(visitor: Visitor) -> None:
    page = visitor.page
    visitor.sign_in()
    visitor.open("/c/relay/team/")
    visitor.look()
    page.get_by_role("button", name="Accept Irises").click()
    expect(page.get_by_text("are one now")).to_be_visible()
    page.get_by_label("Become a part of the team").fill("Lilies")
    page.get_by_role("button", name="Ask to merge").click()
    expect(page.get_by_text("has not answered yet")).to_be_visible()
    page.get_by_role("button", name="Take the request back").click()
    page.get_by_label("Become a part of the team").fill("Roses")
    page.get_by_role("button", name="Ask to merge").click()
    expect(page.get_by_text("has not answered yet")).to_be_visible()
    visitor.look()
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    visitor.look()
    page.get_by_role("button", name="Take the request back").click()
    expect(page.get_by_text("taken back")).to_be_visible()
