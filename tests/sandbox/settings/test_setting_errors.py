"""Errors about a setting of a plugin say what is accepted, and never repeat the value."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal
from enum import Enum
from typing import Any, Literal

import pytest
from django.utils import translation
from pydantic import BaseModel, Field, SecretStr, field_validator
from pydantic_core import PydanticCustomError

from leaderboard.languages.translation import translated
from leaderboard.rules.plugins.setting_errors import packed, unpacked
from leaderboard.sandbox.child.configs import check
from leaderboard.sandbox.host.descriptions import config_check
from leaderboard.sandbox.host.outcomes import NoAnswer


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Settings(BaseModel):
    least: int = Field(0, ge=0)
    share: float = Field(0.1, lt=0.5)
    even: int = Field(0, multiple_of=2)
    since: date = Field(date(2020, 1, 1), gt=date(2019, 1, 1))
    order: Literal["first", "last"] = "first"
    colour: Colour = Colour.RED
    word: str = Field("word", min_length=2, max_length=4)
    quorum: Literal[1, 2, 3] = 1
    either: Literal["c", "a or b"] = "c"
    shape: str = Field("", pattern="^'a' or 'b'$")
    price: Decimal = Field(Decimal("1.5"), ge=Decimal("0.25"))
    ceiling: float = Field(0, gt=float("-inf"))
    short: str = Field("", max_length=1)
    key: SecretStr = SecretStr("")
    own: str = ""

    @field_validator("own")
    @classmethod
    def never(cls, value: str) -> str:
        raise PydanticCustomError("enum", "is odd")


class Plugin:
    Config = Settings


ACCEPTED: list[tuple[str, Any, str]] = [
    ("least", -1, "0 or more; got a smaller number"),
    ("least", "9x", "whole number; got a text"),
    ("least", 2.5, "whole number; got a number"),
    ("share", 1, "below 0.5; got a larger number"),
    ("even", 3, "multiple of 2; got another number"),
    ("since", "2018-01-01", "than 2019-01-01); got a text"),
    ("order", "middle", "'first', 'last'; got another value"),
    ("colour", "green", "'red', 'blue'; got another value"),
    ("quorum", 4, "1, 2, 3; got another value"),
    ("either", "b", "'c', 'a or b'; got another value"),
    ("shape", "b", "^'a' or 'b'$; got another text"),
    ("price", "0.1", "0.25 or more; got a smaller number"),
    ("ceiling", float("-inf"), "above -inf; got a smaller number"),
    ("word", "w", "least 2 characters; got a shorter text"),
    ("word", "words", "most 4 characters; got a longer text"),
    ("short", "ab", "most 1 character; got a longer text"),
    ("key", 5, "text; got a whole number"),
    ("own", "x", "(is odd); got a text"),
]


def test_the_error_says_what_is_accepted() -> None:
    for name, value, ending in ACCEPTED:
        errors, _ = check(Plugin, {name: value})
        assert list(errors) == [name]
        (error,) = errors[name]
        assert str(error).startswith("must be ")
        assert str(error).endswith(ending)
        assert unpacked(json.loads(json.dumps(packed(error), allow_nan=False))) == error


def test_an_error_leaves_the_child_so_that_it_can_be_translated() -> None:
    cases: list[tuple[str, Any, str]] = [
        ("least", -1, "ab 0 sein"),
        ("share", 1, "unter 0,5 sein"),
        ("short", "ab", "höchstens 1 Zeichen sein"),
        ("key", 5, "Text sein"),
        ("own", "x", "sein (is odd)"),
        ("lest", 1, "bekanntes Feld sein ("),
    ]
    for name, value, part in cases:
        errors, config = check(Plugin, {name: value})
        sent = {field: [packed(text) for text in texts] for field, texts in errors.items()}
        answer = json.loads(json.dumps({"errors": sent, "config": config}))
        received = config_check(answer, config).errors
        assert received == errors
        with translation.override("de"):
            assert part in translated(received[name][0])


def test_a_child_cannot_send_a_template_of_its_own() -> None:
    template = "must be a text; got {got}"
    templates: list[dict[str, Any]] = [
        {"template": "{got.__class__}", "values": {"got": "x"}},
        {"template": "must be a text; got {got:>999999999}", "values": {"got": "x"}},
        {"template": template, "values": {}},
        {"template": template, "values": {"got": "x", "more": "y"}},
    ]
    for sent in templates:
        with pytest.raises(NoAnswer):
            config_check({"errors": {"x": [sent]}, "config": {}}, {})
    errors: Any
    for errors in ([1], "x", {"x": 5}, {"x": None}):
        with pytest.raises(NoAnswer):
            config_check({"errors": errors, "config": {}}, {})


def test_what_a_child_sends_is_cut() -> None:
    nested: dict[str, Any] = {"template": "must be a text; got {got}", "values": {"got": "x"}}
    for _ in range(200):
        nested = {"template": nested["template"], "values": {"got": nested}}
    for sent in ("x" * 10_000, nested, [nested], {"x": nested}):
        assert len(unpacked(sent)) < 600
