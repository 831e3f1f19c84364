"""The declared fields of the meta of attempts on a board: filters, columns and cells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, time
from typing import NamedTuple

from django.http import HttpRequest
from django.utils.translation import gettext as _

from leaderboard.languages.translation import day_text, number_text
from leaderboard.rules.texts.quoting import sent
from leaderboard.rules.visibility.meta_values import PREFIX, MetaField, MetaTest, is_link, typed
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.wrong_parameter import UnknownParameter, WrongParameter

MOST_OPTIONS = 50
LONGEST_LINK = 30
TAKEN = frozenset(
    (
        *("q", "sort", "page", "rows", "phase", "columns", "kinds", "participant_kind", "bracket"),
        *("verified", "complete", "intervals", "groups", "show", "at", "family", "families"),
    )
)
"""Parameters of boards. A field of another name that is a choice may be asked for without `meta.`,
as in `?openness=open`."""


class MetaFacet(NamedTuple):
    """A filter by a field. options: its answers, as pairs of value and label; none for a range.

    test: what the URL asks for. is_free: whether there may be further answers.
    """

    field: MetaField
    test: MetaTest | None
    options: Sequence[tuple[str, str]]
    is_free: bool = False

    @property
    def chip(self) -> str:
        """What is chosen: `Size: 1 to 7 B`; "" for nothing."""
        label, test = self.field.label, self.test
        if test is None:
            return ""
        if not self.field.is_range:
            value = dict(self.options).get(test.equals, test.equals)
            return _("{label}: {value}").format(label=label, value=value)
        least, most = (bound_text(self.field, bound) for bound in (test.least, test.most))
        if least and most:
            return _("{label}: {least} to {most}").format(label=label, least=least, most=most)
        if most:
            return _("{label}: at most {most}").format(label=label, most=most)
        return _("{label}: at least {least}").format(label=label, least=least)

    @property
    def names(self) -> Sequence[str]:
        """Its parameters in the URL."""
        key = self.field.key
        if self.field.is_range:
            return (f"{key}.min", f"{key}.max")
        return (key, self.field.name) if self.field.type == "choice" else (key,)


@dataclass(frozen=True, slots=True)
class MetaCell:
    """A value in a column of meta. link: an address; empty for other values."""

    label: str
    text: str
    is_number: bool
    link: str = ""


class MetaHead(NamedTuple):
    """The heading of a field. order: what a click requests. sorted: `ascending`, … or ""."""

    label: str
    is_number: bool
    order: str
    sorted: str


def meta_heads(fields: Sequence[MetaField], sort: str) -> list[MetaHead]:
    """The headings; a click sorts by the lowest values first, a second click reverses the order."""
    return [
        MetaHead(
            field.label,
            field.type == "number",
            f"-{field.key}" if sort == field.key else field.key,
            {field.key: "ascending", f"-{field.key}": "descending"}.get(sort, ""),
        )
        for field in fields
    ]


def order_label(field: MetaField, *, descending: bool) -> str:
    """An order of rows: `Size (lowest first)`. descending: from the highest value on."""
    first, last = {
        "number": (_("{label} (lowest first)"), _("{label} (highest first)")),
        "date": (_("{label} (earliest first)"), _("{label} (latest first)")),
        "boolean": (_("{label} (no first)"), _("{label} (yes first)")),
    }.get(field.type, (_("{label} (A to Z)"), _("{label} (Z to A)")))
    return (last if descending else first).format(label=field.label)


def meta_tests(request: HttpRequest, fields: Sequence[MetaField]) -> tuple[MetaTest, ...]:
    """The filters that the URL asks for. Raises WrongParameter."""
    parameters = {name for field in fields for name in _parameters(field)}
    for name in request.GET:
        if name.startswith(PREFIX) and name not in parameters:
            raise UnknownParameter(name, sorted(parameters))
    tests = []
    for field in fields:
        given = {name: request.GET.get(name, "").strip() for name in _parameters(field)}
        if field.type == "choice" and field.name not in TAKEN:
            given[field.key] = given[field.key] or request.GET.get(field.name, "").strip()
        if any(given.values()):
            ends = ("", *given.values()) if field.is_range else (given[field.key], "", "")
            tests.append(MetaTest(field.name, field.type, *ends))
        for name, value in given.items():
            if value and not MetaTest(field.name, field.type, *_alone(field, value)).is_right:
                raise _wrong(field, name, value)
    return tuple(tests)


def _parameters(field: MetaField) -> tuple[str, ...]:
    """The names of the parameters that filter by a field."""
    return (f"{field.key}.min", f"{field.key}.max") if field.is_range else (field.key,)


def _alone(field: MetaField, value: str) -> tuple[str, str]:
    """The values of a test by a single parameter: equal to it, or not less."""
    return ("", value) if field.is_range else (value, "")


def _wrong(field: MetaField, name: str, value: str) -> WrongParameter:
    text = {
        "number": _("must be a number; got {sent}"),
        "date": _("must be a day, such as 2026-11-20; got {sent}"),
        "boolean": _("must be true or false; got {sent}"),
        "link": _("must be true; got {sent}"),
    }[field.type]  # any text is right for a field of type text
    options = ("true", "false")[: 2 if field.type == "boolean" else 1]
    is_listed = field.type in ("boolean", "link")
    return WrongParameter(name, text.format(sent=sent(value)), options if is_listed else ())


def meta_facets(
    fields: Sequence[MetaField],
    tests: Sequence[MetaTest],
    rows: Sequence[BoardRow],
    *,
    are_all: bool,
) -> Iterator[MetaFacet]:
    """The filters of a board.

    rows: the first ones with their meta, whose texts one can choose. are_all: whether the board has
    no others.
    """
    asked = {test.name: test for test in tests}
    for field in fields:
        test = asked.get(field.name)
        options = _options(field, test, rows)
        is_free = field.type == "text" and (len(options) > MOST_OPTIONS or not are_all)
        yield MetaFacet(field, test, options[:MOST_OPTIONS], is_free)


def meta_cells(fields: Sequence[MetaField], row: BoardRow) -> list[MetaCell]:
    """The values of a row."""
    return [_cell(field, row.meta.get(field.name, "")) for field in fields]


def bound_text(field: MetaField, text: str) -> str:
    """A number with its unit, or a day, as readers of the page write it; "" for none."""
    value = typed(field.type, text)
    if field.type == "number" and value is not None:
        return number_text(f"{text} {field.unit}".strip())
    if field.type == "date" and value is not None and not isinstance(value, float | bool):
        return day_text(datetime.combine(value, time()))
    return text


def _options(
    field: MetaField, test: MetaTest | None, rows: Sequence[BoardRow]
) -> Sequence[tuple[str, str]]:
    if field.is_range:
        return []
    if field.type == "boolean":
        return [("true", _("yes")), ("false", _("no"))]
    if field.type == "link":
        return [("true", _("with a link"))]
    if field.type == "choice":
        wanted = [test.equals] if test else []
        return [(choice, choice) for choice in dict.fromkeys([*field.choices, *wanted])]
    texts = {text for row in rows if (text := row.meta.get(field.name, ""))}
    texts |= {test.equals} if test else set()
    return [(text, text) for text in sorted(texts, key=lambda option: (option.casefold(), option))]


def _cell(field: MetaField, text: str) -> MetaCell:
    value, is_number = typed(field.type, text), field.type == "number"
    if isinstance(value, bool):
        return MetaCell(field.label, _("yes") if value else _("no"), is_number)
    if field.type == "link" and is_link(text):
        address = text.partition("://")[2].removeprefix("www.").rstrip("/")
        short = address if len(address) <= LONGEST_LINK else f"{address[: LONGEST_LINK - 1]}…"
        return MetaCell(field.label, short, is_number, link=text)
    return MetaCell(field.label, bound_text(field, text) or "–", is_number)
