"""From a file of model outputs to a table of its instances, the worst first, in a real browser."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from leaderboard.models import Tenant, User
from leaderboard.sandbox import Failure, PluginDescription
from leaderboard.services.plugins import sandboxes
from tests.browser.files import upload
from tests.browser.verses import LONG, OUTPUTS, Verses, shared, submitted
from tests.browser.visitor import OpenVisitor, Visitor
from tests.helpers.attempts import score_all
from tests.helpers.marks import IN_A_BROWSER

pytestmark = IN_A_BROWSER

OPEN = "details => (details.open = true)"


def instances(page: Page) -> Locator:
    return page.locator("table.instance-table tbody tr")


def test_a_file_becomes_a_sorted_table(visitor: Visitor, verses: Verses) -> None:
    page = visitor.page
    visitor.sign_in()
    visitor.open("/c/verses/submit/")
    expect(page.get_by_text("has 60 instances")).to_be_visible()

    upload(page, {"short": "Hello"})
    expect(page.get_by_text("does not say whose")).to_be_visible()
    expect(page.locator("#id_file_participant")).to_be_focused()
    page.get_by_role("button", name="Look at it first").press("Enter")
    expect(page.locator("#id_file_participant")).to_be_focused()
    page.locator("#id_file_participant").fill("Cirrus")
    page.get_by_role("button", name="Look at it first").click()
    expect(page.get_by_text("1 output for 60 instances, 59 missing")).to_be_visible()
    visitor.look()

    page.get_by_role("link", name="Another file").click()
    page.locator("#id_file_participant").fill("Cirrus")
    upload(page, {"short": "Hello", "nowhere": "?"})
    expect(page.get_by_text('must be an instance of this challenge; got "nowhere"')).to_be_visible()
    visitor.look()

    upload(page, OUTPUTS)
    expect(page.get_by_text("59 outputs for 60 instances, 1 missing")).to_be_visible()
    visitor.look()
    page.get_by_role("button", name="Submit 1 attempt").click()

    expect(page.get_by_role("heading", level=1)).to_have_text("Attempt by Cirrus")
    expect(page.get_by_role("progressbar")).to_have_attribute("max", "180")
    visitor.look()
    score_all()
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


def test_texts_are_never_interpreted_as_html(visitor: Visitor, verses: Verses) -> None:
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


def test_some_of_many_results_can_be_chosen(visitor: Visitor, verses: Verses) -> None:
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


@pytest.mark.parametrize(("scheme", "width"), [("light", 390), ("dark", 1440)])
def test_every_page_of_outputs_is_accessible(
    open_visitor: OpenVisitor,
    verses: Verses,
    screenshots: Path,
    scheme: str,
    width: int,
) -> None:
    visitor = open_visitor(scheme=scheme)
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
    visitor.sign_in()
    look(visitor, "/c/riddles/submit/", screenshots / f"outputs-{scheme}-{width}-submit.png")


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


def test_outputs_can_be_submitted_without_javascript(
    open_visitor: OpenVisitor, verses: Verses
) -> None:
    visitor = open_visitor(javascript=False)
    page = visitor.page
    visitor.sign_in()
    visitor.open("/c/verses/submit/")
    page.locator("#id_file_participant").fill("Cirrus")
    upload(page, OUTPUTS)
    page.get_by_role("button", name="Look at it first").click()
    page.get_by_role("button", name="Submit 1 attempt").click()
    expect(page.get_by_role("progressbar")).to_be_visible()
    score_all()
    expect(page.locator("dl.figures")).to_contain_text("Scored")
    page.get_by_role("link", name="F1", exact=True).first.click()
    expect(page.get_by_role("link", name="Worst first")).to_be_visible()
    expect(instances(page).first.locator(".sorted")).to_contain_text("0.0000")


def test_withheld_texts_are_not_shown(visitor: Visitor, verses: Verses) -> None:
    page = visitor.page
    path = f"/attempts/{verses.hidden.pk}/"
    visitor.open(path)
    expect(page.get_by_text("expected of the instances")).to_be_visible()
    expect(instances(page)).to_have_count(0)
    visitor.sign_in()
    visitor.open(path)
    expect(instances(page)).to_have_count(0)
    assert "Good day" not in page.content()


@pytest.mark.parametrize("phone", [True, False])
def test_long_names_and_reasons_fit(open_visitor: OpenVisitor, verses: Verses, phone: bool) -> None:
    tenant, user = Tenant.objects.get(), User.objects.get(username="ann")
    name = "How near the answers come to what two translators would have written"
    metrics = [{"id": "ROUGE", "name": name}, "SACREBLEU", "BERTSCORE"]
    challenge = shared(tenant, user, "Odes", text_metrics=["F1", *metrics])
    attempt = submitted(challenge, user, "Cirrus")
    score_all()
    visitor = open_visitor(phone=phone)
    visitor.open("/c/odes/")
    visitor.measure()
    visitor.open(f"/attempts/{attempt.pk}/")
    visitor.measure()
    expect(visitor.page.get_by_text("not installed here")).to_be_visible()
    scrolled = "each => each.scrollWidth - each.clientWidth"
    assert visitor.page.locator(".metric-values .scroll").evaluate(scrolled) <= 0
    why = visitor.page.locator(".metric-values td[colspan]")
    inset = why.evaluate("each => parseFloat(getComputedStyle(each).paddingLeft)")
    assert (inset == 0) is phone


def test_very_long_names_fit(open_visitor: OpenVisitor, monkeypatch: pytest.MonkeyPatch) -> None:
    error = Failure("load_error", "It cannot be used.")
    odd = PluginDescription("ours.text.odd:Odd", "L" * 200, error=error)
    monkeypatch.setattr(sandboxes, "discover_text_metrics", lambda: [odd])
    visitor = open_visitor(phone=True)
    visitor.open("/plugins/")
    expect(visitor.page.get_by_role("heading", name="LLL")).to_be_visible()
    visitor.measure()
