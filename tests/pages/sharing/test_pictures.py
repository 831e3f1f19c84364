"""The picture of a board: what it shows, to whom, and how often it is made."""

from __future__ import annotations

import struct
from typing import Any
from xml.etree import ElementTree

import pytest
from django.core.cache import cache
from django.test import Client, override_settings

from leaderboard.pages.sharing import rendering
from leaderboard.pages.sharing.card import Card, CardRow, card_svg
from leaderboard.pages.sharing.glyphs import OWN, cut, drawable, glyphs_of, text_width
from leaderboard.pages.sharing.picture import card_of
from leaderboard.pages.sharing.public_board import open_challenge_or_404, public_board
from leaderboard.rules.visibility.view import ViewSettings
from tests.pages.conftest import Make, Submit
from tests.sight.test_matrix import SETTINGS, visible_parts
from tests.sight.world import MARKS, World

PNG = b"\x89PNG\r\n\x1a\n"


def card(**fields: Any) -> Card:
    rows = [CardRow("1", "", "Atlas", "0.9", 1.0), CardRow("2", "", "Boreas", "0.45", 0.5)]
    given = Card("Podium", "Sprint", "F1 · 2 participants", rows, "No entries yet", "")
    return given._replace(**fields)


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(svg).iter() if element.text]


def test_the_drawing_has_rows_with_bars() -> None:
    svg = card_svg(card())
    assert texts(svg) == [
        *("Podium", "Sprint", "F1 · 2 participants"),
        *("1", "Atlas", "0.9", "2", "Boreas", "0.45"),
    ]
    bars = [
        float(element.get("width", 0))
        for element in ElementTree.fromstring(svg).iter()
        if element.get("x") == "640"
    ]
    assert bars[1] == pytest.approx(bars[0])
    assert bars[3] == pytest.approx(bars[2] / 2, abs=0.1)


def test_a_long_title_has_two_lines() -> None:
    part = "A title that"
    for title, lines in (
        ("One short line", ["One short line"]),
        (f"{part} " * 4, [f"{part} {part} {part} {part[:-5]}", "that"]),
        ("W" * 120, ["W" * 25, f"{'W' * 25}…"]),
    ):
        drawn = texts(card_svg(card(title=title)))
        assert drawn[1 : drawn.index("F1 · 2 participants")] == lines, title
    assert texts(card_svg(card(rows=[])))[-1] == "No entries yet"


def test_names_make_no_elements() -> None:
    for name in ("</text><image href='/etc'/>", "a&b", '"', "\x00\x1b<!--"):
        rows = [CardRow("1", "", name, name, 1.0)]
        svg = card_svg(card(title=name, site=name, subtitle=name, rows=rows))
        kinds = {element.tag.rpartition("}")[2] for element in ElementTree.fromstring(svg).iter()}
        assert kinds == {"svg", "rect", "text"}, name
        assert rendering.rendered(svg)[:8] == PNG, name


def test_characters_that_the_font_cannot_draw_are_left_out() -> None:
    for text, drawn in (
        ("Atlas 7B", "Atlas 7B"),
        ("Föhn Ωμ Ж", "Föhn Ωμ Ж"),
        ("أطلس", "أطلس"),
        ("漢字-7B", "–"),
        ("🧪🧪 Atlas", "Atlas"),
        ("🧪", "–"),
        ("", "–"),
        ("A\u0000\u202eB", "AB"),
    ):
        assert drawable(text) == drawn


def test_the_widths_are_those_of_the_font() -> None:
    assert text_width("iiii", 10) < text_width("WWWW", 10)
    assert text_width("", 10) == 0
    assert 5000 < len(glyphs_of(str(OWN)).widths) < 7000
    assert glyphs_of("/not/there").widths == {}


def test_a_long_text_is_cut() -> None:
    short = cut("W" * 100, 20, 200)
    assert short.endswith("…")
    assert text_width(short, 20) <= 200
    assert cut("short", 20, 200) == "short"


def test_a_picture_is_made_once_for_a_version_of_the_board(
    client: Client,
    make: Make,
    submit: Submit,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: Any,
) -> None:
    made: list[str] = []

    def rendered(svg: str) -> bytes:
        made.append(svg)
        return PNG

    monkeypatch.setattr(rendering, "rendered", rendered)
    sprint = make("Sprint")
    submit(sprint, "atlas", elapsed_ms=900)
    first = client.get("/c/sprint/og.png")
    assert first.headers["Content-Type"] == "image/png"
    assert first.headers["Cache-Control"] == "public, max-age=300"
    assert first.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
    client.get("/c/sprint/og.png")
    same = client.get("/c/sprint/og.png", headers={"If-None-Match": first.headers["ETag"]})
    assert (same.status_code, len(made)) == (304, 1)
    submit(sprint, "borealis", elapsed_ms=100)
    second = client.get("/c/sprint/og.png")
    assert second.headers["ETag"] != first.headers["ETag"]
    assert len(made) == 2
    assert texts(made[1])[3:6] == ["1", "borealis", "100 ms"]


def test_a_picture_has_the_size_that_sites_expect(
    client: Client, make: Make, submit: Submit
) -> None:
    submit(make("Sprint"), "atlas", elapsed_ms=900)
    content = client.get("/c/sprint/og.png").content
    assert content[:8] == PNG
    assert struct.unpack(">LL", content[16:24]) == (1200, 630)
    assert len(content) < 100_000


@override_settings(PUBLIC_URL="https://board.example.org/podium")
def test_the_picture_has_the_public_address(make: Make) -> None:
    board = public_board(make("Sprint"))
    assert board is not None
    assert card_of(board).place.startswith("board.example.org")


def test_hidden_challenges_have_no_picture(client: Client, as_ann: Client, make: Make) -> None:
    fields: list[dict[str, Any]] = [{"visibility": "private"}, {"is_draft": True}]
    for hides in fields:
        path = f"/c/{make('Curtain', **hides).slug}/og.png"
        for reader in (client, as_ann):
            assert reader.get(path).status_code == 404, hides


@pytest.mark.django_db
def test_a_picture_shows_what_anyone_sees() -> None:
    world = World()
    for settings in SETTINGS:
        world.show(settings, "open")
        cache.clear()
        board = public_board(open_challenge_or_404("cup"))
        svg = card_svg(card_of(board)).lower() if board else ""
        for name, marks in MARKS.items():
            visible = visible_parts("anyone", name, settings, "open")
            score = f"{int(marks.score):,}"
            assert (marks.slug in svg) == (visible.rows and visible.names), settings
            assert (score in svg) == (visible.rows and visible.scores), settings
        status = world.clients["organiser"].get("/c/cup/og.png").status_code
        assert status == (200 if board else 404)
    assert ViewSettings() in SETTINGS
