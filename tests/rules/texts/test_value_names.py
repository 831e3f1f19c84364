"""Names of values that participants report, and texts as children printed them."""

from __future__ import annotations

import pytest

from leaderboard.rules.texts.plugin_output import clean_output
from leaderboard.rules.texts.value_names import is_value_name


@pytest.mark.parametrize(
    ("name", "is_accepted"),
    [
        *(("a", True), ("F1@k^2:x.y-z_9", True), ("a" * 80, True)),
        *(("a" * 81, False), ("", False), ("a b", False), ("é", False), (None, False)),
    ],
)
def test_which_names_values_may_have(name: object, is_accepted: bool) -> None:
    assert is_value_name(name) is is_accepted


@pytest.mark.parametrize(
    ("printed", "text"),
    [(b"abcd", "abcd"), (b"abcde", "abcd"), (b"a\r\nb", "a\nb"), ("aéé".encode(), "aé"), (b"", "")],
)
def test_printed_output_is_cut_to_its_limit(printed: bytes, text: str) -> None:
    assert clean_output(printed, 4) == text
