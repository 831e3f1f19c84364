"""The drawing of the picture that other sites show beside a link to a board."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from leaderboard.pages.charts.coordinates import written
from leaderboard.pages.sharing.glyphs import FAMILY, cut, drawable, text_width

WIDTH: Final = 1200
HEIGHT: Final = 630
ROWS: Final = 5
_EDGE: Final = 72
_ROOM: Final = WIDTH - 2 * _EDGE
_FIRST: Final = 306
_STEP: Final = 54
_NAME: Final = 470
_BAR: Final = 640
_TITLES: Final = (60, 48)
"""The sizes of a title of one line, the first one that fits."""
_LONG_TITLE: Final = 40
"""The size of a title of two lines."""

_INK, _SOFT, _FAINT, _LINE = "#191c1a", "#4b514d", "#656b66", "#e5e6e0"
_PAPER, _ACCENT, _GREY = "#fbfbf9", "#17614a", "#b9bdb3"


class CardRow(NamedTuple):
    """A row of a board. ranks: its rank interval, "" for none. share: the length of its bar, from 0
    to 1; None for no bar."""

    rank: str
    ranks: str
    name: str
    value: str
    share: float | None


class Card(NamedTuple):
    """What the picture shows. empty: what it says instead of rows. remark: how uncertain the lead
    is, "" for a clear one. place: the site's address."""

    site: str
    title: str
    subtitle: str
    rows: Sequence[CardRow]
    empty: str
    place: str
    remark: str = ""


def card_svg(card: Card) -> str:
    """The picture as SVG, 1200 × 630. All texts are escaped, and those without glyphs replaced."""
    return format_html(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}"'
        ' height="{height}" font-family="{family}"><rect width="{width}" height="{height}"'
        ' fill="{paper}"/><rect width="{width}" height="10" fill="{accent}"/>{mark}{parts}{rows}'
        "</svg>",
        width=WIDTH,
        height=HEIGHT,
        family=FAMILY,
        paper=_PAPER,
        accent=_ACCENT,
        mark=_mark(_EDGE, 54),
        parts=_texts(
            _text(_EDGE + 48, 83, 28, _SOFT, cut(drawable(card.site), 28, _ROOM - 48)),
            _title(drawable(card.title)),
            _text(_EDGE, 236, 26, _FAINT, cut(drawable(card.subtitle), 26, _ROOM)),
            _text(_EDGE, 566, 18, _SOFT, card.remark and cut(drawable(card.remark), 18, _ROOM)),
            _text(_EDGE, 600, 22, _FAINT, cut(card.place, 22, _ROOM)),
            _text(_EDGE, _FIRST + 24, 30, _SOFT, "" if card.rows else card.empty),
        ),
        rows=_texts(*(_row(at, row) for at, row in enumerate(card.rows[:ROWS]))),
    )


def _title(text: str) -> SafeString:
    """The title in one line, or smaller in two, the second of which may be cut."""
    for size in _TITLES:
        if text_width(text, size) <= _ROOM:
            return _text(_EDGE, 178, size, _INK, text)
    first = cut(text, _LONG_TITLE, _ROOM).removesuffix("…")
    if " " in first:
        first = first.rpartition(" ")[0]
    rest = cut(text.removeprefix(first).strip(), _LONG_TITLE, _ROOM)
    return _texts(
        _text(_EDGE, 150, _LONG_TITLE, _INK, first), _text(_EDGE, 198, _LONG_TITLE, _INK, rest)
    )


def _row(at: int, row: CardRow) -> SafeString:
    y = _FIRST + at * _STEP
    is_first = at == 0
    value = drawable(row.value)
    room = WIDTH - _EDGE - _BAR - text_width(value, 28) - 28
    return _texts(
        _text(_EDGE, y, 28, _FAINT, row.rank),
        _text(_EDGE, y + 17, 15, _FAINT, row.ranks),
        _text(_EDGE + 68, y, 28, _INK if is_first else _SOFT, cut(drawable(row.name), 28, _NAME)),
        _bar(y, row.share, room, _ACCENT if is_first else _GREY),
        _text(WIDTH - _EDGE, y, 28, _INK, cut(value, 28, WIDTH - _BAR - _EDGE), "end"),
    )


def _bar(y: float, share: float | None, room: float, colour: str) -> SafeString:
    if share is None or room < 60:
        return _texts()
    return format_html(
        '<rect x="{x}" y="{y}" width="{room}" height="14" rx="3" fill="{line}"/>'
        '<rect x="{x}" y="{y}" width="{width}" height="14" rx="3" fill="{colour}"/>',
        x=_BAR,
        y=written(y - 17),
        room=written(room),
        line=_LINE,
        width=written(max(share * room, 3.0)),
        colour=colour,
    )


def _mark(x: float, y: float) -> SafeString:
    """The mark of the product: three bars."""
    bars = ((0, 16, 20, 0.7), (12, 0, 36, 1), (24, 22, 14, 0.45))
    return format_html_join(
        "",
        '<rect x="{}" y="{}" width="9" height="{}" rx="2" fill="{}" opacity="{}"/>',
        ((x + left, y + top, height, _ACCENT, opacity) for left, top, height, opacity in bars),
    )


def _text(
    x: float, y: float, size: float, colour: str, text: str, anchor: str = "start"
) -> SafeString:
    if not text:
        return _texts()
    return format_html(
        '<text x="{}" y="{}" font-size="{}" fill="{}" text-anchor="{}">{}</text>',
        *(x, y, size, colour, anchor, text),
    )


def _texts(*parts: SafeString) -> SafeString:
    return format_html_join("", "{}", ((part,) for part in parts))
