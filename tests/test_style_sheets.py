"""The style sheets take sizes of text, spaces, radii and colours from their tokens only."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from leaderboard.pages.sharing import card

pytestmark = pytest.mark.once

ROOT = Path(__file__).parents[1]
PAGES, ADMIN = ROOT / "static/pages/pages.css", ROOT / "static/admin-podium/admin.css"
SHEETS = [PAGES, ADMIN]

COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
TOKENS = re.compile(r":root \{(.*?)\}", re.DOTALL)
TOKEN = re.compile(r"(--[\w-]+): ([^;]+);")
DECLARATION = re.compile(r"(?<=[{;\s])([a-z-]+): ([^;{}]+)(?=[;}])")
OURS = re.compile(r"--(text|space|radius|round)\b")
COLOUR = re.compile(r"#[\da-f]{6}")
LENGTH = re.compile(r"-?[\d.]+(?:rem|px|pt|vw|vh)\b")

TEXT = re.compile(r"var\(--text-\w+\)|[\d.]+em|inherit")
SPACE = re.compile(
    r"0|auto|inherit|-?[123]px|-?[\d.]+em|var\(--(space-\d|gutter|aisle)\)"
    r"|calc\((-1 \* )?var\(--space-\d\)( \+ [123]px)?\)"
)
RADIUS = re.compile(r"0|inherit|var\(--(radius-\d|round)\)")
SPACES = re.compile(r"(margin|padding)(-.+)?|(row-|column-)?gap|scroll-(margin|padding)(-.+)?")
COLOURED = re.compile(
    r"color|background(-color)?|fill|stroke|(border|outline)(-.+)?|accent-color|box-shadow|.+-color"
)
COLOUR_CODE = re.compile(r"#[\da-f]{3,8}\b|\b(rgb|hsl|hwb|lab|lch|oklab|oklch)a?\(", re.IGNORECASE)
KEYWORDS = frozenset(
    {
        *("none", "inherit", "transparent", "currentcolor"),
        *("solid", "dashed", "dotted", "inset", "auto", "separate", "collapse"),
        # Of forced colours: what the reader's system says.
        *("canvas", "canvastext", "linktext", "graytext", "highlight", "highlighttext"),
    }
)


def without_functions(value: str) -> str:
    """Return a value without its functions and numbers: what is left are keywords."""
    while (shorter := re.sub(r"[\w-]+\([^()]*\)", "", value)) != value:
        value = shorter
    return re.sub(r"-?[\d.]+(rem|em|px|pt|%)?", "", value)


def parts(value: str) -> list[str]:
    """Split a value at its spaces, but not within parentheses."""
    return re.findall(r"(?:[^\s(]+\([^()]*(?:\([^()]*\)[^()]*)*\)|[^\s()]+)", value)


def faults(sheet: str) -> Iterator[str]:
    """Yield each declaration outside the tokens that names a measure or a colour of its own."""
    for name, value in DECLARATION.findall(TOKENS.sub("", COMMENT.sub("", sheet))):
        if not is_fine(name, value):
            yield f"{name}: {value}"


def is_fine(name: str, value: str) -> bool:
    if COLOUR_CODE.search(value):
        return False
    if name == "font-size":
        return TEXT.fullmatch(value) is not None
    if name in ("font", "box-shadow"):
        lengths = LENGTH.findall(value)
        is_line = all(length.lstrip("-") in ("1px", "2px", "3px") for length in lengths)
        return is_line and has_known_colours(value)
    if SPACES.fullmatch(name):
        return all(SPACE.fullmatch(part) for part in parts(value))
    if name == "border-radius":
        return all(RADIUS.fullmatch(part) for part in parts(value))
    return not COLOURED.fullmatch(name) or has_known_colours(value)


def has_known_colours(value: str) -> bool:
    words = re.findall(r"[a-z][\w-]*", without_functions(value), re.IGNORECASE)
    return all(word.lower() in KEYWORDS for word in words)


def tokens(sheet: Path) -> dict[str, str]:
    """Return the first value of each token of a sheet."""
    values: dict[str, str] = {}
    for block in TOKENS.findall(COMMENT.sub("", sheet.read_text())):
        for name, value in TOKEN.findall(block):
            values.setdefault(name, value)
    return values


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.name)
def test_measures_and_colours_are_tokens(sheet: Path) -> None:
    assert list(faults(sheet.read_text())) == []


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.name)
def test_every_token_is_used_and_declared(sheet: Path) -> None:
    text = COMMENT.sub("", sheet.read_text())
    used = set(re.findall(r"var\((--[\w-]+)", text))
    declared = set(tokens(sheet))
    if sheet == ADMIN:  # which shares its other variables with Django's style sheets
        used, declared = (set(filter(OURS.match, names)) for names in (used, declared))
    assert used == declared


def test_the_admin_has_the_measures_and_colours_of_the_pages() -> None:
    shared = tokens(ADMIN).keys() & tokens(PAGES).keys()
    assert shared
    assert {name: tokens(ADMIN)[name] for name in shared} == {
        name: tokens(PAGES)[name] for name in shared
    }
    mixed, page_colours = (
        set(COLOUR.findall(" ".join(tokens(sheet).values()))) for sheet in (ADMIN, PAGES)
    )
    assert mixed - page_colours == set()


def test_colours_outside_the_sheet_are_those_of_its_tokens() -> None:
    """The bar of a browser, and pictures of boards, which have no style sheet."""
    light, dark = COLOUR.findall(tokens(PAGES)["--paper"])
    base = (ROOT / "templates/pages/base.html").read_text()
    assert re.findall(r'name="theme-color" content="(#[\da-f]{6})"', base) == [light, dark]
    assert light == card._PAPER
    assert tokens(PAGES)["--accent"].startswith(f"light-dark({card._ACCENT},")
