"""The declared fields of the meta of attempts on a board: filters, columns and cells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, time
from typing import NamedTuple

from django.utils.translation import gettext as _

from leaderboard.languages.translation import day_text, number_text
from leaderboard.rules.visibility.families import FAMILY
from leaderboard.rules.visibility.meta_values import MetaField, MetaTest, is_link, typed
from leaderboard.services.board.reading.meta_query import parameters_of
from leaderboard.services.board.reading.rows import BoardRow

MOST_OPTIONS = 50
LONGEST_LINK = 30


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
        return parameters_of(self.field)


@dataclass(frozen=True, slots=True)
class MetaCell:
    """A value in a column of meta. link: an address; empty for other values. is_command: whether it
    is a command that makes the results again."""

    label: str
    text: str
    is_number: bool
    link: str = ""
    is_command: bool = False


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
        if field.type == "command" and not test:
            continue  # A command is read and copied. Readers do not filter by it.
        options = _options(field, test, rows)
        is_free = field.type == "text" and (len(options) > MOST_OPTIONS or not are_all)
        yield MetaFacet(field, test, options[:MOST_OPTIONS], is_free)


def meta_cells(fields: Sequence[MetaField], row: BoardRow) -> list[MetaCell]:
    """The values of a row."""
    return [meta_cell(field, row.meta.get(field.name, "")) for field in fields]


def whole_meta(fields: Sequence[MetaField], meta: Mapping[str, object]) -> list[MetaCell]:
    """All values of one attempt: declared ones as a board shows them, links with their address."""
    declared = {field.name: field for field in fields}
    cells = []
    for key, text in ((key, str(value)) for key, value in meta.items()):
        if key in declared:
            cell = meta_cell(declared[key], text)
        else:
            cell = MetaCell(_("Family") if key == FAMILY else key, text, is_number=False)
        cells.append(replace(cell, text=text, link=text) if is_link(text) else cell)
    return cells


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


def meta_cell(field: MetaField, text: str) -> MetaCell:
    """A value as a board shows it: in the language of the reader, with its unit."""
    value, is_number = typed(field.type, text), field.type == "number"
    if isinstance(value, bool):
        return MetaCell(field.label, _("yes") if value else _("no"), is_number)
    if field.type == "link" and is_link(text):
        address = text.partition("://")[2].removeprefix("www.").rstrip("/")
        short = address if len(address) <= LONGEST_LINK else f"{address[: LONGEST_LINK - 1]}…"
        return MetaCell(field.label, short, is_number, link=text)
    is_command = field.type == "command" and bool(text)
    return MetaCell(field.label, bound_text(field, text) or "–", is_number, is_command=is_command)
