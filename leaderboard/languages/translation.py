"""Texts, numbers, dates and times in the language of the reader.

Django's gettext translates the texts of Django code. Code below `services` makes texts with
`message(…)` (`leaderboard.rules.texts.messages`), which `translated` translates.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from string import Formatter
from typing import Any, Final

from django.utils import dateformat
from django.utils.formats import get_format, get_format_modules
from django.utils.functional import Promise, lazy
from django.utils.translation import get_language, gettext, ngettext

from leaderboard.rules.texts.messages import Message

MINUS: Final = "\N{MINUS SIGN}"
ENGLISH: Final = "en"
"""The language of the source, of the API and of workers."""


def translated(text: str | Promise) -> str:
    """The text in the active language, with its parameters if it is a Message; else unchanged."""
    if not isinstance(text, Message):
        return str(text)
    if text.plural:
        count = text.parameters["count"]
        template = ngettext(text.template, text.plural, count if isinstance(count, int) else 2)
    else:
        template = gettext(text.template)
    values = {
        name: translated(value) if isinstance(value, Message) else value
        for name, value in text.parameters.items()
    }
    return filled(template, **values)


translated_lazy = lazy(translated, str)
"""The same as a lazy text, for code that runs when a module is imported."""


def filled(template: str, /, **values: object) -> str:
    """A translated template with its values; numbers get the signs of the active language."""
    return _FORMATTER.vformat(template, (), values) if _signs() else template.format(**values)


def number_text(text: str) -> str:
    """A number in the active language. text: as in English, such as `1,234.5 ms` or `$0.20`."""
    signs = _signs()
    return signs.written(with_minus(text)) if signs else with_minus(text)


def with_minus(text: str) -> str:
    """A number with a minus sign instead of a hyphen: `−1.5`, `−$0.20`."""
    if text.startswith("$-"):
        return f"{MINUS}${text[2:]}"
    return text.replace("-", MINUS, 1) if text.startswith("-") else text


def plain_number(value: float) -> str:
    """A number for the attribute of a `<data>` element: nine digits, the same in all languages."""
    return f"{value:.9g}"


def number_writer() -> Callable[[str], str]:
    """`number_text` for the current language, as a function for many numbers."""
    signs = _signs()
    if signs is None:
        return with_minus
    written = signs.written
    return lambda text: written(with_minus(text))


def count_text(number: int) -> str:
    """A whole number with the thousands separators of the active language, such as `1,234`."""
    return number_text(f"{number:,}")


def moment_text(moment: datetime) -> str:
    """A moment to the minute, such as `3 Nov 2026, 09:05`."""
    return dateformat.format(moment, moment_formats()["MOMENT_FORMAT"])


def exact_moment_text(moment: datetime) -> str:
    """A moment to the second, such as `3 November 2026, 09:05:12`."""
    return dateformat.format(moment, moment_formats()["EXACT_MOMENT_FORMAT"])


def day_text(moment: datetime) -> str:
    """The day of a moment, such as `3 Nov 2026`."""
    return dateformat.format(moment, moment_formats()["DAY_FORMAT"])


def moment_formats() -> Mapping[str, str]:
    """Our own formats of dates and times in the active language, by name."""
    return _moment_formats(get_language() or ENGLISH)


class _LocalFormatter(Formatter):
    """`str.format` with numbers in the active language. Names only: `{0}` and `{}` are refused."""

    def format_field(self, value: Any, format_spec: str) -> str:
        text = format(value, format_spec)
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        return number_text(text) if is_number else text


_FORMATTER: Final = _LocalFormatter()


@dataclass(frozen=True)
class Signs:
    """How a language writes numbers: separators, and where the signs of units stand."""

    separators: Mapping[int, str]
    percent: str
    dollar: str
    """Patterns of a number with its unit, in which `#` stands for the number."""

    def written(self, text: str) -> str:
        """text: a number with its unit as in English. The unit stays in the number's line."""
        if not any(sign in text for sign in " %$"):
            return text.translate(self.separators)
        return _NUMBER.sub(self._local, text).replace(" ", "\N{NO-BREAK SPACE}")

    def _local(self, match: re.Match[str]) -> str:
        number = match["number"].translate(self.separators)
        number = self.dollar.replace("#", number) if match["dollar"] else number
        return self.percent.replace("#", number) if match["percent"] else number


_NUMBER: Final = re.compile(
    r"(?P<dollar>\$?)(?P<number>\d[\d,]*(?:\.\d+)?(?:e[+-]\d+)?)(?P<percent>%?)"
)


def _signs() -> Signs | None:
    """The signs of the active language; None if they are those of English."""
    return _signs_of(get_language() or ENGLISH)


@cache
def _signs_of(language: str) -> Signs | None:
    comma, point = (
        get_format(name, language) for name in ("THOUSAND_SEPARATOR", "DECIMAL_SEPARATOR")
    )
    percent, dollar = (_own_format(name, language) for name in ("PERCENT_FORMAT", "DOLLAR_FORMAT"))
    if (comma, point, percent, dollar) == (",", ".", "#%", "$#"):
        return None
    return Signs(str.maketrans({",": comma, ".": point}), percent, dollar)


@cache
def _moment_formats(language: str) -> Mapping[str, str]:
    names = ("DAY_FORMAT", "MOMENT_FORMAT", "EXACT_MOMENT_FORMAT")
    return {name: _own_format(name, language) for name in names}


def _own_format(name: str, language: str) -> str:
    """A format of `leaderboard.formats`: the language's, or that of English."""
    modules = (*get_format_modules(language), *get_format_modules(ENGLISH))
    format_text: str = next(getattr(module, name) for module in modules if hasattr(module, name))
    return format_text
