"""Pages of a list, named in the URL: `?page=3`, or by another name."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest
from django.utils.translation import gettext as _

from leaderboard.rules.texts.quoting import sent
from leaderboard.services.wrong_parameter import WrongParameter

MAX_PAGE = 1_000_000


@dataclass(frozen=True, slots=True)
class Paging:
    """The position in a list. `last` is None if the list was not counted."""

    number: int
    previous: int | None
    next: int | None
    last: int | None = None

    @property
    def is_needed(self) -> bool:
        return self.previous is not None or self.next is not None


def page_asked(request: HttpRequest, name: str = "page") -> int:
    """The page number in the URL, from 1. Raises WrongParameter for anything else."""
    text = request.GET.get(name, "1")
    is_number = text.isascii() and text.isdecimal() and len(text) <= len(str(MAX_PAGE))
    if not is_number or not 1 <= int(text) <= MAX_PAGE:
        raise _no_page(text, MAX_PAGE, name)
    return int(text)


def notes_asked(request: HttpRequest) -> bool:
    """Whether the URL asks for intervals and reasons below the values of a table."""
    return request.GET.get("intervals") == "1"


def counted(number: int, total: int, size: int, name: str = "page") -> Paging:
    """Paging of a list whose length is known. name: the parameter with the number of the page.

    Raises WrongParameter for a page after the last.
    """
    last = max(1, -(-total // size))
    if number > last:
        raise _no_page(str(number), last, name)
    return Paging(number, before(number), number + 1 if number < last else None, last)


def uncounted(number: int, *, has_next: bool) -> Paging:
    """Paging of a list of which only one row more than shown was read."""
    return Paging(number, before(number), number + 1 if has_next else None)


def after_the_end(number: int) -> WrongParameter:
    """The error for a page after the end of a list that was not counted."""
    text = _("must be a page that has rows; got {number}")
    return WrongParameter("page", text.format(number=number))


def _no_page(text: str, last: int, name: str) -> WrongParameter:
    template = _("must be a whole number from 1 to {most}; got {sent}")
    return WrongParameter(name, template.format(most=last, sent=sent(text)))


def before(number: int) -> int | None:
    return number - 1 if number > 1 else None
