"""A message is English text, and remembers what its translation needs."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from leaderboard.rules.texts.messages import counted, message


def test_a_message_is_the_english_sentence() -> None:
    text = message("must be one of {accepted}; got {got}", accepted="a, b", got=3)
    assert text == "must be one of a, b; got 3"
    assert json.dumps(text) == '"must be one of a, b; got 3"'
    assert (text.template, text.plural) == ("must be one of {accepted}; got {got}", "")
    assert text.parameters == {"accepted": "a, b", "got": 3}


def test_a_count_selects_singular_or_plural() -> None:
    cases: list[tuple[int, str]] = [(0, "0 lines"), (1, "1 line"), (2, "2 lines")]
    for count, text in cases:
        assert counted("{count} line", "{count} lines", count) == text, count


def test_a_missing_value_raises_an_error_immediately() -> None:
    with pytest.raises(KeyError, match="name"):
        message("unknown field {name}")


def pickled(text: object) -> object:
    return pickle.loads(pickle.dumps(text))


def test_copies_remember_the_template() -> None:
    ways: list[Callable[[Any], Any]] = [copy.copy, copy.deepcopy, pickled]
    for way in ways:
        text = way(counted("{count} line of {file}", "{count} lines of {file}", 2, file="a.csv"))
        assert text == "2 lines of a.csv", way
        assert text.plural == "{count} lines of {file}", way
        assert text.parameters == {"count": 2, "file": "a.csv"}, way


def test_an_exception_keeps_the_message_object() -> None:
    error = ValueError(message("no {thing}", thing="file"))
    assert error.args[0].template == "no {thing}"
    assert str(error) == "no file"
