"""`/c/{slug}/what-if/`: the order of a board under other weights. It changes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, floor, isclose, isfinite
from typing import Final, NamedTuple

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from leaderboard.columns import get_column
from leaderboard.languages.translation import count_text, number_text
from leaderboard.pages.analysis.shared import MOST_ROWS, analysed, first_rows
from leaderboard.pages.analysis.what_if_parts import Weighable, WhatIfPart, weighable
from leaderboard.pages.charts.slopes import Slope, Slopes, slopes
from leaderboard.pages.labels import row_labels
from leaderboard.pages.labels.rank_ranges import ranked_text
from leaderboard.pages.tables.board_table import Move
from leaderboard.pages.tables.column_groups import orders_by_group
from leaderboard.rules.ranking.what_if import Placed, Span, order_under, spans_of_lead
from leaderboard.rules.texts.quoting import sent
from leaderboard.services.board.reading import ranking
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.competition.visible.certainty import VisibleCertainty, certainty_of

ROUNDED: Final = 1000
"""Ends of spans are rounded to thousandths, into the span."""


@dataclass(frozen=True, slots=True)
class WeightField:
    """A weight or setting in the form: its text, the official one, and what is wrong with it.

    official_text: the official one in the number format of the reader. description: what a setting
    means, in the words of its scorer.
    """

    name: str
    label: str
    text: str
    official: str
    official_text: str
    highest: str
    description: str
    error: str


class WhatIfLine(NamedTuple):
    """A row of the new order. cells: its value in each part, or what each part counts."""

    row: BoardRow
    rank: str
    move: Move | None
    value: str
    official: str
    cells: list[str]


class Steadiness(NamedTuple):
    """How far one weight may change while the first stays first, in words."""

    label: str
    weight: str
    range_text: str


@require_safe
@cache_control(private=True, no_cache=True)
def what_if_page(request: HttpRequest, slug: str) -> HttpResponse:
    """`?w.KEY=2` sets the weight of a part, `?s.NAME=0.8` a setting of the scorer; the others are
    as on the board."""
    about = analysed(request, slug)
    rows, left_out = first_rows(about.board, MOST_ROWS)
    certain = certainty_of(about.board, rows)
    material = weighable(request, about, rows)
    fields = [_field(request, part) for part in material.parts]
    weights = [float(field.text) if not field.error else 0.0 for field in fields]
    is_wrong = any(field.error for field in fields)
    order = [] if is_wrong else order_under(material.entries, weights, least=material.least)
    spans = spans_of_lead(material.entries, weights, order, least=material.least)
    placed_at = {placed.at for placed in order}
    context = {
        **about.context("what-if"),
        "is_terms": material.is_terms,
        "has_settings": any(part.is_setting for part in material.parts),
        "notes": material.notes,
        "can_choose": material.has_terms,
        "groups": orders_by_group(about.board.board.config, ranking.columns_of(about.challenge)),
        "fields": fields,
        "parts": material.parts,
        "lines": [_line(material, placed, weights, certain) for placed in order],
        "chart": _chart(material, order),
        "first": _first(material, order),
        "is_changed": any(field.text != field.official for field in fields),
        "steadiness": [
            Steadiness(field.label, number_text(field.text), _span_text(span))
            for field, span in zip(fields, spans, strict=True)
        ],
        "missing": [
            row for at, row in enumerate(material.rows) if at not in placed_at and not is_wrong
        ],
        "left_out": left_out,
    }
    return render(request, "pages/what_if.html", context)


def _field(request: HttpRequest, part: WhatIfPart) -> WeightField:
    official, highest = f"{part.official:.12g}", f"{part.highest:.12g}"
    asked = request.GET.get(part.name, "").strip()
    field = WeightField(
        name=part.name,
        label=part.label,
        text=official,
        official=official,
        official_text=number_text(official),
        highest=highest,
        description=part.description,
        error="",
    )
    if not asked:
        return field
    try:
        weight = float(asked)
    except ValueError:
        weight = -1.0
    if isfinite(weight) and 0.0 <= weight <= float(highest):
        return replace(field, text=f"{weight:.12g}")
    wrong = _("must be a number from 0 to {highest}; got {sent}")
    return replace(field, text=asked, error=wrong.format(highest=highest, sent=sent(asked)))


def _line(
    material: Weighable, placed: Placed, weights: Sequence[float], certain: VisibleCertainty | None
) -> WhatIfLine:
    row = material.rows[placed.at]
    value = placed.value if material.is_terms else placed.value / (sum(weights) or 1.0)
    stored = row.values.get("score")
    if material.is_terms and stored is not None and isclose(value, stored, rel_tol=1e-9):
        value = stored  # A sum of terms may differ in its last bit, and so in its rounded text.
    return WhatIfLine(
        row=row,
        rank=f"{placed.rank}=" if placed.is_tied else str(placed.rank),
        move=_move(placed),
        value=_signed(value) if material.is_terms else number_text(f"{value:.3f}"),
        official=ranked_text(certain, row),
        cells=_cells(material, placed.at, weights),
    )


def _cells(material: Weighable, at: int, weights: Sequence[float]) -> list[str]:
    if not material.is_terms:
        return [part.texts[at] for part in material.parts]
    counted = zip(material.entries[at].parts, weights, strict=True)
    return [_signed((part or 0.0) * weight + 0.0) for part, weight in counted]


def _signed(value: float) -> str:
    """A value as in the column of scores, with the sign that the page of an attempt has."""
    return row_labels.value_text(get_column("score"), value).replace("-", "\N{MINUS SIGN}")


def _chart(material: Weighable, order: Sequence[Placed]) -> Slopes | None:
    """The ranks on the board beside those of the new order; None if nothing has moved."""
    if not any(placed.moved for placed in order):
        return None
    return slopes(
        [
            Slope(material.rows[placed.at].participant.shown_name, placed.before, placed.rank)
            for placed in order
        ]
    )


def _move(placed: Placed) -> Move | None:
    count = count_text(abs(placed.moved))
    if placed.moved > 0:
        text = ngettext("{count} place up", "{count} places up", placed.moved)
        return Move(f"▲{count}", "up", text.format(count=count))
    if placed.moved < 0:
        text = ngettext("{count} place down", "{count} places down", -placed.moved)
        return Move(f"▼{count}", "down", text.format(count=count))
    return None


def _first(material: Weighable, order: Sequence[Placed]) -> str:
    """Who is first with these values, and who is on the board."""
    if not order:
        return ""
    first = material.rows[order[0].at]
    official = min(material.rows, key=lambda row: row.rank or 0)
    name = first.participant.shown_name
    if first is official or first.rank == official.rank:
        return _("{name} is first with these values, as on the board.").format(name=name)
    text = _("{name} is first with these values; on the board, {official} is.")
    return text.format(name=name, official=official.participant.shown_name)


def _span_text(span: Span | None) -> str:
    if span is None:
        return "–"
    low, high = number_text(f"{ceil(span.low * ROUNDED) / ROUNDED:g}"), ""
    if isfinite(span.high):
        high = number_text(f"{floor(span.high * ROUNDED) / ROUNDED:g}")
    if span.low <= 0.0:
        return _("up to {high}").format(high=high) if high else _("at any value")
    if not high:
        return _("from {low} on").format(low=low)
    return _("from {low} to {high}").format(low=low, high=high)
