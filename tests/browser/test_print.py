"""Printed boards: every row, as a table, dark on white, as narrow as the sheet."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.visitor import OpenVisitor
from tests.browser.world import make_world

pytestmark = [
    pytest.mark.browser,
    pytest.mark.once,
    pytest.mark.django_db(transaction=True),
]

PORTRAIT = {"width": 718, "height": 1047}
LANDSCAPE = {"width": 1047, "height": 718}
"""A4 in CSS pixels within margins of one centimetre."""

SEEN = """() => {
  const style = (path) => getComputedStyle(document.querySelector(path));
  const place = style(".place.top-1");
  const frames = [...document.querySelectorAll(".frame, .scroll")];
  return {
    head: style(".board thead").display,
    row: style(".board tbody tr").display,
    cut: frames.some((frame) => frame.scrollHeight > frame.clientHeight + 1),
    wide: document.documentElement.scrollWidth - innerWidth,
    paper: style("body").backgroundColor,
    ink: style("body").color,
    rank: place.color,
    rows: document.querySelectorAll(".board tbody tr").length,
    menu: style("header.site").display,
  };
}"""


@pytest.mark.parametrize("sheet", [PORTRAIT, LANDSCAPE], ids=["portrait", "landscape"])
def test_a_board_prints_as_a_table(
    open_visitor: OpenVisitor,
    sheet: dict[str, Any],
) -> None:
    make_world()
    visitor = open_visitor(scheme="dark")
    visitor.page.set_viewport_size(sheet)  # type: ignore[arg-type]
    visitor.page.emulate_media(media="print")
    for path in ("/c/prompt-escape/", "/c/lock-house/"):
        visitor.open(path)
        styles = visitor.page.evaluate(SEEN)
        assert styles["head"] == "table-header-group"
        assert styles["row"] == "table-row"
        assert not styles["cut"]
        assert styles["wide"] <= 0
        assert styles["paper"] == "rgb(255, 255, 255)"
        assert styles["ink"] == styles["rank"] == "rgb(25, 28, 26)"
        assert styles["rows"] > 1
        assert styles["menu"] == "none"


def test_no_board_scrolls_vertically_within_the_page(open_visitor: OpenVisitor) -> None:
    make_world()
    visitor = open_visitor()
    visitor.open("/c/lock-house/")
    for width in (1280, 1000, 390):
        visitor.page.set_viewport_size({"width": width, "height": 300})
        assert not visitor.page.evaluate(
            """() => [...document.querySelectorAll(".frame, .scroll")].some(
                (frame) => frame.scrollHeight > frame.clientHeight + 1)"""
        ), width
