"""No cell of a table that we write is a formula."""

from __future__ import annotations

import pytest

from leaderboard.rules.spreadsheet_cells import guarded


@pytest.mark.parametrize(
    "text",
    ["=3", " =3", "\t=3", "\u00a0+1", "\ufeff@SUM(A1)", "\u200b-2", "\n=1", "＝3", "\r", "\tx"],
)
def test_a_text_that_may_be_a_formula_follows_an_apostrophe(text: str) -> None:
    assert guarded(text) == f"'{text}"


@pytest.mark.parametrize("value", ["", " ", "atlas", "a=3", "3", -3.5, None, 2])
def test_other_values_stay(value: object) -> None:
    assert guarded(value) == value
