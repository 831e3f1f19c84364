"""Large numbers in stored JSON are floats, as they were when they were stored."""

from __future__ import annotations

import json
from typing import Any

from leaderboard.rules.json.stored_numbers import read_numbers

LONG = "31" + "0" * 22
"""3.1e23 as PostgreSQL writes it."""


def test_large_numbers_are_floats() -> None:
    cases: list[tuple[str, Any]] = [
        (f'{{"flops": {LONG}}}', {"flops": 3.1e23}),
        (f'{{"a": -{LONG}, "b": 7}}', {"a": -3.1e23, "b": 7}),
        (
            f'{{"mean": {{"interval": [{LONG}, -{LONG}], "defined": 3}}}}',
            {"mean": {"interval": [3.1e23, -3.1e23], "defined": 3}},
        ),
        (json.dumps({"a": 1.7e308, "b": int(1.7e308)}), {"a": 1.7e308, "b": 1.7e308}),
        (
            '{"a": 9007199254740993, "b": 0.12345678901234567}',
            {"a": 9007199254740993, "b": 0.12345678901234567},
        ),
        ("[10000000000000000,-10000000000000000]", [1e16, -1e16]),
        (
            '{"größe":10000000000000000, "b": 9999999999999999}',
            {"größe": 1e16, "b": 9999999999999999},
        ),
        (
            '{"a": true, "b": null, "c": "12345678901234567890"}',
            {"a": True, "b": None, "c": "12345678901234567890"},
        ),
    ]
    for text, value in cases:
        numbers = read_numbers(text)
        assert numbers == value, text
        assert repr(numbers) == repr(value), text
