"""What a reader may vary on `/what-if/`: settings of the scorer, terms of the scores, or weights of
the columns of the board."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isclose
from typing import Final, NamedTuple

from django.http import HttpRequest
from django.utils.translation import gettext as _

from leaderboard.columns import Column
from leaderboard.pages.analysis.shared import Analysed
from leaderboard.pages.analysis.what_if_settings import VariedSetting, settings_of
from leaderboard.pages.charts.axes import TIME
from leaderboard.pages.labels import row_labels
from leaderboard.pages.shared.access import is_reviewer, signed_in
from leaderboard.pages.shared.score_terms import added, spoken_key
from leaderboard.pages.tables.board_table import filled, keys_in
from leaderboard.rules.ranking.what_if import Weighed, scaled
from leaderboard.services.attempts.open_details import OpenDetails, details_of_rows
from leaderboard.services.attempts.visibility import may_see_config
from leaderboard.services.board.reading import ranking
from leaderboard.services.board.reading.rows import BoardRow

MOST_PARTS: Final = 12
"""The most weights; further columns are left out."""


HIGHEST: Final = 100.0
"""The largest weight; that of a setting is so many times its official value."""
WEIGHT: Final = "w."
SETTING: Final = "s."
"""Before the keys in a query: `?w.accuracy=2&s.time_penalty=0.8`."""


class WhatIfPart(NamedTuple):
    """What has a weight. name: in the query. official: its weight on the board.

    texts: its value in each row; empty for terms, whose values change with their weights.
    description: what a setting means, in the words of its scorer.
    """

    name: str
    label: str
    official: float
    texts: Sequence[str] = ()
    description: str = ""

    @property
    def is_setting(self) -> bool:
        return self.name.startswith(SETTING)

    @property
    def highest(self) -> float:
        return HIGHEST * (self.official if self.is_setting else 1.0)


class Weighable(NamedTuple):
    """The rows of a board with their parts.

    entries: in the order of `rows`. least: lower values count as this one. is_terms: whether parts
    are terms of the scores; else they are columns, scaled from 0 to 1. notes: what cannot be
    varied, and why. has_terms: whether the terms could be weighed in place of the columns.
    """

    rows: list[BoardRow]
    parts: list[WhatIfPart]
    entries: list[Weighed]
    least: float
    is_terms: bool
    notes: Sequence[str] = ()
    has_terms: bool = False


def weighable(request: HttpRequest, about: Analysed, rows: Sequence[BoardRow]) -> Weighable:
    """What can be weighed on a board. rows: those that the reader sees."""
    ranked = [row for row in rows if row.rank is not None] if about.board.is_whole else []
    if not about.board.board.config.runs_scorer:
        return _columns(request, about, ranked)
    terms = _terms(request, about, ranked)
    if terms is not None:
        asks_columns = request.GET.get("by") == "columns"
        return _columns(request, about, ranked)._replace(has_terms=True) if asks_columns else terms
    why = _(
        "The settings of the scorer cannot be varied here: its code would have to run again,"
        " because the terms that it reports are not public or do not add up to the score. You"
        " can weigh the columns of the board."
    )
    return _columns(request, about, ranked)._replace(notes=[why])


def _terms(request: HttpRequest, about: Analysed, rows: list[BoardRow]) -> Weighable | None:
    """The terms of the scores; None if they are hidden or do not add up for every row."""
    reader = signed_in(request) if request.user.is_authenticated else None
    organiser = is_reviewer(request, about.challenge)
    details_by_attempt = details_of_rows(about.board, rows, reader=reader, organiser=organiser)
    signed_rows = [
        _signed(row, details_by_attempt.get(row.attempt_id) if row.attempt_id else None)
        for row in rows
    ]
    terms = [signed for signed in signed_rows if signed]
    keys = list(dict.fromkeys(key for signed in terms for key in signed))
    keys = [key for key in keys if any(signed.get(key) for signed in terms)]
    if len(terms) < len(rows) or not 2 <= len(keys) <= MOST_PARTS:
        return None
    is_open = may_see_config(about.challenge, organiser=organiser)
    varied, notes = settings_of(about.board.board.config, keys, is_open=is_open)
    parts = [_part(key, varied.get(key)) for key in keys]
    units = [varied[key].official if key in varied else 1.0 for key in keys]
    entries = [
        Weighed(
            [signed.get(key, 0.0) / unit for key, unit in zip(keys, units, strict=True)],
            row.rank or 0,
        )
        for row, signed in zip(rows, terms, strict=True)
    ]
    return Weighable(rows, parts, entries, least=0.0, is_terms=True, notes=notes, has_terms=True)


def _part(key: str, setting: VariedSetting | None) -> WhatIfPart:
    """A term, or the setting that multiplies it."""
    if setting is None:
        return WhatIfPart(f"{WEIGHT}{key}", spoken_key(key), 1.0)
    name = f"{SETTING}{setting.name}"
    return WhatIfPart(name, setting.name, setting.official, description=setting.description)


def _signed(row: BoardRow, open_details: OpenDetails | None) -> dict[str, float]:
    """The terms of a row's score with their signs; {} if they do not add up to it."""
    value = row.values.get("score")
    if open_details is None or value is None:
        return {}
    is_same = isclose(max(0.0, open_details.score), value, rel_tol=1e-9, abs_tol=1e-9)
    return added(open_details.details, open_details.score) if is_same else {}


def _columns(request: HttpRequest, about: Analysed, rows: list[BoardRow]) -> Weighable:
    """The columns in which rows differ, the ranked ones first, on a common scale."""
    board_columns = filled(ranking.columns_of(about.challenge), keys_in(rows))
    columns = row_labels.spoken(column for column in board_columns if column.key != TIME)
    least = 1 if len(rows) == 1 else 2  # a column with one value orders nothing
    columns = [column for column in columns if len(set(_values(column, rows)) - {None}) >= least]
    # Those with a weight in the address come first, so that none of them is left out.
    columns.sort(key=lambda column: f"{WEIGHT}{column.key}" not in request.GET)
    columns = columns[:MOST_PARTS]
    ranked = next((column.key for column in board_columns if column.ranked), "")
    parts = [
        WhatIfPart(
            name=f"{WEIGHT}{column.key}",
            label=column.label,
            official=1.0 if column.key == ranked else 0.0,
            texts=[row_labels.value_text(column, value) for value in _values(column, rows)],
        )
        for column in columns
    ]
    scales = [scaled(_values(column, rows), column.direction) for column in columns]
    entries = [
        Weighed([values[at] for values in scales], row.rank or 0) for at, row in enumerate(rows)
    ]
    return Weighable(rows, parts, entries, least=-inf, is_terms=False)


def _values(column: Column, rows: Sequence[BoardRow]) -> list[float | None]:
    return [column.value(row.values) for row in rows]
