"""A scorer's result: valid scores, clamping, and the treatment of details."""

import enum
import json
import math
from collections import OrderedDict
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.rules.plugins.results import InvalidResult, check_score, encode_json


def test_a_score_is_a_clamped_float() -> None:
    cases: list[tuple[float, float, bool]] = [
        (5, 5.0, False),
        (152.5, 152.5, False),
        (0, 0.0, False),
        (-3.5, 0.0, True),
        (-1, 0.0, True),
    ]
    for score, value, clamped in cases:
        checked = check_score({"score": score})
        assert type(checked.value) is type(checked.raw_value) is float, score
        assert checked == (value, float(score), clamped, None, ""), score


def test_minus_zero_is_zero_and_not_clamped() -> None:
    checked = check_score({"score": -0.0})
    assert not checked.clamped
    assert math.copysign(1, checked.value) == math.copysign(1, checked.raw_value) == 1


class Level(enum.IntEnum):
    HIGH = 3


class Celsius(float):
    pass


def test_other_types_are_no_scores() -> None:
    scores: list[object] = [math.nan, math.inf, -math.inf, 10**400, -(10**400), 1j]
    for score in (*scores, True, False, None, "5", b"5", [5], {}, Level.HIGH, Celsius(3)):
        with pytest.raises(InvalidResult):
            check_score({"score": score})


async def promise() -> dict[str, float]:
    return {"score": 1.0}


def test_a_result_must_be_a_plain_dict() -> None:
    cases: list[tuple[object, str]] = [
        (None, "None"),
        (5.0, "float"),
        ([("score", 5)], "list"),
        (OrderedDict(score=5), "OrderedDict"),
        ({"points": 5}, "without a 'score'"),
        (({"score": n} for n in range(3)), "generator"),
    ]
    for result, message in cases:
        with pytest.raises(InvalidResult, match=message):
            check_score(result)


def test_the_error_for_a_coroutine_names_it() -> None:
    with pytest.raises(InvalidResult, match="async def"):
        check_score(promise())


def nested(levels: int) -> dict[str, Any]:
    inner: dict[str, Any] = {}
    for _ in range(levels - 1):
        inner = {"in": inner}
    return inner


def circular() -> dict[str, Any]:
    inner: dict[str, Any] = {}
    inner["me"] = inner
    return inner


def test_plain_details_are_kept() -> None:
    kept: list[dict[str, Any]] = [
        {"base": 1.5, "parts": [1, "é", None, True]},
        {"a": "x" * (64 * 1024 - len('{"a":""}'))},
        {"path": "C:\\u0000 is written out"},
        {"\U0001f600": "\U0001f600"},
        {str(n): {} for n in range(100)},
        nested(32),
        {},
    ]
    for details in kept:
        assert check_score({"score": 1, "details": details})[3:] == (details, ""), str(details)[:40]


def test_invalid_details_are_dropped_and_the_score_is_kept() -> None:
    cases: list[tuple[object, str]] = [
        ({"a": "x" * (64 * 1024)}, "64 KiB"),
        ({"a": "é" * (32 * 1024)}, "64 KiB"),
        ({"a": math.nan}, "NaN"),
        ({"a": -math.inf}, "NaN or Infinity"),
        ({"a": {1, 2}}, "plain JSON"),
        ({"a": 10**5000}, "plain JSON"),
        ({"a": [10**400]}, "too large"),
        ({("a", "b"): 1}, "plain JSON"),
        ({"a": [{"b": "\x00"}]}, "NUL"),
        ({"\x00": 1}, "NUL"),
        ({"a": "\ud800"}, "Unicode"),
        (circular(), "themselves"),
        (nested(33), "32 levels"),
        (nested(50_000), "32 levels"),
        ([1, 2], "list"),
        ("text", "str"),
    ]
    for details, note in cases:
        checked = check_score({"score": 7, "details": details})
        assert (checked.value, checked.details) == (7.0, None), note
        assert note in checked.details_note, note


plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abc"), inner, max_size=4),
    max_leaves=12,
)


@given(
    raw=st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**70), 2**70),
    details=st.dictionaries(st.text("abc"), plain, max_size=4),
)
def test_every_finite_score_becomes_zero_or_more(raw: float, details: dict[str, Any]) -> None:
    checked = check_score({"score": raw, "details": details})
    assert checked.value == max(float(raw), 0.0)
    assert checked.raw_value == float(raw)
    assert checked.clamped is (raw < 0)
    assert checked.details == json.loads(encode_json(details))
