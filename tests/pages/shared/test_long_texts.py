"""Folding long texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.pages.shared.long_texts import LONGEST, SEEN, ShownText, folded


def test_a_short_text_is_shown_unchanged() -> None:
    for text in ("", "short", "word " * 40, "x" * 220, "a\nb\nc"):
        assert folded(text) == ShownText(text)


def test_a_long_text_is_cut_between_words() -> None:
    text = "word " * 100
    fold = folded(text)
    assert fold.start == "word " * 40
    assert fold.rest == "word " * 60
    assert fold.length == "500 characters"
    assert fold.left_out == ""


def test_many_lines_count_as_long() -> None:
    text = folded("a\n" * 30)
    assert (text.start, text.rest) == ("a\n" * 6, "a\n" * 24)
    assert folded("語" * 300).start == "語" * SEEN, "a script without spaces"


@pytest.mark.parametrize("pair", ["e\u0301", "👩\u200d🔬"], ids=["accent", "emoji"])
def test_a_cut_does_not_split_combined_characters(pair: str) -> None:
    for before in range(3):
        start = folded("-" * before + pair * 200).start
        assert (len(start) - before) % len(pair) == 0


def test_characters_that_are_invalid_in_html_are_removed() -> None:
    fold = folded("x" * (LONGEST + 1234))
    assert len(fold.start) + len(fold.rest) == LONGEST
    assert fold.left_out.startswith("1,234 more")


@given(st.text(max_size=1000))
def test_start_and_rest_together_are_the_text(text: str) -> None:
    fold = folded(text)
    assert fold.start + fold.rest == text
    assert len(fold.start) <= SEEN * 1.1
