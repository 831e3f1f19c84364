"""`/c/{slug}/what-if/`: the order of a board under other weights; nothing is changed by it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, isfinite
from typing import Final, NamedTuple

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from leaderboard.columns import get_column
from leaderboard.pages import labels
from leaderboard.pages.analysis import MOST_ROWS, analysed, first_rows
from leaderboard.pages.table import Move
from leaderboard.pages.what_if_parts import Weighable, WhatIfPart, weighable
from leaderboard.rules.sent import sent
from leaderboard.rules.what_if import Placed, Span, order_under, spans_of_lead
from leaderboard.services.board.rows import Row
from leaderboard.translation import count_text, number_text

PREFIX: Final = "w."
"""Before the key of a part in the query: `?w.accuracy=2`."""
HIGHEST: Final = 100.0
ROUNDED: Final = 1000
"""Ends of spans are rounded to thousandths, into the span."""


@dataclass(frozen=True, slots=True)
class WeightField:
    """A weight in the form: its text, the official one, and what is wrong with it."""

    name: str
    label: str
    text: str
    official: str
    error: str


class WhatIfLine(NamedTuple):
    """A row of the new order. cells: its value in each part."""

    row: Row
    rank: str
    move: Move | None
    value: str
    official: str
    cells: list[str]


class Steadiness(NamedTuple):
    """How far one weight may change while the first stays first, in words."""

    label: str
    weight: str
    said: str


@require_safe
@cache_control(private=True, no_cache=True)
def what_if_page(request: HttpRequest, slug: str) -> HttpResponse:
    """`?w.KEY=2` sets the weight of a part; the others keep their official weights."""
    about = analysed(request, slug)
    rows, left_out = first_rows(about.board, MOST_ROWS)
    material = weighable(request, about, rows)
    fields = [_field(request, part) for part in material.parts]
    weights = [float(field.text) if not field.error else 0.0 for field in fields]
    is_wrong = any(field.error for field in fields)
    order = [] if is_wrong else order_under(material.entries, weights, least=material.least)
    spans = spans_of_lead(material.entries, weights, order, least=material.least)
    there = {each.at for each in order}
    context = {
        **about.context("what-if"),
        "is_terms": material.is_terms,
        "why": material.why,
        "fields": fields,
        "parts": material.parts,
        "lines": _lines(material, order, sum(weights)),
        "first": _first(material, order),
        "is_changed": any(field.text != field.official for field in fields),
        "steadiness": [_steadiness(field, span) for field, span in zip(fields, spans, strict=True)],
        "missing": [] if is_wrong else _missing(material, there),
        "left_out": left_out,
        "highest": f"{HIGHEST:g}",
    }
    return render(request, "pages/what_if.html", context)


def _field(request: HttpRequest, part: WhatIfPart) -> WeightField:
    name, official = f"{PREFIX}{part.key}", f"{part.official:g}"
    asked = request.GET.get(name, "").strip()
    if not asked:
        return WeightField(name, part.label, official, official, "")
    try:
        weight = float(asked)
    except ValueError:
        weight = -1.0
    if isfinite(weight) and 0.0 <= weight <= HIGHEST:
        return WeightField(name, part.label, f"{weight:.6g}", official, "")
    wrong = _("must be a number from 0 to {highest}; got {sent}")
    error = wrong.format(highest=f"{HIGHEST:g}", sent=sent(asked))
    return WeightField(name, part.label, asked, official, error)


def _lines(material: Weighable, order: Sequence[Placed], total: float) -> list[WhatIfLine]:
    return [_line(material, placed, total) for placed in order]


def _line(material: Weighable, placed: Placed, total: float) -> WhatIfLine:
    row, score = material.rows[placed.at], get_column("score")
    value = placed.value if material.is_terms else placed.value / (total or 1.0)
    return WhatIfLine(
        row=row,
        rank=f"{placed.rank}=" if placed.is_tied else str(placed.rank),
        move=_move(placed),
        value=labels.value_text(score, value) if material.is_terms else number_text(f"{value:.3f}"),
        official=f"{row.rank}=" if row.tied else str(row.rank),
        cells=[part.texts[placed.at] for part in material.parts],
    )


def _move(placed: Placed) -> Move | None:
    count = count_text(abs(placed.moved))
    if placed.moved > 0:
        said = ngettext("{count} place up", "{count} places up", placed.moved)
        return Move(f"▲{count}", "up", said.format(count=count))
    if placed.moved < 0:
        said = ngettext("{count} place down", "{count} places down", -placed.moved)
        return Move(f"▼{count}", "down", said.format(count=count))
    return None


def _first(material: Weighable, order: Sequence[Placed]) -> str:
    """Who is first with these weights, and who is on the board."""
    if not order:
        return ""
    first = material.rows[order[0].at]
    official = min(material.rows, key=lambda row: row.rank or 0)
    name = first.participant.shown_name
    if first is official or first.rank == official.rank:
        return _("{name} is first with these weights, as on the board.").format(name=name)
    said = _("{name} is first with these weights; on the board, {official} is.")
    return said.format(name=name, official=official.participant.shown_name)


def _steadiness(field: WeightField, span: Span | None) -> Steadiness:
    return Steadiness(field.label, number_text(field.text), _said(span))


def _said(span: Span | None) -> str:
    if span is None:
        return "–"
    low, high = number_text(f"{ceil(span.low * ROUNDED) / ROUNDED:g}"), ""
    if isfinite(span.high):
        high = number_text(f"{floor(span.high * ROUNDED) / ROUNDED:g}")
    if span.low <= 0.0:
        return _("up to {high}").format(high=high) if high else _("with any weight")
    if not high:
        return _("from {low} on").format(low=low)
    return _("from {low} to {high}").format(low=low, high=high)


def _missing(material: Weighable, there: set[int]) -> list[Row]:
    """Rows without a value for one of the weights."""
    return [row for at, row in enumerate(material.rows) if at not in there]
