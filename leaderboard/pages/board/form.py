"""The form of a board: its facets, columns and order, and chips for what is chosen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from django.http import HttpRequest
from django.utils.translation import gettext as _

from leaderboard.columns import Column
from leaderboard.models import Participant
from leaderboard.pages.labels import row_labels
from leaderboard.pages.shared.reader_parts import brackets_of
from leaderboard.pages.tables.meta import MetaFacet, meta_facets, order_label
from leaderboard.pages.tables.row_kinds import kind_links
from leaderboard.pages.tables.rows import BoardParameters
from leaderboard.rules.visibility.meta_values import MetaField
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.competition.organisers.marks import tells_marks
from leaderboard.services.competition.visible.board import VisibleBoard


class Choosable(NamedTuple):
    """The columns of values, and the fields of meta, that a board may show or shows."""

    columns: list[Column]
    fields: list[MetaField]


class FormChoice(NamedTuple):
    """An option of the form. is_fixed: the reader cannot change it."""

    value: str
    label: str
    is_chosen: bool
    is_fixed: bool = False


class Facet(NamedTuple):
    """A question that narrows the rows: `name` in the URL, and its answers.

    The first option is no narrowing. `template` is the chip of an answer, with a `{value}`.
    """

    name: str
    label: str
    options: Sequence[FormChoice]
    template: str

    @property
    def chosen(self) -> FormChoice | None:
        return next((option for option in self.options if option.is_chosen and option.value), None)

    @property
    def chip(self) -> str:
        return self.template.format(value=self.chosen.label) if self.chosen else ""

    @property
    def names(self) -> Sequence[str]:
        return (self.name,)


class Chip(NamedTuple):
    """Something that is chosen, and the query of the page without it."""

    label: str
    query: str


class BoardForm(NamedTuple):
    """The form of a board, ready to show. kept: hidden fields, as pairs of name and value."""

    facets: Sequence[Facet]
    meta: Sequence[MetaFacet]
    columns: Sequence[FormChoice]
    orders: Sequence[FormChoice]
    chips: Sequence[Chip]
    kept: Sequence[tuple[str, str]]


def board_form(
    request: HttpRequest,
    board: VisibleBoard,
    asked: BoardParameters,
    *,
    choosable: Choosable,
    chosen: Choosable,
    rows: Sequence[BoardRow],
) -> BoardForm:
    """The form of a page. choosable: what one may choose. rows: the first ones of the board."""
    facets = [
        *_facets(request, board, asked, rows),
        *_families(board, asked, rows),
        *_complete(board, asked, chosen),
    ]
    are_all = len(rows) >= (board.length() or 0)
    meta = list(meta_facets(choosable.fields, asked.wanted.meta, rows, are_all=are_all))
    orders = list(_orders(asked, choosable, chosen)) if board.sorts else []
    is_own = has_own(choosable, chosen)
    hidden = {"phase": asked.phase, "intervals": "1" if asked.notes else ""}
    return BoardForm(
        facets,
        meta,
        _columns(choosable, chosen),
        orders,
        list(_chips(request, asked, [*facets, *meta], orders, has_own_columns=is_own)),
        [(name, value) for name, value in hidden.items() if value],
    )


def _facets(
    request: HttpRequest, board: VisibleBoard, asked: BoardParameters, rows: Iterable[BoardRow]
) -> Iterator[Facet]:
    wanted, any_ = asked.wanted, FormChoice("", _("Any"), is_chosen=False)
    kinds = {row.participant.kind for row in rows} | {wanted.kind} - {""}
    if board.is_whole and (len(kinds) > 1 or wanted.kind):
        options = [
            FormChoice(kind.value, str(kind.label), kind.value == wanted.kind)
            for kind in Participant.Kind
        ]
        yield Facet("participant_kind", _("Kind"), [any_, *options], _("Kind: {value}"))
    brackets = brackets_of(board.challenge) if board.lists_names else []
    if brackets or wanted.bracket:
        bracket_names = dict.fromkeys([*brackets, *filter(None, [wanted.bracket])])
        options = [FormChoice(name, name, name == wanted.bracket) for name in bracket_names]
        yield Facet("bracket", _("Bracket"), [any_, *options], _("Bracket: {value}"))
    if links := kind_links(request, board):
        options = [FormChoice(link.query, link.label, link.is_chosen) for link in links]
        yield Facet("kinds", _("Rows"), options, "{value}")
    if board.lists_verified and tells_marks(board):
        options = [
            FormChoice("", _("Any"), is_chosen=not wanted.verified),
            FormChoice("1", _("Only verified rows"), is_chosen=wanted.verified),
        ]
        yield Facet("verified", _("Verified"), options, "{value}")


def _families(
    board: VisibleBoard, asked: BoardParameters, rows: Iterable[BoardRow]
) -> Iterator[Facet]:
    """Whether of a family all rows are listed, or the best one; and of which family, if of one."""
    wanted, folds = asked.wanted, board.challenge.folds_families
    if wanted.family:
        options = [
            FormChoice("", _("Any"), is_chosen=False),
            FormChoice(wanted.family, wanted.family, is_chosen=True),
        ]
        yield Facet("family", _("Family"), options, _("Family: {value}"))
    elif wanted.folds or folds or any(row.family for row in rows):
        best = FormChoice("" if folds else "best", _("Best of each family"), wanted.folds)
        every = FormChoice("all" if folds else "", _("All rows"), not wanted.folds)
        options = [best, every] if folds else [every, best]
        if board.lists_families:
            yield Facet("families", _("Families"), options, "{value}")


def _complete(board: VisibleBoard, asked: BoardParameters, chosen: Choosable) -> Iterator[Facet]:
    """Whether only rows with complete values in all columns are listed."""
    wanted = asked.wanted.complete
    if wanted or (board.sorts and len(chosen.columns) > 1):
        kept = [column.key for column in chosen.columns if column.is_kept]
        keys = ",".join(wanted or kept)
        options = [
            FormChoice("", _("Any"), is_chosen=not wanted),
            FormChoice(keys, _("Only complete rows"), is_chosen=bool(wanted)),
        ]
        yield Facet("complete", _("Values in all columns"), options, "{value}")


def has_own(choosable: Choosable, chosen: Choosable) -> bool:
    """Whether other columns are shown than those without a choice."""
    usual = [field for field in choosable.fields if field.shown]
    return list(chosen.columns) != list(choosable.columns) or list(chosen.fields) != usual


def _columns(choosable: Choosable, chosen: Choosable) -> list[FormChoice]:
    return [
        *(
            FormChoice(column.key, column.label, column in chosen.columns, column.ranked)
            for column in choosable.columns
        ),
        *(FormChoice(field.key, field.label, field in chosen.fields) for field in choosable.fields),
    ]


def _orders(
    asked: BoardParameters, choosable: Choosable, chosen: Choosable
) -> Iterator[FormChoice]:
    yield FormChoice("", _("Rank"), not asked.sort)
    for column in chosen.columns:
        if not column.is_kept:
            continue
        up, down = column.key, f"-{column.key}"
        better, other = (up, down) if column.direction == "asc" else (down, up)
        for order in (better, other) if asked.sort == other else (better,):
            label = row_labels.first(column, descending=order == down)
            yield FormChoice(order, label, order == asked.sort)
    for field in choosable.fields:
        if field in chosen.fields or field.key == asked.key:
            for order in (field.key, f"-{field.key}"):
                label = order_label(field, descending=order != field.key)
                yield FormChoice(order, label, order == asked.sort)


def _chips(
    request: HttpRequest,
    asked: BoardParameters,
    facets: Iterable[Facet | MetaFacet],
    orders: Iterable[FormChoice],
    *,
    has_own_columns: bool,
) -> Iterator[Chip]:
    if asked.search:
        yield Chip(_("Name: {value}").format(value=asked.search), _without(request, "q"))
    for facet in facets:
        if facet.chip:
            yield Chip(facet.chip, _without(request, *facet.names))
    if has_own_columns:
        yield Chip(_("Own choice of columns"), _without(request, "columns"))
    for order in orders:
        if order.is_chosen and order.value:
            text = _("Order: {value}").format(value=order.label)
            yield Chip(text, _without(request, "sort"))


def _without(request: HttpRequest, *names: str) -> str:
    """The query of the page without some of its parts, and from the first page on."""
    query = request.GET.copy()
    for name in list(query):
        if name in (*names, "page") or not any(query.getlist(name)):
            del query[name]
    return query.urlencode()
