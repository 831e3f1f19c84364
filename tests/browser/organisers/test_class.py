"""The story of a class: from the invitation of its organiser to the final board, in a browser."""

from __future__ import annotations

import csv
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from leaderboard.models import (
    Attempt,
    Challenge,
    Membership,
    OneTimeLink,
    Tenant,
    User,
)
from leaderboard.services.accounts.one_time_links import make_link
from leaderboard.services.accounts.team_links import join_by_code, make_team_link
from leaderboard.services.attempts.submit import NewAttempt, submit_attempt
from leaderboard.services.competition.participants.registration import register
from leaderboard.services.scoring import single
from tests.browser.visitor import OpenVisitor, Visitor
from tests.browser.world import PASSWORD
from tests.helpers.marks import IN_A_BROWSER

pytestmark = IN_A_BROWSER
NOW, HOUR = timezone.now(), timedelta(hours=1)
TEAMS = ("Alpha", "Beta", "Gamma", "Delta")
STUDENTS = [f"student-{at}" for at in range(1, 13)]
PER_DAY = 5
SECONDS_FOR_A_LIMIT = 120
"""How long it takes at most to submit so many attempts by hand."""


def submitted(cup: Challenge, captain: str, team: str, elapsed: int, age: timedelta) -> None:
    """An attempt of a team's captain, made some time ago."""
    new = NewAttempt(participant=team, metrics={"succeeded": True, "elapsed_ms": elapsed})
    user = User.objects.get(username=captain)
    attempt, _ = submit_attempt(challenge=cup, user=user, new=new)
    single.score_waiting()
    Attempt.objects.filter(pk=attempt.pk).update(submitted_at=NOW - age)


@pytest.mark.journey
def test_a_class_from_invitation_to_final_board(
    open_visitor: OpenVisitor, tenant: Tenant, screenshots: Path, settings: Any
) -> None:
    settings.SIGN_UP = "invited"
    organiser, captain, member = (open_visitor() for _ in range(3))
    sign_up(organiser, tenant)
    make_challenge(organiser.page, organiser)
    cup = Challenge.objects.get(slug="spring-class")
    code = read_the_code(organiser.page)
    organiser.look()
    organiser.page.screenshot(path=screenshots / "class-registration.png", full_page=True)
    for name in STUDENTS:
        User.objects.create_user(name, password=PASSWORD)
    captain.sign_in(STUDENTS[0])
    link = found_a_team(captain.page, code)
    captain.look()
    captain.page.screenshot(path=screenshots / "class-team.png", full_page=True)
    member.sign_in(STUDENTS[1])
    join_the_team(member.page, link.removeprefix(member.home))
    member.look()
    form_the_others(cup, code)
    assert cup.registrations.count() == len(TEAMS)
    compete(cup)
    reach_the_limit(captain.page)
    assert "422" in captain.complaints.pop()  # Chromium reports the answer to a refused form
    captain.look()
    close_and_freeze(organiser.page)
    assert "422" in organiser.complaints.pop()  # the answer that asks whether the phase may end
    organiser.look()
    captain.open("/c/spring-class/submit/")
    expect(captain.page.get_by_text("been taken since")).to_be_visible()
    captain.look()
    disqualify_a_team(organiser.page)
    organiser.look()
    look_at_the_frozen_board(open_visitor())
    reveal(organiser.page)
    organiser.look()
    organiser.page.screenshot(path=screenshots / "class-board.png", full_page=True)
    check_the_export(organiser.page)


def sign_up(visitor: Visitor, tenant: Tenant) -> None:
    """The organiser opens an invitation, and makes an account."""
    role = Membership.Role.ORGANISER
    purpose = OneTimeLink.Purpose.INVITATION
    _link, code = make_link(purpose, by=None, tenant=tenant, role=role)
    page = visitor.page
    visitor.open(f"/link/#{code}")
    page.get_by_role("button", name="Continue").click()
    page.get_by_label("Username").fill("olga")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Password again").fill(PASSWORD)
    page.get_by_label("E-mail address").fill("olga@example.org")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("olga")


def make_challenge(page: Page, visitor: Visitor) -> None:
    """A draft from the template, which is then published."""
    visitor.open("/new/?kind=facts&template=class")
    page.get_by_label("Name").fill("Spring class")
    page.get_by_label("Fastest").check()
    page.get_by_role("button", name="Make the draft").click()
    expect(page.get_by_text("The challenge is made.")).to_be_visible()
    visitor.look()
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_text("The challenge is published.")).to_be_visible()


def read_the_code(page: Page) -> str:
    """The code that the template has made, which the organiser gives to the students."""
    page.goto("/c/spring-class/manage/registration/")
    return page.get_by_label("Code").input_value()


