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

from leaderboard.rules.setting_errors import packed, unpacked
from leaderboard.sandbox.child.configs import check
from leaderboard.sandbox.host.descriptions import config_check
from leaderboard.sandbox.host.outcomes import NoAnswer
from leaderboard.translation import translated


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


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("least", -1, "must be a number, 0 or more; got a smaller number"),
        ("least", "9x", "must be a whole number; got a text"),
        ("least", 2.5, "must be a whole number; got a number"),
        ("share", 1, "must be a number below 0.5; got a larger number"),
        ("even", 3, "must be a multiple of 2; got another number"),
        (
            "since",
            "2018-01-01",
            "must be another value (Input should be greater than 2019-01-01); got a text",
        ),
        ("order", "middle", "must be one of 'first', 'last'; got another value"),
        ("colour", "green", "must be one of 'red', 'blue'; got another value"),
        ("quorum", 4, "must be one of 1, 2, 3; got another value"),
        ("either", "b", "must be one of 'c', 'a or b'; got another value"),
        ("shape", "b", "must be a text that matches ^'a' or 'b'$; got another text"),
        ("price", "0.1", "must be a number, 0.25 or more; got a smaller number"),
        ("ceiling", float("-inf"), "must be a number above -inf; got a smaller number"),
        ("word", "w", "must be a text of at least 2 characters; got a shorter text"),
        ("word", "words", "must be a text of at most 4 characters; got a longer text"),
        ("short", "ab", "must be a text of at most 1 character; got a longer text"),
        ("key", 5, "must be a text; got a whole number"),
        ("own", "x", "must be another value (is odd); got a text"),
    ],
)
def test_the_error_says_what_is_accepted(name: str, value: Any, error: str) -> None:
    errors, _ = check(Plugin, {name: value})
    assert errors == {name: [error]}
    assert unpacked(json.loads(json.dumps(packed(errors[name][0]), allow_nan=False))) == error


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("least", -1, "muss eine Zahl ab 0 sein; erhalten: eine kleinere Zahl"),
        ("share", 1, "muss eine Zahl unter 0,5 sein; erhalten: eine größere Zahl"),
        ("short", "ab", "muss ein Text von höchstens 1 Zeichen sein; erhalten: ein längerer Text"),
        ("key", 5, "muss ein Text sein; erhalten: eine ganze Zahl"),
        ("own", "x", "muss ein anderer Wert sein (is odd); erhalten: ein Text"),
        ("lest", 1, "muss ein bekanntes Feld sein ("),
    ],
)
def test_an_error_leaves_the_child_so_that_it_can_be_translated(
    name: str, value: Any, error: str
) -> None:
    errors, config = check(Plugin, {name: value})
    said = {each: [packed(text) for text in found] for each, found in errors.items()}
    answer = json.loads(json.dumps({"errors": said, "config": config}))
    found = config_check(answer, config).errors
    assert found == errors
    with translation.override("de"):
        assert translated(found[name][0]).startswith(error)


@pytest.mark.parametrize(
    "sent",
    [
        {"template": "{got.__class__}", "values": {"got": "x"}},
        {"template": "must be a text; got {got:>999999999}", "values": {"got": "x"}},
        {"template": "must be a text; got {got}", "values": {}},
        {"template": "must be a text; got {got}", "values": {"got": "x", "more": "y"}},
    ],
)
def test_a_child_cannot_send_a_template_of_its_own(sent: dict[str, Any]) -> None:
    with pytest.raises(NoAnswer):
        config_check({"errors": {"x": [sent]}, "config": {}}, {})


def test_what_a_child_sends_is_cut() -> None:
    nested: dict[str, Any] = {"template": "must be a text; got {got}", "values": {"got": "x"}}
    for _ in range(200):
        nested = {"template": nested["template"], "values": {"got": nested}}
    for sent in ("x" * 10_000, nested, [nested], {"x": nested}):
        assert len(unpacked(sent)) < 600


@pytest.mark.parametrize("errors", [[1], "x", {"x": 5}, {"x": None}])
def test_an_answer_without_a_list_of_errors_is_none(errors: Any) -> None:
    with pytest.raises(NoAnswer):
        config_check({"errors": errors, "config": {}}, {})
