"""The rows of every board of the demo are on the first screen, at four sizes of windows."""

from __future__ import annotations

from typing import Final

import pytest

from leaderboard.management.demo import load_demo
from leaderboard.models import Challenge
from leaderboard.services.board.certainty.computing import look_after_certainty
from tests.browser.visitor import OpenVisitor
from tests.helpers.attempts import score_all
from tests.helpers.marks import IN_A_BROWSER

pytestmark = IN_A_BROWSER

ROWS: Final = (
    (1440, 900, "en", 7),
    (1280, 720, "en", 4),
    (768, 1024, "en", 7),
    (390, 844, "en", 3),
    (390, 844, "de", 3),
)
"""How many rows a window shows at least in a language, or all that there are."""
MOST_STRIP: Final = 150
MOST_ROW_ON_A_PHONE: Final = 1700 / 19
MEASURED: Final = """() => {
  // What the site has to say for an hour, such as that no worker runs, is no part of a board.
  document.querySelectorAll("main > .notice").forEach((notice) => notice.remove());
  const box = (part) => part.getBoundingClientRect();
  const rows = [...document.querySelectorAll(".board tbody tr")];
  const first = rows[0];
  const labels = [...document.querySelectorAll(".overview svg")].flatMap((picture) => {
    const texts = [...picture.querySelectorAll("text")].filter((text) => box(text).width);
    return texts.flatMap((one, at) => texts.slice(at + 1).filter((other) => {
      const [a, b] = [box(one), box(other)];
      return a.left < b.right - 1 && b.left < a.right - 1
        && a.top < b.bottom - 3 && b.top < a.bottom - 3;
    }).map((other) => `${one.textContent} / ${other.textContent}`));
  });
  const cells = [...first.querySelectorAll(".rank, .who, .main")].map(box);
  return {
    rows: rows.length,
    whole: rows.filter((row) => box(row).bottom <= innerHeight).length,
    height: box(rows.at(-1)).bottom - box(first).top,
    strip: box(document.querySelector(".overview")).height,
    labels,
    deciding: cells.length === 3
      && cells.every(({left, right}) => left >= 0 && right <= innerWidth),
  };
}"""


@pytest.fixture
def slugs() -> list[str]:
    load_demo()
    score_all()
    look_after_certainty()
    boards = Challenge.objects.filter(is_draft=False, visibility="public")
    return sorted(boards.values_list("slug", flat=True))


def test_rows_are_on_the_first_screen(open_visitor: OpenVisitor, slugs: list[str]) -> None:
    visitor = open_visitor()
    for width, height, language, least in ROWS:
        visitor.page.set_viewport_size({"width": width, "height": height})
        visitor.page.set_extra_http_headers({"Accept-Language": language})
        for slug in slugs:
            visitor.open(f"/c/{slug}/")
            measured = visitor.page.evaluate(MEASURED)
            where = slug, width, language, measured
            assert measured["whole"] >= min(least, measured["rows"]), where
            assert measured["strip"] <= MOST_STRIP, where
            assert measured["labels"] == [], where
            assert measured["deciding"], where
            if width < 640 and measured["rows"] > 10:
                assert measured["height"] <= MOST_ROW_ON_A_PHONE * measured["rows"], where
            visitor.measure()
