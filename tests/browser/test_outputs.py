"""From a file with what a model answered to the worst of its instances, in a real browser."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from pytest_django.live_server_helper import LiveServer

from leaderboard import queue
from leaderboard.models import Attempt, Challenge, Membership, Tenant, User
from leaderboard.rules.documents import parse_document, parse_outputs
from leaderboard.services.challenges import create_challenge
from leaderboard.services.references import hold_references
from leaderboard.services.scoring import score_waiting
from leaderboard.services.submitting import NewAttempt, submit_attempt
from tests.browser.test_newcomer import sign_in
from tests.browser.visitor import Visitor
from tests.browser.world import PASSWORD

pytestmark = [
    pytest.mark.browser,
    pytest.mark.once,
    pytest.mark.slow,
    pytest.mark.django_db(transaction=True),
]

LONG = "The rain in the hills is older than the road that it washes away. " * 8
EXPECTED: dict[str, tuple[str, list[str]]] = {
    "short": ("Guten Tag", ["Good day", "Hello"]),
    "arabic": ("Wie geht es dir?", ["كيف حالك؟"]),
    "markup": ("<script>alert(1)</script> **fett**", ["<b>bold</b> & <script>alert(2)</script>"]),
    "long": (LONG, [LONG, LONG.upper()]),
    "lines": ("Ein\n  Gedicht", ["A\n  poem"]),
    "an-id-that-is-as-long-as-no-column-likes-it-but-some-files-have-them": ("Ja", ["Yes"]),
} | {f"n{at:02}": (f"Satz {at}", [f"Sentence number {at}"]) for at in range(54)}
OUTPUTS: dict[str, Any] = {name: expected[0] for name, (_, expected) in EXPECTED.items()} | {
    "short": ["Good evening", "Hello"],
    "arabic": "كيف حالك اليوم؟",
    "lines": None,
    "n00": "",
    "n01": "Nothing like it",
    "n02": "<img src=x onerror=alert(3)>" * 20,
}

OPEN = "details => (details.open = true)"
ROUGE = {"types": ["rouge1", "rouge2", "rougeL", "rougeLsum"], "tokenizer": "unicode"}


@dataclass(frozen=True, slots=True)
class Verses:
    """`open` shows what it expects, `closed` does not; `attempt` is at the first of them."""

    open: Challenge
    closed: Challenge
    attempt: Attempt
    hidden: Attempt


@pytest.fixture
def verses(monkeypatch: pytest.MonkeyPatch, live_server: LiveServer) -> Verses:
    """The server answers beside the test; the worker is the test itself."""
    monkeypatch.setattr(queue, "_ring", lambda *_: True)
    tenant = Tenant.objects.create(slug="default", name="Default")
    ann = User.objects.create_user("ann", password=PASSWORD, is_staff=True)
    Membership.objects.create(tenant=tenant, user=ann, role=Membership.Role.ORGANISER)
    ben = User.objects.create_user("ben", password=PASSWORD)
    shown = shared(tenant, ann, "Verses", references_visibility="public")
    closed = shared(tenant, ann, "Riddles")
    attempts = [submitted(challenge, ben, "Borealis") for challenge in (shown, closed)]
    submitted(shown, ben, "Atlas", dict.fromkeys(EXPECTED, "Hello"))
    while score_waiting():
        pass
    return Verses(shown, closed, *attempts)


def shared(tenant: Tenant, ann: User, name: str, **fields: Any) -> Challenge:
    said = {
        "name": name,
        "scoring_strategy": "metric",
        "rank_by": [{"key": "F1"}],
        "text_metrics": ["F1", "EDIT_DISTANCE", {"id": "ROUGE", "parameters": ROUGE}],
    }
    challenge = create_challenge(tenant=tenant, user=ann, fields=said | fields)
    rows = [
        {"id": each, "input": asked, "expected-output": expected}
        for each, (asked, expected) in EXPECTED.items()
    ]
    hold_references(challenge, user=ann, document=parse_document({"instances": rows}))
    challenge.refresh_from_db()
    return challenge


def submitted(
    challenge: Challenge, user: User, name: str, outputs: dict[str, Any] = OUTPUTS
) -> Attempt:
    new = NewAttempt(name, outputs=parse_outputs(outputs))
    return submit_attempt(challenge=challenge, user=user, new=new)[0]


@pytest.fixture
def visitor(chromium: Browser, live_server: LiveServer) -> Iterator[Visitor]:
    visitor = Visitor(chromium, live_server.url)
    yield visitor
    visitor.close()


def upload(page: Page, content: Any, name: str = "run.json") -> None:
    body = json.dumps(content).encode()
    file = {"name": name, "mimeType": "application/json", "buffer": body}
    page.locator("input[type=file]").set_input_files(file)  # type: ignore[arg-type]


def instances(page: Page) -> Locator:
    return page.locator("table.instance-table tbody tr")


def test_a_file_becomes_a_sorted_table(visitor: Visitor, verses: Verses) -> None:
    page = visitor.page
    visitor.open("/")
    sign_in(page)
    visitor.open("/c/verses/submit/")
    expect(page.get_by_text("This challenge holds 60 instances")).to_be_visible()

    upload(page, {"short": "Hello"})
    expect(page.get_by_text("Such a file does not say whose it is")).to_be_visible()
    page.locator("#id_file_participant").fill("Cirrus")
    page.get_by_role("button", name="Look at it first").click()
    expect(page.get_by_text("1 output for 60 instances, 59 missing")).to_be_visible()
    visitor.look()

    page.get_by_role("link", name="Another file").click()
    page.locator("#id_file_participant").fill("Cirrus")
    upload(page, {"short": "Hello", "nowhere": "?"})
    expect(page.get_by_text("nowhere is not an instance of this challenge")).to_be_visible()
    visitor.look()

    upload(page, OUTPUTS)
    expect(page.get_by_text("59 outputs for 60 instances, 1 missing")).to_be_visible()
    visitor.look()
    page.get_by_role("button", name="Submit 1 attempt").click()

    expect(page.get_by_role("heading", level=1)).to_have_text("Attempt by Cirrus")
    expect(page.get_by_role("progressbar")).to_have_attribute("max", "180")
    visitor.look()
    while score_waiting():
        pass
    expect(page.get_by_role("progressbar")).to_have_count(0)
    expect(page.locator("dl.figures")).to_contain_text("Scored")
    expect(instances(page)).to_have_count(50)
    visitor.look()

    order = page.get_by_role("navigation", name="Order of the instances")
    order.get_by_role("link", name="EDIT_DISTANCE", exact=True).click()
    expect(page).to_have_url(re.compile(r"/\?sort=EDIT_DISTANCE&order=worst#instances$"))
    expect(instances(page).first.get_by_role("rowheader")).to_have_text("n02")
    order.get_by_role("link", name="Best first").click()
    expect(instances(page).first.locator(".sorted")).to_contain_text("0.000")
    page.get_by_role("link", name="Next →").click()
    expect(page.get_by_text("Page 2 of 2")).to_be_visible()
    visitor.look()
    assert visitor.complaints == []


def test_the_place_for_files_shows_what_is_dragged_over_it(
    visitor: Visitor, verses: Verses
) -> None:
    page = visitor.page
    visitor.open("/")
    sign_in(page)
    visitor.open("/c/verses/submit/")
    drop = page.locator(".drop")
    drop.locator("input").dispatch_event("dragenter")
    expect(drop).to_have_class("field drop over")
    drop.locator("input").dispatch_event("dragleave")
    expect(drop).to_have_class("field drop")
    page.locator("#id_file_participant").focus()
    page.keyboard.press("Tab")
    expect(drop.locator("input")).to_be_focused()
    assert visitor.complaints == []


def test_what_the_server_cannot_say_is_said(visitor: Visitor, verses: Verses) -> None:
    page = visitor.page
    visitor.open("/")
    sign_in(page)
    visitor.open("/c/verses/submit/")
    alert = page.locator("form.files [role=alert]:visible")
    expect(alert).to_have_count(0)
    page.locator("input[type=file]").evaluate("input => (input.dataset.most = 10)")
    upload(page, {"short": "Hello"})
    expect(alert).to_have_text("It may have at most 64 MiB.")
    visitor.look()
    page.locator(".drop input").evaluate(
        """input => {
            const dataTransfer = new DataTransfer();
            for (const name of ["a", "b"]) dataTransfer.items.add(new File(["{}"], name));
            input.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true }));
        }"""
    )
    expect(alert).to_contain_text("One file at a time")
    assert visitor.complaints == []
    page.route("**/submit/file/", lambda route: route.fulfill(status=413, body="Too large"))
    page.locator("input[type=file]").evaluate("input => (input.dataset.most = 1e9)")
    upload(page, {"short": "Hello"})
    expect(alert).to_have_text("The file did not arrive. Choose it again.")


def test_texts_are_texts_whatever_they_look_like(visitor: Visitor, verses: Verses) -> None:
    page = visitor.page
    visitor.open(f"/attempts/{verses.attempt.pk}/")
    row = instances(page).filter(has=page.get_by_role("rowheader", name="markup", exact=True))
    expect(row).to_contain_text("<script>alert(1)</script> **fett**")
    row = instances(page).filter(has=page.get_by_role("rowheader", name="arabic", exact=True))
    assert row.locator("td .text").nth(1).evaluate("it => getComputedStyle(it).direction") == "rtl"
    assert row.locator("td .text").first.evaluate("it => getComputedStyle(it).direction") == "ltr"
    row = instances(page).filter(has=page.get_by_role("rowheader", name="lines", exact=True))
    assert row.locator("td .text").first.inner_text() == "Ein\n  Gedicht"
    expect(row).to_contain_text("no output")
    row = instances(page).filter(has=page.get_by_role("rowheader", name="long", exact=True))
    whole = row.locator(".text").first
    expect(whole).to_be_hidden()
    row.locator("summary").first.press("Enter")
    expect(whole).to_be_visible()
    expect(whole).to_have_text(LONG.strip())
    assert visitor.complaints == []


def test_of_many_results_some_are_chosen(visitor: Visitor, verses: Verses) -> None:
    page = visitor.page
    visitor.open(f"/attempts/{verses.attempt.pk}/?sort=F1&order=best")
    page.get_by_text("3 of 7 results shown").click()
    visitor.look()
    page.get_by_role("checkbox", name="EDIT_DISTANCE", exact=True).uncheck()
    page.get_by_role("checkbox", name="ROUGE:rougeL", exact=True).check()
    page.get_by_role("button", name="Show these").click()
    expect(page).to_have_url(
        re.compile(r"\?sort=F1&order=best&show=F1&show=ROUGE&show=ROUGE%3ArougeL#instances$")
    )
    results = instances(page).first.locator("dt")
    expect(results).to_have_text(["F1", "ROUGE", "ROUGE:rougeL"])
    page.get_by_role("link", name="Worst first").click()
    expect(results).to_have_text(["F1", "ROUGE", "ROUGE:rougeL"])
    assert visitor.complaints == []


@pytest.mark.parametrize("width", [390, 1440])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_of_outputs_is_fit_for_everybody(
    chromium: Browser,
    live_server: LiveServer,
    verses: Verses,
    screenshots: Path,
    scheme: str,
    width: int,
) -> None:
    visitor = Visitor(chromium, live_server.url, scheme=scheme)  # type: ignore[arg-type]
    visitor.page.set_viewport_size({"width": width, "height": 900})
    paths = [
        "/c/verses/",
        "/c/verses/?sort=EDIT_DISTANCE",
        "/c/verses/rules/",
        "/c/verses/p/borealis/",
        f"/attempts/{verses.attempt.pk}/",
        f"/attempts/{verses.attempt.pk}/?sort=ROUGE&order=worst#instances",
        f"/attempts/{verses.hidden.pk}/",
        "/plugins/#texts",
    ]
    for number, path in enumerate(paths):
        look(visitor, path, screenshots / f"outputs-{scheme}-{width}-{number}.png")
    sign_in(visitor.page)
    look(visitor, "/c/riddles/submit/", screenshots / f"outputs-{scheme}-{width}-submit.png")
    visitor.close()
    assert visitor.complaints == []


def look(visitor: Visitor, path: str, picture: Path) -> None:
    visitor.open(path)
    visitor.page.evaluate(f"[...document.querySelectorAll('details')].slice(0, 5).forEach({OPEN})")
    visitor.look()
    visitor.page.screenshot(path=picture, full_page=True)


def test_no_page_of_outputs_is_wider_than_its_window(visitor: Visitor, verses: Verses) -> None:
    for path in ("/c/verses/", "/c/verses/rules/", f"/attempts/{verses.attempt.pk}/?sort=F1"):
        visitor.open(path)
        for width in (320, 600, 840, 1100):
            visitor.page.set_viewport_size({"width": width, "height": 800})
            visitor.measure()
    assert visitor.complaints == []


def test_outputs_are_taken_without_javascript(
    chromium: Browser, live_server: LiveServer, verses: Verses
) -> None:
    visitor = Visitor(chromium, live_server.url, javascript=False)
    page = visitor.page
    visitor.open("/")
    sign_in(page)
    visitor.open("/c/verses/submit/")
    page.locator("#id_file_participant").fill("Cirrus")
    upload(page, OUTPUTS)
    page.get_by_role("button", name="Look at it first").click()
    page.get_by_role("button", name="Submit 1 attempt").click()
    expect(page.get_by_role("progressbar")).to_be_visible()
    while score_waiting():
        pass
    expect(page.locator("dl.figures")).to_contain_text("Scored", timeout=15_000)
    page.get_by_role("link", name="F1", exact=True).first.click()
    expect(page.get_by_role("link", name="Worst first")).to_be_visible()
    expect(instances(page).first.locator(".sorted")).to_contain_text("0.0000")
    visitor.close()
    assert visitor.complaints == []


def test_what_is_withheld_stays_so(visitor: Visitor, verses: Verses) -> None:
    page = visitor.page
    path = f"/attempts/{verses.hidden.pk}/"
    visitor.open(path)
    expect(page.get_by_text("What is expected of the instances is")).to_be_visible()
    expect(instances(page)).to_have_count(0)
    sign_in(page)
    visitor.open(path)
    expect(instances(page)).to_have_count(0)
    assert "Good day" not in page.content()
    assert visitor.complaints == []


@pytest.mark.parametrize("phone", [True, False])
def test_long_names_and_reasons_fit(
    chromium: Browser, live_server: LiveServer, verses: Verses, phone: bool
) -> None:
    tenant, user = Tenant.objects.get(), User.objects.get(username="ann")
    name = "How near the answers come to what two translators would have written"
    metrics = [{"id": "ROUGE", "name": name}, "SACREBLEU", "BERTSCORE"]
    challenge = shared(tenant, user, "Odes", text_metrics=["F1", *metrics])
    attempt = submitted(challenge, user, "Cirrus")
    while score_waiting():
        pass
    visitor = Visitor(chromium, live_server.url, phone=phone)
    visitor.open("/c/odes/")
    visitor.measure()
    visitor.open(f"/attempts/{attempt.pk}/")
    visitor.measure()
    expect(visitor.page.get_by_text("BERTSCORE is not installed here")).to_be_visible()
    scrolled = "each => each.scrollWidth - each.clientWidth"
    assert visitor.page.locator(".metric-values .scroll").evaluate(scrolled) <= 0
    assert visitor.complaints == []
    visitor.close()
