"""The declared fields of the meta of attempts, and what the texts in them mean."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from string import ascii_lowercase, ascii_uppercase
from typing import Final, NamedTuple

from leaderboard.rules.json.stored import StoredMetaField

NUMBER: Final = r"^-?[0-9]{1,15}(\.[0-9]{1,15})?$"
"""The texts that are numbers, as databases and programs read them."""
DATE: Final = r"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
"""The beginnings of texts that are dates or moments: `2026-11-20`."""
DATE_LENGTH: Final = 10
TRUE: Final = ("true", "yes", "1")
FALSE: Final = ("false", "no", "0")
SCHEMES: Final = ("https://", "http://")
LINK: Final = "^https?://"
PREFIX: Final = "meta."
"""Stands before the name of a field where columns and parameters are named."""

_LOWER: Final = str.maketrans(ascii_uppercase, ascii_lowercase)


class MetaField(NamedTuple):
    """A field that a challenge declares: its name in the meta, its label, type and unit.

    type: of `MetaType`. shown: whether the board shows its column without being asked. choices: the
    values of a choice.
    """

    name: str
    label: str
    type: str
    unit: str
    shown: bool
    choices: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        return f"{PREFIX}{self.name}"

    @property
    def is_range(self) -> bool:
        """Whether one asks for values from a least to a largest one."""
        return self.type in ("number", "date")


class MetaTest(NamedTuple):
    """What the value of a field must be: equal to a text, or in a range.

    equals: for a boolean field `true` or `false`, for a link `true`. least, most: "" for no bound.
    """

    name: str
    type: str
    equals: str = ""
    least: str = ""
    most: str = ""

    @property
    def is_right(self) -> bool:
        """Whether the test has the values that its type accepts, and at least one of them."""
        given = [bound for bound in (self.least, self.most) if bound]
        if self.type == "number":
            return bool(given) and not self.equals and all(map(is_number, given))
        if self.type == "date":
            return bool(given) and not self.equals and all(map(is_date, given))
        accepted = {"boolean": ("true", "false"), "link": ("true",)}.get(self.type, (self.equals,))
        return not given and bool(self.equals) and self.equals in accepted


def fields_of(declared: Sequence[StoredMetaField]) -> list[MetaField]:
    """The fields of a challenge, from its stored `meta_fields`."""
    return [
        MetaField(
            field["name"],
            field.get("label") or field["name"],
            field.get("type", "text"),
            field.get("unit", ""),
            field.get("shown", False),
            tuple(field.get("choices", ())),
        )
        for field in declared
    ]


def choice_in(text: str) -> str:
    """The choice of a text, which may have words of its own behind a colon: `open: Apache-2.0`."""
    return text.partition(":")[0].strip()


def is_number(text: str) -> bool:
    return re.match(NUMBER, text) is not None


def is_date(text: str) -> bool:
    """Whether a text is a day, such as `2026-11-20`."""
    if len(text) != DATE_LENGTH:
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def typed(type_: str, text: str) -> float | bool | date | None:
    """The value of a text of a field; None if it has not the type, or is only a text."""
    if type_ == "number" and is_number(text):
        return float(text)
    if type_ == "date" and is_date(text[:DATE_LENGTH]):
        return date.fromisoformat(text[:DATE_LENGTH])
    if type_ == "boolean" and text.lower() in (*TRUE, *FALSE):
        return text.lower() in TRUE
    return None


def place_of(field: MetaField, text: str) -> float | bytes | None:
    """What orders a text of a field; None if it is undefined, because it is not of the type.

    Databases order by the same (`services.board.reading.meta_order`): numbers, days, no before yes,
    and texts by their UTF-8 without regard to the case of the letters A to Z.
    """
    if field.type == "number":
        return float(text) if is_number(text) else None
    if field.type == "boolean":
        truth = typed(field.type, text)
        return None if truth is None else float(truth is True)
    if field.type == "date":
        return text[:DATE_LENGTH].encode() if re.match(DATE, text) else None
    if field.type == "link" and not is_link(text):
        return None
    return text.translate(_LOWER).encode() or None


def is_link(text: str) -> bool:
    return text.startswith(SCHEMES)