def found_a_team(page: Page, code: str) -> str:
    """The first captain registers a team with the code of the class; returns a link to join."""
    page.goto("/c/spring-class/register/")
    page.get_by_label("Name on the leaderboard").fill(TEAMS[0])
    page.get_by_label("Takes part as").select_option("team")
    page.get_by_label("Code").fill(code)
    page.get_by_role("button", name="Register").click()
    expect(page.get_by_text(f"You take part as {TEAMS[0]}.")).to_be_visible()
    page.get_by_role("link", name="Your team").click()
    page.get_by_role("button", name="Invite somebody").click()
    return page.locator("#link").inner_text()


def join_the_team(page: Page, link: str) -> None:
    page.goto(link)
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_role("heading", name=TEAMS[0])).to_be_visible()


def form_the_others(cup: Challenge, code: str) -> None:
    """Twelve students are four teams of three, without a browser."""
    users = [User.objects.get(username=name) for name in STUDENTS]
    for at, team in enumerate(TEAMS):
        captain, *members = users[3 * at : 3 * at + 3]
        if at:
            fields = {"participant": team, "kind": "team", "code": code}
            register(cup, captain, fields)
        for member in members[at == 0 :]:
            join_by_code(cup, make_team_link(cup, captain)[1], member)


def compete(cup: Challenge) -> None:
    """Beta leads before the freeze, Gamma overtakes it afterwards."""
    for captain, team, elapsed, age in (
        (3, "Beta", 100, 9),
        (6, "Gamma", 200, 8),
        (9, "Delta", 50, 7),
        (6, "Gamma", 60, 1),
    ):
        submitted(cup, STUDENTS[captain], team, elapsed, age * HOUR)


def reach_the_limit(page: Page) -> None:
    """The sixth attempt of a day is refused, and the page says when the next one is possible."""
    if (left := 86_400 - time.time() % 86_400) < SECONDS_FOR_A_LIMIT:
        time.sleep(left)  # The day of a quota ends at midnight in UTC.
    for at in range(PER_DAY):
        page.goto("/c/spring-class/submit/")
        submit_by_hand(page, 300 + at)
        expect(page.get_by_role("heading", level=1)).to_have_text("Attempt by Alpha")
        single.score_waiting()
    page.goto("/c/spring-class/submit/")
    submit_by_hand(page, 1)
    expect(page.get_by_text("per day").first).to_be_visible()
    assert Attempt.objects.filter(participant__handle="Alpha").count() == PER_DAY
    Attempt.objects.filter(participant__handle="Alpha").update(submitted_at=NOW - 6 * HOUR)


def submit_by_hand(page: Page, elapsed: int) -> None:
    form = page.locator("form", has=page.get_by_role("button", name="Submit the attempt"))
    form.get_by_label("Participant").fill(TEAMS[0])
    form.get_by_label("Succeeded").select_option(label="Yes")
    form.get_by_label("Time").fill(str(elapsed))
    page.get_by_role("button", name="Submit the attempt").click()


def close_and_freeze(page: Page) -> None:
    page.goto("/c/spring-class/manage/phases/?phase=main")
    page.get_by_label("Closes").fill(minute(NOW - HOUR / 2))
    page.get_by_label("Freezes").fill(minute(NOW - 5 * HOUR))
    page.get_by_role("button", name="Save").click()
    page.get_by_label("End the phase with this change").check()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("button", name="Reveal the board")).to_be_visible()


def minute(moment: Any) -> str:
    return str(moment.strftime("%Y-%m-%dT%H:%M"))


def disqualify_a_team(page: Page) -> None:
    page.goto("/c/spring-class/people/")
    row = page.locator("li", has_text="Delta")
    row.get_by_label("Why you decline or disqualify Delta").fill("It read the answers.")
    row.get_by_role("button", name="Disqualify").click()
    expect(page.get_by_text("It read the answers.")).to_be_visible()


def look_at_the_frozen_board(visitor: Visitor) -> None:
    visitor.open("/c/spring-class/")
    expect(visitor.page.get_by_text("is frozen since")).to_be_visible()
    expect(visitor.page.locator("tbody tr")).to_contain_text(["Beta", "Gamma", "Alpha"])
    expect(visitor.page.get_by_text("Disqualified: It read the answers.")).to_be_visible()
    visitor.look()


def reveal(page: Page) -> None:
    page.goto("/c/spring-class/manage/phases/")
    page.get_by_role("button", name="Reveal the board").click()
    expect(page.get_by_text("final board now")).to_be_visible()
    page.goto("/c/spring-class/")
    expect(page.locator("tbody tr")).to_contain_text(["Gamma", "Beta", "Alpha"])


def check_the_export(page: Page) -> None:
    with page.expect_download() as download:
        page.get_by_role("link", name="CSV", exact=True).click()
    rows = list(csv.DictReader(Path(download.value.path()).read_text().splitlines()))
    assert [(row["rank"], row["participant"], row["unranked"]) for row in rows] == [
        ("1", "Gamma", ""),
        ("2", "Beta", ""),
        ("3", "Alpha", ""),
        ("", "Delta", "disqualified"),
    ]
