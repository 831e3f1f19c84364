"""The terms of a score: their signs, and the formatting of values."""

from __future__ import annotations

from typing import Any

import pytest

from leaderboard.pages.score_terms import Term, terms

WEIGHTED = {"base": 100.0, "rating_contribution": 80.0, "time_penalty": 12.5, "token_penalty": 15.0}


def texts(details: dict[str, Any], score: float | None) -> list[str]:
    return [term.text for term in terms(details, score)]


def test_penalties_have_a_sign_if_the_terms_add_up_to_the_score() -> None:
    assert texts(WEIGHTED, 152.5) == ["+100", "+80", "−12.5", "−15"]


def test_a_negative_penalty_is_a_bonus() -> None:
    assert texts({"base": 0.0, "time_penalty": -3.0}, 3.0) == ["0", "+3"]


def test_negative_penalties_stay_negative() -> None:
    assert texts({"base": 10, "late_penalty": -4}, 6.0) == ["+10", "−4"]


def test_terms_that_do_not_add_up_are_shown_as_reported() -> None:
    assert texts({"quality": 80.0, "share_kept": 0.5}, 40.0) == ["80", "0.5"]
    assert texts(WEIGHTED, 99.0) == ["100", "80", "12.5", "15"]
    assert texts(WEIGHTED, None) == ["100", "80", "12.5", "15"]


def test_only_numbers_are_added_up() -> None:
    assert texts({"plan": "gold", "base": 2, "met": True, "penalty": 0.5}, 1.5) == [
        "gold",
        "+2",
        "yes",
        "−0.5",
    ]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (100.0, "100"),
        (-0.5, "−0.5"),
        (1234567.891, "1,234,567.891"),
        (0.1 + 0.2, "0.3"),
        (1e-9, "1e-09"),
        (1e20, "1e+20"),
        (0, "0"),
        (True, "yes"),
        (None, "–"),
        ("text", "text"),
    ],
)
def test_terms_are_formatted_for_people(value: Any, text: str) -> None:
    assert terms({"some_term": value}, None) == [Term("Some term", text, "")]


def test_nested_terms_are_formatted_as_indented_json() -> None:
    assert terms({"rooms": {"é": [1]}}, 1.0) == [
        Term("Rooms", "", '{\n  "é": [\n    1\n  ]\n}'),
    ]
