"""The part of an attempt's page about the rows of its file: predictions beside the truth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from leaderboard.languages.translation import count_text, number_text
from leaderboard.pages.charts.against_truth import AgainstTruth, TruthSpread, against_truth
from leaderboard.pages.charts.frame import SIZES
from leaderboard.predictions.pictures import RowsPicture
from leaderboard.rules.json.untyped_dicts import PageContext
from leaderboard.rules.statistics.verdict_sentences import shortly
from leaderboard.services.attempts.reading import Reading
from leaderboard.services.attempts.visibility import may_see_rows
from leaderboard.services.predictions.rows import pictures_of_attempt

HEADERS: dict[str, tuple[str | Promise, ...]] = {
    "values": (
        gettext_lazy("Truth"),
        gettext_lazy("Rows"),
        gettext_lazy("Median prediction"),
        gettext_lazy("80% of the predictions"),
    ),
    "probabilities": (
        gettext_lazy("Predicted"),
        gettext_lazy("Rows"),
        gettext_lazy("Mean probability"),
        gettext_lazy("Share that is right"),
    ),
}
"""The columns of the tables, which say the same as the charts."""


class Cell(NamedTuple):
    """Rows with a label in the truth that are predicted as a label. shade: 0 to 5."""

    text: str
    shade: int
    is_right: bool


class TargetRows(NamedTuple):
    """The rows of one target: charts or a matrix of labels, and a table.

    target: "" if there is one. matrix: a line for each label of the truth.
    """

    target: str
    kind: str
    summary: str
    notes: list[str]
    charts: list[AgainstTruth]
    labels: list[str]
    matrix: list[tuple[str, list[Cell]]]
    headers: tuple[str | Promise, ...]
    table: list[list[str]]


def rows_of(reading: Reading) -> PageContext:
    """The public rows of an attempt's file, for readers who may see the truth; else empty."""
    attempt, config = reading.attempt, reading.config
    is_measured = config.truth_id is not None and bool(config.prediction_metrics)
    if not is_measured or reading.score is None or reading.score_hidden or not reading.is_exact:
        return {}
    if not may_see_rows(attempt.challenge, organiser=reading.organiser):
        return {}
    pictures = pictures_of_attempt(config, attempt.pk)
    return {"rows": [_target_rows(picture, several=len(pictures) > 1) for picture in pictures]}


def _target_rows(picture: RowsPicture, *, several: bool) -> TargetRows:
    summary = ngettext("{count} public row.", "{count} public rows.", picture.rows)
    target = TargetRows(
        target=picture.target if several else "",
        kind=picture.kind,
        summary=summary.format(count=count_text(picture.rows)),
        notes=_notes(picture),
        charts=[],
        labels=[],
        matrix=[],
        headers=HEADERS.get(picture.kind, ()),
        table=[],
    )
    match picture.kind:
        case "labels":
            labels = _labels(picture)
            return target._replace(labels=labels, matrix=_matrix(picture, labels))
        case "values":
            spreads = [
                TruthSpread(truth, middle, tenth, ninetieth)
                for _low, _high, truth, _rows, tenth, middle, ninetieth in picture.table
            ]
            charts = [against_truth(size, picture.cells, picture.cell, spreads) for size in SIZES]
            table = [
                [
                    _range(low, high),
                    count_text(int(rows)),
                    _number(middle),
                    _range(tenth, ninetieth),
                ]
                for low, high, _truth, rows, tenth, middle, ninetieth in picture.table
            ]
        case _:
            spreads = [
                TruthSpread(mean, share) for _low, _high, _rows, mean, share in picture.table
            ]
            charts = [against_truth(size, (), (0.0, 0.0), spreads, (0.0, 1.0)) for size in SIZES]
            table = [
                [_range(low, high), count_text(int(rows)), _number(mean), _number(share)]
                for low, high, rows, mean, share in picture.table
            ]
    return target._replace(charts=charts, table=table)


def _notes(picture: RowsPicture) -> list[str]:
    """What the picture leaves out."""
    notes = []
    if picture.beyond:
        text = ngettext(
            "{count} prediction lies beyond the picture and is drawn at its edge.",
            "{count} predictions lie beyond the picture and are drawn at its edge.",
            picture.beyond,
        )
        notes.append(text.format(count=count_text(picture.beyond)))
    if picture.kind == "probabilities" and picture.labels:
        text = _("The probability is that of the label {label}.")
        notes.append(text.format(label=picture.labels[0]))
    elif picture.kind == "probabilities":
        notes.append(_("The probability is that of the likeliest label of each row."))
    return notes


def _labels(picture: RowsPicture) -> list[str]:
    labels = list(picture.labels)
    if picture.folded:
        text = ngettext("{count} other label", "{count} other labels", picture.folded)
        labels.append(text.format(count=count_text(picture.folded)))
    return labels


def _matrix(picture: RowsPicture, labels: Sequence[str]) -> list[tuple[str, list[Cell]]]:
    """The shade of a cell is its share of the rows with that label."""
    return [
        (
            label,
            [
                Cell(count_text(int(rows)), _shade(rows, sum(line)), is_right=at == place)
                for at, rows in enumerate(line)
            ],
        )
        for place, (label, line) in enumerate(zip(labels, picture.table, strict=True))
    ]


def _shade(rows: float, total: float) -> int:
    return 0 if not rows else 1 + min(4, int(5 * rows / total))


def _range(low: float, high: float) -> str:
    return _("{low} to {high}").format(low=_number(low), high=_number(high))


def _number(value: float) -> str:
    return number_text(shortly(value))
