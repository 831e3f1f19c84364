"""Errors about a setting of a plugin say what is accepted, and never repeat the value."""

from __future__ import annotations

from datetime import date
from enum import Enum
from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field, SecretStr, field_validator
from pydantic_core import PydanticCustomError

from leaderboard.sandbox.child.configs import check


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
        ("order", "middle", "must be 'first' or 'last'; got another value"),
        ("colour", "green", "must be 'red' or 'blue'; got another value"),
        ("word", "w", "must be a text of at least 2 characters; got a shorter text"),
        ("word", "words", "must be a text of at most 4 characters; got a longer text"),
        ("key", 5, "must be a text; got a whole number"),
        ("own", "x", "must be another value (is odd); got a text"),
    ],
)
def test_the_error_says_what_is_accepted(name: str, value: Any, error: str) -> None:
    errors, _ = check(Plugin, {name: value})
    assert errors == {name: [error]}
