"""The story of a shared task: texts with a private split, chosen attempts, final scores."""

from __future__ import annotations

import csv
from collections.abc import Collection
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from leaderboard.models import Attempt, Challenge, Phase, Tenant, User
from leaderboard.rules.rewards.splits import Split
from leaderboard.schemas.documents import parse_outputs
from leaderboard.services.attempts.submit import NewAttempt, submit_attempt
from leaderboard.services.challenges.finals import begin_finals
from leaderboard.services.scoring.rescoring import work_on
from tests.browser.visitor import PHONE, OpenVisitor, Visitor
from tests.browser.world import PASSWORD
from tests.helpers.attempts import score_all
from tests.helpers.marks import IN_A_BROWSER
from tests.people import organiser_of

pytestmark = IN_A_BROWSER
HARBOURS = [f"log-{number}" for number in range(1, 9)]
"""The ids of the instances; what is expected of each is its id."""
TEAMS = ("Quay", "Reef", "Tide")
DAY = timedelta(days=1)


@pytest.mark.journey
def test_a_shared_task_from_draft_to_final_board(
    open_visitor: OpenVisitor, tenant: Tenant, screenshots: Path
) -> None:
    organiser_of(tenant, "ben", password=PASSWORD)
    ben = open_visitor()
    ben.sign_in()
    make_challenge(ben)
    hold_what_is_expected(ben)
    choose_the_private_part(ben)
    photographed(ben, screenshots / "shared-task-split")
    publish(ben)
    split = open_the_test()
    register_by_hand(open_visitor)
    accept_everyone(ben)
    compete(split)
    choose_an_attempt(open_visitor(), screenshots)
    look_at_the_public_board(open_visitor())
    end()
    look_at_the_final_board(open_visitor(), screenshots)
    check_the_export(ben.page)


def photographed(visitor: Visitor, path: Path) -> None:
    """Look for faults, and keep a wide picture and one of a phone."""
    visitor.look()
    visitor.page.screenshot(path=f"{path}.png", full_page=True)
    wide = visitor.page.viewport_size
    visitor.page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    visitor.look()
    visitor.page.screenshot(path=f"{path}-phone.png", full_page=True)
    visitor.page.set_viewport_size(wide)  # type: ignore[arg-type]


def make_challenge(ben: Visitor) -> None:
    ben.open("/new/?kind=texts&template=shared_task")
    ben.page.get_by_label("Name", exact=True).fill("Harbour names")
    ben.page.locator("input[value='EXACT_MATCH']").check()
    ben.page.get_by_role("button", name="Make the draft").click()
    expect(ben.page.get_by_text("The challenge is made.")).to_be_visible()


def hold_what_is_expected(ben: Visitor) -> None:
    ben.open("/c/harbour-names/manage/references/")
    lines = "".join(f"{name},Which harbour?,{name}\n" for name in HARBOURS)
    text = f"id,input,expected-output\n{lines}".encode()
    sent = {"name": "expected.csv", "mimeType": "text/csv", "buffer": text}
    ben.page.get_by_label("File with the expected outputs").set_input_files(sent)  # type: ignore[arg-type]
    ben.page.get_by_role("button", name="Save").click()
    expect(ben.page.get_by_text("holds 8 instances")).to_be_visible()


def choose_the_private_part(ben: Visitor) -> None:
    """Half of the instances are public; a wrong share is refused first."""
    page = ben.page
    ben.open("/c/harbour-names/manage/split/")
    page.get_by_label("A share of the tasks is public").check()
    page.locator("input[name=share]").fill("2")
    page.locator("input[name=seed]").fill("spring")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("form").get_by_text("below 1; got 2").first).to_be_visible()
    assert "422" in ben.complaints.pop()  # Chromium reports the answer to a refused form
    page.locator("input[name=share]").fill("0.5")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("The changes are saved.")).to_be_visible()


def publish(ben: Visitor) -> None:
    ben.open("/c/harbour-names/manage/")
    ben.page.get_by_role("button", name="Publish").click()
    expect(ben.page.get_by_text("The challenge is published.")).to_be_visible()


def open_the_test() -> Split:
    """Weeks later: the test phase is open."""
    now = timezone.now()
    phases = Phase.objects.filter(challenge__slug="harbour-names")
    phases.filter(slug="development").update(opens_at=now - 30 * DAY, closes_at=now - 2 * DAY)
    phases.filter(slug="test").update(opens_at=now - 2 * DAY, closes_at=now + DAY)
    assert phases.get(slug="test").counting == "chosen"
    split = Challenge.objects.get(slug="harbour-names").newest.parts
    assert split is not None
    return split


