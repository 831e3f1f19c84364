"""Reads the items of a long JSON list one by one, like lines of NDJSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from leaderboard.rules.json.strict import (
    MAX_PARTS,
    InvalidJSON,
    check_value,
    not_json,
    parse_first,
    place_of,
    text_of,
)
from leaderboard.rules.texts.messages import Message, message
from leaderboard.rules.texts.quoting import sent

_SPACE: Final = re.compile(r"[ \t\n\r]*")


class Item(NamedTuple):
    """An item of a list, decoded. text: its JSON."""

    text: str
    value: Any

    def counted(self, max_parts: int = MAX_PARTS) -> int:
        """The number of values in the item. Raises InvalidJSON as `parse_json` does."""
        return check_value(self.value, max_parts, may_escape="\\u" in self.text)


def items_of(body: bytes, name: str) -> Iterator[Item]:
    """The items in `{"name": [...]}`, in order; the caller still has to check each with `counted`.

    Raises InvalidJSON, with the position, for a body that is not such an object or has further
    fields; items before that position are yielded first.
    """
    text = _Text(text_of(body), name)
    text.expect("{", "")
    if text.is_next("}"):
        raise InvalidJSON(message("is required, a list; got nothing"), name)
    text.expect_name()
    text.expect("[", name)
    if not text.is_next("]"):
        yield text.item(0)
        number = 1
        while not text.is_next("]"):
            text.expect(",", f"{name}.{number}")
            yield text.item(number)
            number += 1
    if text.is_next(","):
        text.expect_no_name()
    text.expect("}", "")
    text.expect_end()


class _Text:
    """A text and the position up to which it, and white space after it, is read."""

    def __init__(self, text: str, name: str) -> None:
        self.text = text
        self.name = name
        self.at = 0
        self._skip()

    def is_next(self, sign: str) -> bool:
        """Read a sign if it comes next; returns whether it did."""
        if not self.text.startswith(sign, self.at):
            return False
        self.at += len(sign)
        self._skip()
        return True

    def expect(self, sign: str, place: str) -> None:
        if self.is_next(sign):
            return
        if sign == "[":
            raise InvalidJSON(message("must be a list; got {sent}", sent=self._next_text()), place)
        if sign == "{":
            error_text = message(
                'must be an object {{"{name}": […]}}; got {sent}',
                name=self.name,
                sent=self._next_text(),
            )
            raise InvalidJSON(error_text)
        error = json.JSONDecodeError(f"expecting {sign!r}", self.text, self.at)
        raise not_json(error, place)

    def expect_name(self) -> None:
        name = self._name()
        if name != self.name:
            raise InvalidJSON(self._unknown(name), place_of((name,)))

    def expect_no_name(self) -> None:
        name = self._name()
        if name == self.name:
            error_text = message("must be there once in its object; got it twice")
        else:
            error_text = self._unknown(name)
        raise InvalidJSON(error_text, place_of((name,)))

    def expect_end(self) -> None:
        if self.at < len(self.text):
            error = json.JSONDecodeError("Extra data", self.text, self.at)
            raise not_json(error)

    def item(self, number: int) -> Item:
        """The next value."""
        start = self.at
        value, end = self._value(f"{self.name}.{number}")
        return Item(self.text[start:end], value)

    def _name(self) -> str:
        start = self.at
        name, _ = self._value("")
        if not isinstance(name, str):
            raise not_json(json.JSONDecodeError("expecting the name of a field", self.text, start))
        self.expect(":", "")
        return name

    def _value(self, place: str) -> tuple[Any, int]:
        """Read the next value; returns it and the position after it."""
        try:
            value, end = parse_first(self.text, self.at)
        except InvalidJSON as error:
            raise type(error)(error.message, place) from None
        self.at = end
        self._skip()
        return value, end

    def _skip(self) -> None:
        space = _SPACE.match(self.text, self.at)
        self.at = space.end() if space else self.at

    def _unknown(self, name: str) -> Message:
        return message("must be {known}; got {name}", known=self.name, name=sent(name))

    def _next_text(self) -> str:
        return repr(self.text[self.at : self.at + 20]) if self.at < len(self.text) else "nothing"
