"""`/c/{slug}/compare/?p=a,b`: two to eight entries of a board, metric by metric."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from leaderboard.columns import Column
from leaderboard.languages.translation import count_text
from leaderboard.pages.analysis.file_pairs import comparable_attempts, file_sections
from leaderboard.pages.analysis.pairs import PairSection, pair_sections
from leaderboard.pages.analysis.shared import Analysed, analysed, first_rows
from leaderboard.pages.labels import row_labels
from leaderboard.pages.tables.board_table import TableCell, TableLine, filled, keys_in, lines
from leaderboard.pages.tables.verdict import with_certainty
from leaderboard.services.board.reading import ranking
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.competition.visible.certainty import VisibleCertainty, certainty_of
from leaderboard.services.competition.visible.compared_files import compares_files
from leaderboard.services.competition.visible.samples import VisibleSamples, samples_of

MOST: Final = 8
"""The most entries that are compared at a time."""
LISTED: Final = 100
"""The rows of the board that the form lists."""


class Ticked(NamedTuple):
    """An entry to choose."""

    line: TableLine
    is_chosen: bool


class ValueLine(NamedTuple):
    """The values of the entries in a column of the board. best: whether each is the best one."""

    label: str
    cells: list[tuple[TableCell, bool]]


@require_safe
@cache_control(private=True, no_cache=True)
def compare_page(request: HttpRequest, slug: str) -> HttpResponse:
    """`?p=` names participants, once for each or with commas; the first one is the reference."""
    about = analysed(request, slug)
    asked = _asked(request)
    listed, left_out = first_rows(about.board, LISTED)
    rows_by_slug = _by_slug(listed)
    rows = [rows_by_slug.get(name) or _row(about, name) for name in asked[:MOST]]
    columns = row_labels.spoken(
        filled(ranking.columns_of(about.challenge), keys_in(rows if rows else listed))
    )
    certain = certainty_of(about.board, [*rows, *listed])
    chosen = {row.participant.pk for row in rows}
    context = {
        **about.context("compare"),
        "ticks": [
            Ticked(line, line.participant.pk in chosen)
            for line in with_certainty(certain, listed, lines(columns[:1], listed))
        ],
        "main": columns[0],
        "left_out": left_out,
        "problem": _problem(len(asked)),
        "most": MOST,
        **(_compared(about, columns, rows, certain) if len(rows) > 1 else {}),
    }
    return render(request, "pages/compare.html", context)


def _by_slug(listed: Sequence[BoardRow]) -> dict[str, BoardRow]:
    """The first row of each participant, without those that share a name in addresses."""
    rows_by_slug: dict[str, BoardRow] = {}
    shared = set()
    for row in listed:
        first = rows_by_slug.setdefault(row.participant.slug, row)
        if first.participant.pk != row.participant.pk:
            shared.add(row.participant.slug)
    return {slug: row for slug, row in rows_by_slug.items() if slug not in shared}


def _asked(request: HttpRequest) -> list[str]:
    """The slugs that the URL names, each once."""
    texts = request.GET.getlist("p")
    return list(dict.fromkeys(name for text in texts for name in text.split(",") if name))


def _problem(number: int) -> str:
    """What is wrong with the number of entries; "" for none or a right one."""
    if number == 1:
        return _("Choose at least one more entry.")
    if number > MOST:
        text = _("At most {most} entries are compared at a time; these are the first of {count}.")
        return text.format(most=MOST, count=count_text(number))
    return ""


def _row(about: Analysed, slug: str) -> BoardRow:
    """The row of a participant by its name in addresses. Raises Http404."""
    called = about.board.access.called(about.challenge, slug)
    row = None
    if called is not None and called.covers(about.board.phase_id):
        row = about.board.standing_of(called.participant)
    if row is None:
        raise Http404("There is no such participant on this board.")
    return row


def _compared(
    about: Analysed,
    columns: Sequence[Column],
    rows: Sequence[BoardRow],
    certain: VisibleCertainty | None,
) -> dict[str, object]:
    entry_lines = with_certainty(certain, rows, lines(list(columns), rows))
    if compares_files(about.board.board.config):
        attempts = comparable_attempts(about.board, rows)
        return {
            "entries": entry_lines,
            "values": _values(columns, rows, entry_lines),
            "sections": file_sections(about.challenge, columns, entry_lines, attempts),
            "why_no_samples": _why_no_files(about, entry_lines, attempts),
            "are_rows": True,
        }
    samples = samples_of(about.board, rows)
    evidence = [samples.evidence.get(row.attempt_id) if row.attempt_id else None for row in rows]
    sections: list[PairSection] = pair_sections(
        about.board.board.config, columns, entry_lines, evidence
    )
    return {
        "entries": entry_lines,
        "values": _values(columns, rows, entry_lines),
        "sections": sections,
        "why_no_samples": _why_no_samples(about, entry_lines, evidence, samples),
    }


def _values(
    columns: Sequence[Column], rows: Sequence[BoardRow], entry_lines: Sequence[TableLine]
) -> list[ValueLine]:
    """The values of the board, a line per column."""
    return [
        ValueLine(
            row_labels.marked(column),
            [(line.cells[at], row in best) for row, line in zip(rows, entry_lines, strict=True)],
        )
        for at, column in enumerate(columns)
        for best in [_best(column, rows)]
    ]


def _best(column: Column, rows: Sequence[BoardRow]) -> list[BoardRow]:
    """The rows with the best value, unless all have the same."""
    valued_rows = [(value, row) for row in rows if (value := column.value(row.values)) is not None]
    if len({value for value, _ in valued_rows}) < 2:
        return []
    best = (min if column.direction == "asc" else max)(value for value, _ in valued_rows)
    return [row for value, row in valued_rows if value == best]


def _without(entry_lines: Sequence[TableLine], evidence: Sequence[object | None]) -> list[str]:
    """The names of the entries that have nothing to compare."""
    return [
        line.participant.shown_name
        for line, entry_evidence in zip(entry_lines, evidence, strict=True)
        if entry_evidence is None
    ]


def _why_no_files(
    about: Analysed, entry_lines: Sequence[TableLine], attempts: Sequence[object | None]
) -> str:
    """Which entries are not compared row by row, and why; "" if all are."""
    without = _without(entry_lines, attempts)
    if not without:
        return ""
    if not about.board.view.is_exact:
        return _("Scores are not shown exactly, so these entries are not compared row by row.")
    text = ngettext(
        "{names} has no file whose score you can see, so it is not compared row by row.",
        "{names} have no files whose scores you can see, so they are not compared row by row.",
        len(without),
    )
    return text.format(names=", ".join(without))


def _why_no_samples(
    about: Analysed,
    entry_lines: Sequence[TableLine],
    evidence: Sequence[object | None],
    samples: VisibleSamples,
) -> str:
    """Which entries are not compared task by task, and why; "" if all are."""
    without = _without(entry_lines, evidence)
    if not without:
        return ""
    if samples.left_out:
        return _("There are too many samples to compare all of these entries task by task.")
    if not about.board.view.is_exact:
        return _("Scores are not shown exactly, so these entries are not compared task by task.")
    text = ngettext(
        "{names} has no samples that you can see, so it is not compared task by task.",
        "{names} have no samples that you can see, so they are not compared task by task.",
        len(without),
    )
    return text.format(names=", ".join(without))
