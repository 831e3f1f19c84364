"""Texts become cells that are no formulas, and the same texts again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.rules.texts.spreadsheet_cells import guarded, unguarded


@pytest.mark.parametrize(
    "text",
    [
        *("=1+1", "-Team", "@home", " =3", "\t=3", "'=1", "\tx", "\r", "\n=1"),
        *("＝3", "\u00a0+1", "\ufeff@SUM(A1)", "\u200b-2"),
    ],
)
def test_no_cell_begins_a_formula(text: str) -> None:
    assert guarded(text) == f"'{text}"


@given(st.text(alphabet="='-+@ aＡ＝\t\u200b"))
def test_every_text_comes_back(text: str) -> None:
    assert unguarded(str(guarded(text))) == text


@pytest.mark.parametrize("text", ["Atlas", "O'Brien", "'quoted'", "a=b", "", " "])
def test_other_texts_stay(text: str) -> None:
    assert guarded(text) == unguarded(text) == text


@pytest.mark.parametrize("value", [-3.5, None, 2])
def test_other_values_stay(value: object) -> None:
    assert guarded(value) == value
