"""The items of a long list in JSON, one by one, as the lines of NDJSON are."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

from leaderboard.rules.strict_json import MAX_DEPTH, InvalidJSON, place_of, said_of, text_of

_SPACE: Final = re.compile(r"[ \t\n\r]*")
_DECODER: Final = json.JSONDecoder()


def items_of(body: bytes, name: str) -> Iterator[bytes]:
    """The texts of the items in `{"name": [...]}`, in order.

    Where an item ends is all that is found out: each is to be read strictly by itself. Raises
    InvalidJSON, with the place, for a body that is not such an object without other fields; an
    item before that place has been given by then.
    """
    text = _Text(text_of(body), name)
    text.expect("{", "")
    if text.is_next("}"):
        raise InvalidJSON("is required, a list", name)
    text.expect_name()
    text.expect("[", name)
    if not text.is_next("]"):
        yield text.item(0).encode()
        number = 1
        while not text.is_next("]"):
            text.expect(",", f"{name}.{number}")
            yield text.item(number).encode()
            number += 1
    if text.is_next(","):
        text.expect_no_name()
    text.expect("}", "")
    text.expect_end()


class _Text:
    """A text, and how much of it is read. White space before the next part never is."""

    def __init__(self, text: str, name: str) -> None:
        self.text = text
        self.name = name
        self.at = 0
        self._skip()

    def is_next(self, sign: str) -> bool:
        """Read a sign if it is the next one."""
        if not self.text.startswith(sign, self.at):
            return False
        self.at += len(sign)
        self._skip()
        return True

    def expect(self, sign: str, place: str) -> None:
        if self.is_next(sign):
            return
        if sign == "[":
            raise InvalidJSON(f"must be a list; got {self._shown()}", place)
        if sign == "{":
            wanted = f'{{"{self.name}": […]}}'
            raise InvalidJSON(f"must be an object {wanted}; got {self._shown()}")
        error = json.JSONDecodeError(f"expecting {sign!r}", self.text, self.at)
        raise InvalidJSON(f"is not JSON: {said_of(error)}", place)

    def expect_name(self) -> None:
        found = self._name()
        if found != self.name:
            raise InvalidJSON(f"is an unknown field; accepted: {self.name}", place_of((found,)))

    def expect_no_name(self) -> None:
        found = self._name()
        wrong = "stands twice in its object" if found == self.name else "is an unknown field"
        raise InvalidJSON(wrong, place_of((found,)))

    def expect_end(self) -> None:
        if self.at < len(self.text):
            error = json.JSONDecodeError("Extra data", self.text, self.at)
            raise InvalidJSON(f"is not JSON: {said_of(error)}")

    def item(self, number: int) -> str:
        """The text of the next value."""
        start = self.at
        end = self._end(f"{self.name}.{number}")
        return self.text[start:end]

    def _name(self) -> str:
        start = self.at
        end = self._end("")
        found = json.loads(self.text[start:end])
        if not isinstance(found, str):
            error = json.JSONDecodeError("expecting the name of a field", self.text, start)
            raise InvalidJSON(f"is not JSON: {said_of(error)}")
        self.expect(":", "")
        return found

    def _end(self, place: str) -> int:
        """Where the next value ends; it is read then."""
        try:
            _, end = _DECODER.raw_decode(self.text, self.at)
        except json.JSONDecodeError as error:
            raise InvalidJSON(f"is not JSON: {said_of(error)}", place) from None
        except ValueError:  # Python reads no integer of more than 4300 digits
            raise InvalidJSON("holds an integer beyond 64 bits", place) from None
        except RecursionError:
            raise InvalidJSON(f"is nested deeper than {MAX_DEPTH} levels", place) from None
        self.at = end
        self._skip()
        return end

    def _skip(self) -> None:
        found = _SPACE.match(self.text, self.at)
        self.at = found.end() if found else self.at

    def _shown(self) -> str:
        return repr(self.text[self.at : self.at + 20]) if self.at < len(self.text) else "nothing"
