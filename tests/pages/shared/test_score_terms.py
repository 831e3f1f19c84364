"""The terms of a score: their signs, and the formatting of values."""

from __future__ import annotations

from typing import Any

from leaderboard.pages.shared.score_terms import Term, terms

WEIGHTED = {"base": 100.0, "rating_contribution": 80.0, "time_penalty": 12.5, "token_penalty": 15.0}


def texts(details: dict[str, Any], score: float | None) -> list[str]:
    return [term.text for term in terms(details, score)]


def test_penalties_have_a_sign_if_the_terms_add_up_to_the_score() -> None:
    mixed = {"plan": "gold", "base": 2, "met": True, "penalty": 0.5}
    for details, score, expected in (
        (WEIGHTED, 152.5, ["+100", "+80", "−12.5", "−15"]),
        ({"base": 0.0, "time_penalty": -3.0}, 3.0, ["0", "+3"]),
        ({"base": 10, "late_penalty": -4}, 6.0, ["+10", "−4"]),
        ({"quality": 80.0, "share_kept": 0.5}, 40.0, ["80", "0.5"]),
        (WEIGHTED, 99.0, ["100", "80", "12.5", "15"]),
        (WEIGHTED, None, ["100", "80", "12.5", "15"]),
        ({"a": 1e308, "b": 1.5e308}, 1.0, ["1e+308", "1.5e+308"]),
        ({"a": 10**400, "b": 2}, 2.0, [f"{10**400}", "+2"]),
        (mixed, 1.5, ["gold", "+2", "yes", "−0.5"]),
    ):
        assert texts(details, score) == expected


def test_terms_are_formatted_for_people() -> None:
    values: list[tuple[Any, str]] = [
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
    ]
    for value, text in values:
        assert terms({"some_term": value}, None) == [Term("Some term", text, "")]
    assert terms({"rooms": {"é": [1]}}, 1.0) == [
        Term("Rooms", "", '{\n  "é": [\n    1\n  ]\n}'),
    ]
