"""Pages of a list, named in the URL: `?page=3`, or by another name."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import Http404, HttpRequest

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
    """The page number in the URL, from 1. Raises Http404 for anything else."""
    text = request.GET.get(name, "1")
    if not text.isascii() or not text.isdecimal() or not 1 <= len(text) <= 7:
        raise Http404("There is no such page.")
    number = int(text)
    if not 1 <= number <= MAX_PAGE:
        raise Http404("There is no such page.")
    return number


def notes_asked(request: HttpRequest) -> bool:
    """Whether the URL asks for intervals and reasons below the values of a table."""
    return request.GET.get("intervals") == "1"


def counted(number: int, total: int, size: int) -> Paging:
    """Paging of a list whose length is known. Raises Http404 for a page after its end."""
    last = max(1, -(-total // size))
    if number > last:
        raise Http404("There is no such page.")
    return Paging(number, before(number), number + 1 if number < last else None, last)


def uncounted(number: int, *, has_next: bool) -> Paging:
    """Paging of a list of which only one row more than shown was read."""
    return Paging(number, before(number), number + 1 if has_next else None)


def before(number: int) -> int | None:
    return number - 1 if number > 1 else None