def register_by_hand(open_visitor: OpenVisitor) -> None:
    for name in TEAMS:
        User.objects.create_user(name.lower(), password=PASSWORD)
        visitor = open_visitor()
        visitor.sign_in(name.lower())
        visitor.open("/c/harbour-names/register/")
        visitor.page.get_by_label("Name on the leaderboard").fill(name)
        visitor.page.get_by_role("button", name="Register").click()
        expect(visitor.page.get_by_text("You are registered as")).to_be_visible()


def accept_everyone(ben: Visitor) -> None:
    for name in TEAMS:
        ben.open("/c/harbour-names/people/")
        ben.page.get_by_role("button", name=f"Accept {name}").click()
        expect(ben.page.get_by_role("button", name=f"Accept {name}")).to_have_count(0)


def compete(split: Split) -> None:
    """Reef leads on public instances, and Quay's second attempt on private ones."""
    public = [name for name in HARBOURS if split.is_public(name)]
    private = [name for name in HARBOURS if not split.is_public(name)]
    assert len(public) == len(private) == 4
    submit("Quay", public[:3])
    submit("Quay", [*public[:2], *private])
    submit("Reef", [*public[:3], *private[:2]])
    submit("Tide", [*public[:1], *private[:1]])
    score_all()


def submit(name: str, right: Collection[str]) -> None:
    given = {harbour: harbour if harbour in right else "?" for harbour in HARBOURS}
    new = NewAttempt(participant=name, outputs=parse_outputs(given))
    challenge = Challenge.objects.get(slug="harbour-names")
    submit_attempt(challenge=challenge, user=User.objects.get(username=name.lower()), new=new)


def choose_an_attempt(visitor: Visitor, screenshots: Path) -> None:
    """Quay chooses its second attempt, although it is worse on the public instances."""
    second = Attempt.objects.filter(participant__handle="Quay").order_by("submitted_at")[1]
    visitor.sign_in("quay")
    visitor.open(f"/attempts/{second.pk}/")
    expect(visitor.page.get_by_text("0.5").first).to_be_visible()
    visitor.page.get_by_role("button", name="Choose this attempt").click()
    expect(visitor.page.get_by_text("1 of 2 chosen")).to_be_visible()
    photographed(visitor, screenshots / "shared-task-attempt")


def look_at_the_public_board(visitor: Visitor) -> None:
    visitor.open("/c/harbour-names/?phase=test")
    page = visitor.page
    expect(page.get_by_text("on 50% of the instances, which are public")).to_be_visible()
    expect(page.locator("tbody tr")).to_contain_text(["Reef", "Quay", "Tide"])
    expect(page.locator("tbody .main")).to_contain_text(["0.75", "0.5", "0.25"])
    visitor.look()


def end() -> None:
    """The phase closes; the sweeper begins the final scores, and a worker computes them."""
    Phase.objects.filter(slug="test").update(closes_at=timezone.now() - timedelta(seconds=1))
    assert begin_finals() == 1
    assert work_on(Challenge.objects.get(slug="harbour-names").newest.pk) > 0


def look_at_the_final_board(visitor: Visitor, screenshots: Path) -> None:
    """Quay's chosen attempt is right about all private instances."""
    visitor.open("/c/harbour-names/?phase=test")
    page = visitor.page
    expect(page.get_by_text("the final scores")).to_be_visible()
    expect(page.locator("tbody tr")).to_contain_text(["Quay", "Reef", "Tide"])
    expect(page.locator("tbody .main")).to_contain_text(["1", "0.5", "0.25"])
    expect(page.locator("tbody .move")).to_contain_text(["▲1", "▼1", "="])
    photographed(visitor, screenshots / "shared-task-board")


def check_the_export(page: Page) -> None:
    page.goto("/c/harbour-names/?phase=test")
    with page.expect_download() as download:
        page.get_by_role("link", name="CSV", exact=True).click()
    rows = list(csv.DictReader(Path(download.value.path()).read_text().splitlines()))
    assert [(row["rank"], row["participant"], row["public_rank"]) for row in rows] == [
        ("1", "Quay", "2"),
        ("2", "Reef", "1"),
        ("3", "Tide", "3"),
    ]
