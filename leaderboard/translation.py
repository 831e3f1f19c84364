"""Texts, numbers, dates and times in the language of the reader.

Django's gettext translates the texts of Django code. Code below `services` makes texts with
`message(…)` (`leaderboard.rules.messages`), which `translated` translates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from functools import cache
from string import Formatter
from typing import Any, Final

from django.utils import dateformat
from django.utils.formats import get_format, get_format_modules
from django.utils.functional import Promise, lazy
from django.utils.translation import get_language, gettext, ngettext

from leaderboard.rules.messages import Message

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
    """A translated template with its values; numbers get the separators of the active language."""
    return _FORMATTER.vformat(template, (), values) if _separators() else template.format(**values)


def number_text(text: str) -> str:
    """A number in the active language. text: as in English, such as `1,234.5 ms`."""
    separators = _separators()
    return text.translate(separators) if separators else text


def number_writer() -> Callable[[str], str]:
    """`number_text` for the current language, as a function for many numbers."""
    separators = _separators()
    return (lambda text: text.translate(separators)) if separators else str


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


def _separators() -> Mapping[int, str]:
    """The active language's signs for `,` and `.` in numbers; empty if they are the same."""
    return _separators_of(get_language() or ENGLISH)


@cache
def _separators_of(language: str) -> Mapping[int, str]:
    own = {
        ",": get_format("THOUSAND_SEPARATOR", language),
        ".": get_format("DECIMAL_SEPARATOR", language),
    }
    return {} if all(key == value for key, value in own.items()) else str.maketrans(own)


@cache
def _moment_formats(language: str) -> Mapping[str, str]:
    return dict(_found_formats(language))


def _found_formats(language: str) -> Iterator[tuple[str, str]]:
    """Yield formats with their names: those of English, then the language's, which replace them."""
    for name in ("DAY_FORMAT", "MOMENT_FORMAT", "EXACT_MOMENT_FORMAT"):
        for module in (*get_format_modules(ENGLISH), *reversed(get_format_modules(language))):
            if value := getattr(module, name, None):
                yield name, value
