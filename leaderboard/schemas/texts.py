"""Texts of one line, names of metrics and of values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import AfterValidator, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from leaderboard.rules.texts.joiners import is_readable
from leaderboard.rules.texts.messages import Message, message
from leaderboard.rules.texts.quoting import sent
from leaderboard.rules.texts.value_names import OWN, VALUE_NAMES, is_value_name
from leaderboard.schemas.base import ACCEPTED, Accepts


@dataclass(frozen=True)
class Line:
    """A text of one line, with `least` to `most` visible characters.

    trimmed: whether space around it is refused.
    """

    most: int
    least: int = 1
    trimmed: bool = True

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        sentence = message(
            "must be a text of {least} to {most} visible characters",
            least=self.least,
            most=self.most,
        )
        return core_schema.no_info_after_validator_function(
            self._checked,
            {**handler(source), "min_length": self.least, "max_length": self.most},
            metadata={ACCEPTED: sentence},
        )

    def _checked(self, text: str) -> str:
        if is_readable(text) and (text == text.strip() or not self.trimmed):
            return text
        raise PydanticCustomError("not_a_line", "not a line")


def trimmed(text: object) -> object:
    """A text without the space around it; anything else as it is."""
    return text.strip() if isinstance(text, str) else text


@dataclass(frozen=True)
class EachOnce:
    """A list of texts, none of which is there a second time."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self._checked, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return {**handler(schema), "uniqueItems": True}

    def _checked(self, texts: Sequence[str]) -> Sequence[str]:
        earlier: set[str] = set()
        for text in texts:
            if text in earlier:
                raise ValueError(message("must name each once; got {name} twice", name=sent(text)))
            earlier.add(text)
        return texts


def not_another_value(name: str) -> str:
    """Refuse the name of a value that every board has.

    Facts are unknown here, and stored names are not checked again: a challenge whose metric has
    the name of a later fact stays readable.
    """
    if name in OWN:
        raise ValueError(another_value(name))
    return name


def another_value(name: str) -> Message:
    """The error for the name of a value that the board has already."""
    return message("must not be the name of another value; got {name}", name=sent(name))


def _reported_name(name: str) -> str:
    if not is_value_name(name):
        raise PydanticCustomError("not_a_value_name", "not the name of a value")
    return name


ValueName = Annotated[
    str,
    AfterValidator(_reported_name),
    Accepts(message("must be a name of {accepted}", accepted=VALUE_NAMES)),
]
"""The name of a number that participants report."""
