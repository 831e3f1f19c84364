"""Reads the cells of a table: numbers in many spellings, dates, yes and no, missing values.

A column has one format, so all its cells decide whether `1,234` is about one or about a thousand
(`decimal_of`).
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from functools import lru_cache
from math import isfinite
from typing import Final, Literal, NamedTuple

from leaderboard.importers.tables.markup import CACHED, plain
from leaderboard.rules.texts.joiners import readable

Decimal = Literal[".", ",", ""]
"""The decimal separator; "" if the text does not show it."""
CellKind = Literal["nothing", "number", "switch", "date", "text"]

_NOTHING: Final = """
    - – — − -- --- na n/a n.a. n/d n.d. k.a. nan none null nil ? .. ... … tbd tba #n/a #na #div/0!
    #value! #ref! #name? #num! #null! <na> nat pending missing inf -inf +inf infinity -infinity
    """
NOTHING: Final = frozenset(
    ("", "not available", "not applicable", "n. a.", "k. a.", *_NOTHING.split())
)
"""Texts, in any case, that stand for a missing number."""
NO_NAME: Final = frozenset(("", "-", "–", "—", "−", "--", "nan", "n/a", "#n/a"))
"""Texts that stand for a missing name; a model may be called None."""
YES: Final = frozenset(("true", "yes", "ja", "wahr", "oui", "✓", "✔", "✅", "☑"))
NO: Final = frozenset(("false", "no", "nein", "falsch", "non", "✗", "✘", "❌", "☐"))
MAGNITUDES: Final = {"k": 1e3, "K": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}

_RULE = re.compile(r":?-{2,}:?|={2,}")
_NUMBER = re.compile(
    r"(?P<before>[$€£¥]|USD|EUR)?\s*(?P<sign>[+-]?)\s*(?P<money>[$€£¥])?\s*"
    r"(?P<body>\d[\d.,'’ ]*|[.,]\d+)(?P<power>[eE][+-]?\d{1,3})?\s*"
    r"(?P<percent>[%‰])?\s*(?P<unit>[A-Za-zµ°€$£¥][A-Za-zµ°²/]{0,11})?"
    r"(?P<spread>\s*(?:(?:±|\+/-|\+-|\\pm)\s*[\d.,]+\s*%?|[(\[]\s*(?:±\s*)?[-+\d.,;:/% ±–]+[)\]]))?"
    r"(?P<after>\s*%)?\s*(?:\^\{?[a-z*†‡§]\}?|\[\^[^\[\]\s]{1,10}\])?[*†‡§¶#^⁰¹²³⁴-⁹ᵃ-ᶻ]*"
)
_SHARE = re.compile(r"(0|[1-9]\d{0,8})\s*/\s*([1-9]\d{0,8})")
_GROUPED = re.compile(r"\d{1,3}(?:(?P<by>[.,' ])\d{3})(?:(?P=by)\d{3})*")


MAX_NUMBER: Final = 80
MAX_DATE: Final = 60
SIMPLE: Final = re.compile(r"-?\d{1,15}(?:\.\d{1,18})?")
"""The form of most numbers, tried first for speed."""


class CellNumber(NamedTuple):
    """A number as it is written: its digits with separators, and the signs around them. factor:
    multiplies the digits. unit: `%`, `s`, `$`; "" for none. spread: whether a `± 0.4` or `(0.4)`
    follows it.
    """

    sign: str
    body: str
    power: str
    factor: float
    unit: str
    spread: bool


def is_nothing(text: str) -> bool:
    """Whether a cell stands for a missing value."""
    bare = plain(text)
    return bare.casefold() in NOTHING or _RULE.fullmatch(bare) is not None


def number_in(text: str) -> CellNumber | None:
    """The number in a cell; None if there is none."""
    return _number_in(text) if len(text) <= MAX_NUMBER else None


@lru_cache(maxsize=CACHED)
def _number_in(text: str) -> CellNumber | None:
    bare = plain(text).replace("−", "-").replace("’", "'")
    if (share := _SHARE.fullmatch(bare)) and int(share[1]) <= int(share[2]):
        return CellNumber("", share[1], "", 1 / int(share[2]), "", False)
    match = _NUMBER.fullmatch(bare)
    if match is None:
        return None
    body = match["body"].strip()
    if not _is_number(body):
        return None
    unit = match["unit"] or ""
    factor = MAGNITUDES.get(unit, 1.0)
    money = match["before"] or match["money"] or ""
    percent = match["percent"] or (match["after"] or "").strip()
    sign = percent or money or (unit if factor == 1.0 else "")
    return CellNumber(
        match["sign"], body, match["power"] or "", factor, sign, bool(match["spread"])
    )


def _is_number(body: str) -> bool:
    """Whether digits with separators can be a number at all: `1.2.3` and `1, 2` are not."""
    marks = [character for character in body if not character.isdigit()]
    if len(set(marks)) <= 1:
        return len(marks) < 2 or _GROUPED.fullmatch(body) is not None
    *groups, last = marks
    head = body[: body.rindex(last)]
    return last in ".," and len(set(groups)) == 1 and _GROUPED.fullmatch(head) is not None


def decimal_of(number: CellNumber) -> Decimal:
    """The decimal separator that one number shows; "" if it is ambiguous or has none."""
    body = number.body
    marks = [character for character in body if character in ".,"]
    if len(set(marks)) == 2:
        return "," if marks[-1] == "," else "."
    if not marks:
        return ""
    if len(marks) > 1:
        return "." if marks[0] == "," else ","
    head, tail = body.split(marks[0])
    is_group = len(tail) == 3 and 1 <= len(head) <= 3 and not head.startswith("0")
    if is_group and not number.power and " " not in head and "'" not in head:
        return ""
    return "," if marks[0] == "," else "."


def is_ambiguous(number: CellNumber) -> bool:
    """Whether it reads as two different numbers: `1,234`, `1.234`."""
    return decimal_of(number) == "" and any(mark in number.body for mark in ".,")


def value_of(number: CellNumber, decimal: Decimal) -> float | None:
    """Its value in a column with this decimal separator; None if it is not finite.

    If a number shows its own separator, that one counts.
    """
    mark = decimal_of(number) or decimal or "."
    body = number.body.replace(" ", "").replace("'", "")
    body = body.replace("," if mark == "." else ".", "").replace(",", ".")
    value = float(f"{number.sign}{body}{number.power}") * number.factor
    if number.unit == "‰":
        value /= 10
    return value + 0.0 if isfinite(value) else None


def switch_in(text: str) -> bool | None:
    """Whether a cell means yes or no; None if it means neither."""
    word = plain(text).casefold()
    return True if word in YES else False if word in NO else None


_DOTTED = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?:[ T,]+(\d{1,2}:\d{2}(?::\d{2})?))?")
_SLASHED = re.compile(r"(\d{4})[/.](\d{1,2})[/.](\d{1,2})(.*)")
_WORDS: Final = ("%b %d, %Y", "%B %d, %Y", "%d %b %Y", "%d %B %Y", "%b %d %Y", "%d-%b-%Y", "%b %Y")
_ZONE = re.compile(r"\s*(UTC|GMT|Z)$", re.IGNORECASE)


class Day(NamedTuple):
    """A written date. order: `day` or `month` first; "" if it is ambiguous."""

    first: int
    second: int
    year: int
    clock: str
    order: Literal["day", "month", ""]


def date_in(text: str) -> datetime | Day | None:
    """The moment in a cell, in UTC unless it has a zone; None if it is not a date.

    For dates like 03/04/2025, the column decides which number is the day (`moment_of`).
    """
    return _date_in(text) if len(text) <= MAX_DATE else None


@lru_cache(maxsize=CACHED)
def _date_in(text: str) -> datetime | Day | None:
    bare = plain(text)
    if len(bare) < len("Jan 2025") - 2 or not any(character.isdigit() for character in bare):
        return None
    if match := _DOTTED.fullmatch(bare):
        return _day(match)
    if match := _SLASHED.fullmatch(bare):
        bare = f"{match[1]}-{match[2]:0>2}-{match[3]:0>2}{match[4]}"
    return _iso(bare) or _written_date(bare)


def _day(match: re.Match[str]) -> Day | None:
    first, second = int(match[1]), int(match[3])
    if not (1 <= first <= 31 and 1 <= second <= 31 and min(first, second) <= 12):
        return None
    order: Literal["day", "month", ""] = ""
    if first > 12 or match[2] == ".":
        order = "day"
    elif second > 12:
        order = "month"
    return Day(first, second, int(match[4]), match[5] or "", order)


def _iso(text: str) -> datetime | None:
    if not re.match(r"\d{4}-\d{2}", text):
        return None
    try:
        moment = datetime.fromisoformat(_ZONE.sub("+00:00", text) if ":" in text else text)
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None


def _written_date(text: str) -> datetime | None:
    for form in _WORDS:
        try:
            return datetime.strptime(text.replace("Sept ", "Sep "), form).replace(tzinfo=UTC)
        except ValueError:
            continue
    return None


def moment_of(parsed: datetime | Day, order: str) -> datetime | None:
    """The moment, with the column's order of day and month; None if there is no such day."""
    if isinstance(parsed, datetime):
        return parsed
    day_first = (parsed.order or order) == "day"
    day, month = (parsed.first, parsed.second) if day_first else (parsed.second, parsed.first)
    try:
        return _at(date(parsed.year, month, day), parsed.clock)
    except ValueError:
        return None


def _at(day: date, clock: str) -> datetime:
    hours, minutes, seconds = [*map(int, clock.split(":")), 0, 0][:3] if clock else (0, 0, 0)
    return datetime(day.year, day.month, day.day, hours, minutes, seconds, tzinfo=UTC)


def kind_of(text: str) -> CellKind:
    """The kind of a cell's content, judged without the other cells."""
    if SIMPLE.fullmatch(text):
        return "number"
    if is_nothing(text):
        return "nothing"
    if switch_in(text) is not None:
        return "switch"
    if number_in(text) is not None:
        return "number"
    return "text" if date_in(text) is None else "date"


def exact_number(value: float) -> str:
    """A number with a point and without thousands separators, so that it is unambiguous."""
    if float(value).is_integer() and abs(value) < 1e15:
        return str(int(value))
    text = repr(float(value))
    whole, _, fraction = text.partition(".")
    return f"{whole}.{fraction}0" if len(fraction) == 3 else text


def printable(text: str) -> str:
    """A text for people, without invisible characters."""
    return " ".join(readable(text).split())
