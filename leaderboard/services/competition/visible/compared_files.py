"""Files of predictions, compared metric by metric on public rows, as far as a reader may know."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np
from django.utils.translation import gettext as _

from leaderboard.columns import Column
from leaderboard.models import Attempt, Challenge, ScoringConfig
from leaderboard.predictions.comparing import ComparedFiles
from leaderboard.rules.rewards.intervals import Interval
from leaderboard.rules.statistics.comparisons import Comparison
from leaderboard.rules.statistics.entry_comparisons import MetricComparison, is_better
from leaderboard.rules.statistics.probabilities import holm
from leaderboard.services.competition.visible.access import Access
from leaderboard.services.errors import ServiceError, invalid
from leaderboard.services.predictions.rows import compared_files

MOST_METRICS: Final = 4
"""The most metrics by which files are compared: those that the board has first."""
DIGITS: Final = 3


class RowsMetric(NamedTuple):
    """A metric of two files, over public rows. first, second: its values; None: undefined."""

    column: Column
    first: float | None
    second: float | None
    compared: MetricComparison


def compares_files(config: ScoringConfig) -> bool:
    """Whether attempts are compared by the rows of their files."""
    return config.truth_id is not None and bool(config.prediction_specs)


def may_compare(attempt: Attempt, access: Access) -> bool:
    """Whether a reader sees the exact score of an attempt, and so may compare its file.

    The truth is secret, so that this holds for one's own attempts too. One that waits has no score
    yet, and one that was cancelled never has: it counts towards no quota.
    """
    return attempt.status == Attempt.Status.SCORED and _shows_exactly(attempt, access)


def check_comparable(name: str, attempt: Attempt, access: Access) -> None:
    """Refuse (ServiceError) an attempt that the reader may not compare, or that has no score."""
    if not _shows_exactly(attempt, access):
        text = _("{name}: the exact scores of this attempt are hidden from you.")
        raise ServiceError("permission_denied", text.format(name=name))
    if not may_compare(attempt, access):
        text = _("must be an attempt with a score; got {sent}, which is {status}")
        raise invalid(name, text.format(sent=attempt.pk, status=attempt.status))


def _shows_exactly(attempt: Attempt, access: Access) -> bool:
    is_exact = access.view(attempt.phase_id).is_exact
    return is_exact and access.sees(attempt) and access.sees_score(attempt)


def file_metrics(
    challenge: Challenge, columns: Sequence[Column], attempts: Sequence[Attempt]
) -> list[list[RowsMetric]]:
    """The first attempt compared with each other one by the first metrics of the board.

    attempts: those that `may_compare` allows. Empty for one without a file. The p values of a pair
    are corrected together. Standard errors, intervals and p values are rounded: what they tell of
    the truth is what the interval of a board tells.
    """
    config = challenge.shown
    specs = {spec.name: spec for spec in config.prediction_specs}
    compared_columns = [column for column in columns if column.key in specs][:MOST_METRICS]
    wanted = [specs[column.key] for column in compared_columns]
    results = compared_files(config, wanted, [attempt.pk for attempt in attempts])
    return [
        _corrected(
            [
                (column, result)
                for column in compared_columns
                if (result := results[column.key].get(other.pk)) is not None
            ]
        )
        for other in attempts[1:]
    ]


def _corrected(results: Sequence[tuple[Column, ComparedFiles]]) -> list[RowsMetric]:
    p = [np.nan if (p := result.comparison.p) is None else p for _, result in results]
    corrected = holm(np.array(p)).tolist()
    return [
        RowsMetric(column, result.first, result.second, _metric(column, result.comparison, one))
        for (column, result), one in zip(results, corrected, strict=True)
    ]


def _metric(column: Column, comparison: Comparison, corrected: float) -> MetricComparison:
    better = is_better(column.direction, comparison.difference, corrected)
    rounded = replace(
        comparison,
        standard_error=_rounded(comparison.standard_error),
        interval=_rounded_ends(comparison.interval),
        p=_rounded(comparison.p),
    )
    p = None if np.isnan(corrected) else _rounded(corrected)
    return MetricComparison(rounded, p, better, (), None)


def _rounded(number: float | None) -> float | None:
    return None if number is None else float(f"{number:.{DIGITS}g}")


def _rounded_ends(interval: Interval | None) -> Interval | None:
    if interval is None:
        return None
    low, high = interval
    return float(f"{low:.{DIGITS}g}"), float(f"{high:.{DIGITS}g}")
