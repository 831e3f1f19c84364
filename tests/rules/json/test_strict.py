"""The API's JSON reader: what it refuses, and how errors name the place."""

import hashlib
import json
import math
from contextlib import nullcontext, suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.rules.json.canonical import canonical, digest
from leaderboard.rules.json.strict import (
    MAX_DEPTH,
    InvalidJSON,
    Twice,
    _walk,
    _wrong,
    parse_answer,
    parse_counted,
    parse_foreign,
    parse_json,
)


def nested(depth: int, open_: str = '{"a":', close: str = "}") -> bytes:
    return (open_ * depth + "1" + close * depth).encode()


REFUSED = [
    (b'{"a": 1, "a": 2}', "a", "twice"),
    (b'{"metrics": {"rating": 1, "rating": 1}}', "metrics.rating", "twice"),
    (b'{"metrics": {"rating": NaN}}', "metrics.rating", "finite"),
    (b'{"metrics": {"rating": -Infinity}}', "metrics.rating", "finite"),
    (b'{"metrics": {"rating": 1e400}}', "metrics.rating", "finite"),
    (b'{"metrics": {"rating": -1e400}}', "metrics.rating", "finite"),
    (b'{"a": [0, 9223372036854775808]}', "a.1", "64 bits"),
    (b'{"a": ' + b"9" * 4000 + b"}", "a", "64 bits"),
    (b'{"a": ' + b"9" * 100_000 + b"}", "", "64 bits"),
    (b'{"meta": {"model": "x\\u0000"}}', "meta.model", "NUL"),
    (b'{"meta": {"\\u0000": "x"}}', "meta", "NUL"),
    (b'{"note": "\\ud800"}', "note", "surrogate"),
    (b'{"\\udc00": 1}', "", "surrogate"),
    (b'{"a": 1', "", r"delimiter \(column 8\)"),
    (b'{"a":\n 1', "", r"delimiter \(line 2, column 3\)"),
    (b"\xff\xfe", "", "UTF-8"),
    ('{"a": 1}'.encode("utf-16"), "", "must be UTF-8; got UTF-16"),
    ("[1]".encode("utf-32-be"), "", "must be UTF-8; got UTF-32"),
    (b"[\x00]", "", "must be JSON"),
    (b'\xef\xbb\xbf{"a": 1}', "", "a byte order mark"),
    (b"", "", "must be JSON"),
    (b'{"a": 01}', "", "must be JSON"),
    (b"{'a': 1}", "", "must be JSON"),
    (b'{"a": 1} x', "", "extra data"),
]


def test_errors_name_the_place() -> None:
    for body, place, message in REFUSED:
        with pytest.raises(InvalidJSON, match=message) as caught:
            parse_json(body)
        assert caught.value.place == place, body[:60]


def test_the_depth_of_nesting_is_limited() -> None:
    cases: list[tuple[str, str]] = [('{"a":', "}"), ("[", "]")]
    for open_, close in cases:
        parse_json(nested(MAX_DEPTH, open_, close))
        for depth in (MAX_DEPTH + 1, 1000, 50_000):
            with pytest.raises(InvalidJSON, match="at most 32 levels"):
                parse_json(nested(depth, open_, close))


def test_the_number_of_parts_is_limited() -> None:
    assert len(parse_json(b"[1,1,1,1]", max_parts=5)) == 4
    with pytest.raises(InvalidJSON, match="at most 5 values"):
        parse_json(b"[1,1,1,1,1]", max_parts=5)
    with pytest.raises(InvalidJSON, match="at most 100000 values"):
        parse_json(b"[" + b",".join([b"[]"] * 120_000) + b"]")


def test_the_parts_are_counted() -> None:
    assert parse_counted(b'{"a": [1, "b", null], "c": {}}') == ({"a": [1, "b", None], "c": {}}, 6)
    assert parse_counted(b"5") == (5, 1)


def test_a_surrogate_pair_is_a_character() -> None:
    assert parse_json(b'"\\ud83d\\ude00"') == "\N{GRINNING FACE}"


def test_the_largest_integers_are_read() -> None:
    assert parse_json(b"[9223372036854775807, -9223372036854775807]") == [2**63 - 1, 1 - 2**63]


def test_a_long_name_is_shortened_in_the_place() -> None:
    with pytest.raises(InvalidJSON) as caught:
        parse_json(json.dumps({"a" * 5000: math.inf}).encode())
    assert len(caught.value.place) == 80


def test_a_duplicate_name_is_found_among_many() -> None:
    """With a search of quadratic time this test would take an hour."""
    names = [f"n{number}" for number in range(200_000)]
    body = "{" + ",".join(f'"{name}":1' for name in [*names, names[-1]]) + "}"
    with pytest.raises(InvalidJSON, match="twice") as caught:
        parse_json(body.encode(), max_parts=1_000_000)
    assert caught.value.place == names[-1]


def test_the_reader_of_foreign_files_accepts_defects() -> None:
    document = parse_foreign(
        b'\xef\xbb\xbf{"nan": NaN, "long": ' + b"9" * 5000 + b', "twice": {"b": 1, "a": 2, "a": 3}}'
    )
    assert math.isnan(document["nan"])
    assert document["long"] == math.inf
    assert isinstance(document["twice"], Twice)
    assert (document["twice"], document["twice"].name) == ({"b": 1, "a": 3}, "a")
    for wrong in (b"1 2", b"9" * 5000 + b" 2"):
        with pytest.raises(InvalidJSON, match="extra data"):
            parse_foreign(wrong)


def test_answers_of_children_may_be_deep_and_have_no_constants() -> None:
    assert parse_answer(b'{"a": [1.5, null]}') == {"a": [1.5, None]}
    assert parse_answer(nested(200)) != 1
    for line in (b"[NaN]", b"-Infinity", b"\xff", b"[", b"9" * 5000):
        with pytest.raises(InvalidJSON):
            parse_answer(line)


PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63) + 1, 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@given(PLAIN)
def test_plain_values_are_read_unchanged(value: Any) -> None:
    assert parse_json(json.dumps(value).encode()) == value
    assert parse_json(canonical(value)) == value


@given(st.binary(max_size=60) | st.text('{}[]",:0123456789.eE+-\\u tfn').map(str.encode))
def test_random_bytes_give_a_value_or_a_refusal(noise: bytes) -> None:
    with suppress(InvalidJSON):
        assert parse_json(noise) == json.loads(noise)


def test_canonical_text_does_not_depend_on_the_order() -> None:
    assert canonical({"b": [1, None], "a": "é"}) == canonical({"a": "é", "b": [1, None]})
    assert canonical({"a": 1}) != canonical({"a": "1"})


SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**65), 2**65),
    st.floats(),
    st.text(),
    st.just("\0"),
    st.just("\ud800"),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.just("\0"), inner),
    max_leaves=20,
)


@given(VALUES)
def test_the_fast_check_and_the_full_check_agree(value: Any) -> None:
    wrong = any(_wrong(part, len(path)) for path, part in _walk(value))
    with pytest.raises(InvalidJSON) if wrong else nullcontext():
        parse_counted(json.dumps(value).encode())


@given(
    st.recursive(
        st.none() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=20,
    )
)
def test_a_digest_is_that_of_the_canonical_text(value: Any) -> None:
    assert digest(value) == hashlib.sha256(canonical(value)).hexdigest()
