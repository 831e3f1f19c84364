"""Times of JUnit reports: `0.25`, `1,234.5`, and `0,25` where a writer used the locale of its host.

A report has one locale, so all of its times decide what a comma separates.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

MAX_SECONDS: Final = 10**12

_PLAIN: Final = re.compile(r"\d{1,12}(\.\d{1,20})?([eE]-?\d{1,2})?")
_GROUPED: Final = re.compile(r"[1-9]\d{0,2}(,\d{3})+(\.\d+)?")
_AMBIGUOUS: Final = re.compile(r"[1-9]\d{0,2},\d{3}")


def has_decimal_commas(times: Iterable[str]) -> tuple[bool, str]:
    """Whether a comma is the decimal separator in these times, and one that could be read as both
    if none of them decides, else "".

    Such times are read as decimals: three decimals are usual, and tests of a thousand seconds are
    not.
    """
    doubtful = ""
    for text in times:
        if "," not in text:
            if "." in text:
                return False, ""
        elif _AMBIGUOUS.fullmatch(text):
            doubtful = doubtful or text
        else:
            return not _GROUPED.fullmatch(text), ""
    return bool(doubtful), doubtful


def seconds_in(text: str, *, decimal_commas: bool) -> float | None:
    """A time; None if it is not one."""
    if decimal_commas:
        plain = text.replace(".", "").replace(",", ".") if "," in text else text
    else:
        plain = text.replace(",", "")
    if not _PLAIN.fullmatch(plain) or float(plain) > MAX_SECONDS:
        return None
    return float(plain)


def is_time(text: str) -> bool:
    """Whether a text can be a time in some locale."""
    return any(seconds_in(text, decimal_commas=commas) is not None for commas in (False, True))
