"""Contrast as WCAG 2 measures it, and the nearest colour that can be read."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.rules.colours import (
    DARK,
    LIGHT,
    READABLE,
    Theme,
    accent_in,
    contrast,
    lowest_contrast,
    nearest_readable,
)
from tests.test_style_sheets import COLOUR, tokens

SHEET = Path(__file__).parents[2] / "static/pages/pages.css"
THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK])


def test_contrast_has_the_known_values() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.478, abs=0.001)
    assert contrast("#ffffff", "#0000ff") == contrast("#0000ff", "#ffffff")


@THEMES
@given(number=st.integers(0, 0xFFFFFF))
def test_the_nearest_colour_can_be_read(theme: Theme, number: int) -> None:
    colour = f"#{number:06x}"
    nearest = nearest_readable(theme, colour)
    assert lowest_contrast(theme, nearest) >= READABLE
    if lowest_contrast(theme, colour) >= READABLE:
        assert contrast(nearest, colour) < 1.05


def test_the_themes_are_those_of_the_pages() -> None:
    values = tokens(SHEET)
    for at, theme in enumerate((LIGHT, DARK)):
        backgrounds = [COLOUR.findall(values[f"--{name}"])[at] for name in ("paper", "surface")]
        assert {*backgrounds, COLOUR.findall(values["--sunk"])[at]} == set(theme.backgrounds)
        assert COLOUR.findall(values["--on-accent"])[at] == theme.on_accent
        own = COLOUR.findall(values["--accent"])[at]
        assert lowest_contrast(theme, own) >= READABLE
        assert contrast(accent_in(theme, own).wash, theme.backgrounds[0]) < 1.5
