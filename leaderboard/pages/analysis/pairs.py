"""Two entries, compared metric by metric on the tasks that both have, in words and numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from typing import Final, NamedTuple

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leaderboard.columns import Column
from leaderboard.columns.column import PERCENT
from leaderboard.languages.translation import count_text, number_text, translated
from leaderboard.models import ScoringConfig
from leaderboard.pages.tables.board_table import TableLine
from leaderboard.pages.tables.differences import difference_writer
from leaderboard.rules.rewards.evidence import RewardEvidence
from leaderboard.rules.statistics.entry_comparisons import (
    MetricComparison,
    compare_metrics,
    sentence,
)
from leaderboard.rules.statistics.parts import TaskParts
from leaderboard.rules.statistics.verdict_sentences import shortly
from leaderboard.rules.texts.value_names import ECONOMICS
from leaderboard.services.competition.visible.entry_parts import (
    EntryParts,
    compared_columns,
    entry_parts,
    solved_by,
)

MOST_TASKS: Final = 50
"""The most tasks with different values that are listed."""
SMALL_P: Final = 0.0001
"""Smaller p values are shown as less than this."""
_MINUS: Final = "\N{MINUS SIGN}"


class ComparedMetric(NamedTuple):
    """A metric of two entries. The values are those over the tasks that both have.

    interval, p: "" if there are none. only: the tasks that only one of them solved, "" unless all
    values are 0 or 1. ratio: of costs, "" for other metrics.
    """

    label: str
    first: str
    second: str
    shared: str
    difference: str
    error: str
    interval: str
    p: str
    only: str
    ratio: str
    sentence: str


class DifferingTask(NamedTuple):
    """A task on which two entries have different values."""

    name: str
    first: str
    second: str


class PairSection(NamedTuple):
    """The comparison of the first entry with another one.

    tasks: those on which the first metric differs, the largest difference first; more: how many
    further ones there are, "" for none. are_rows: whether rows of files are compared, not tasks.
    """

    first: TableLine
    second: TableLine
    metrics: list[ComparedMetric]
    task_metric: str
    tasks: list[DifferingTask]
    more: str
    are_rows: bool = False


def pair_sections(
    config: ScoringConfig,
    columns: Sequence[Column],
    entries: Sequence[TableLine],
    evidence: Sequence[RewardEvidence | None],
) -> list[PairSection]:
    """The comparisons of the first entry with each other one, of those that have samples."""
    compared = compared_columns(config, columns, evidence)
    parts_of_columns = [(column, entry_parts(config, column, evidence)) for column in compared]
    parts = [(column, entry) for column, entry in parts_of_columns if entry is not None]
    available = [samples for samples in evidence if samples is not None]
    solvable = {column.key for column, _ in parts if _is_solved_or_not(config, column, available)}
    if not parts or evidence[0] is None:
        return []
    return [
        _section(entries[0], entry, parts, at, solvable)
        for at, entry in enumerate(entries)
        if at and evidence[at] is not None
    ]


def _is_solved_or_not(
    config: ScoringConfig, column: Column, evidence: Sequence[RewardEvidence]
) -> bool:
    """Whether the best and the worst value of a task are 0 and 1."""
    by_rule = solved_by(config, column, evidence)
    return by_rule is not None and {by_rule[0].best, by_rule[0].worst} == {0.0, 1.0}


def _section(
    first: TableLine,
    second: TableLine,
    parts: Sequence[tuple[Column, EntryParts]],
    at: int,
    solvable: Set[str],
) -> PairSection:
    pairs = {column.key: entry.parts.of_entries([0, at]) for column, entry in parts}
    comparisons = compare_metrics(pairs)
    names = first.participant.shown_name, second.participant.shown_name
    column, first_parts = parts[0]
    differing = comparisons[column.key].differing
    return PairSection(
        first,
        second,
        [
            _line(
                metric,
                pairs[metric.key],
                comparisons[metric.key],
                names,
                is_solvable=metric.key in solvable,
            )
            for metric, _ in parts
        ],
        column.label,
        list(_tasks(column, first_parts.tasks, pairs[column.key], differing[:MOST_TASKS])),
        count_text(len(differing) - MOST_TASKS) if len(differing) > MOST_TASKS else "",
    )


def _line(
    column: Column,
    pair: TaskParts,
    compared: MetricComparison,
    names: tuple[str, str],
    *,
    is_solvable: bool,
) -> ComparedMetric:
    comparison = compared.comparison
    values = (None if np.isnan(value) else float(value) for value in pair.shared().values)
    first, second = values
    line = compared_line(column, (first, second), compared, _sentence(column, compared, names))
    if is_solvable:
        only = _only(comparison.only_first, comparison.only_second, names)
        line = line._replace(only=only)
    return line._replace(ratio=_ratio(column, compared, names))


def compared_line(
    column: Column,
    values: tuple[float | None, float | None],
    compared: MetricComparison,
    sentence: str,
) -> ComparedMetric:
    """A metric of two entries without a ratio. values: theirs, None for an undefined one."""
    first, second = ("–" if value is None else _value_text(column, value) for value in values)
    comparison = compared.comparison
    error, p = comparison.standard_error, compared.corrected
    return ComparedMetric(
        label=column.label,
        first=first,
        second=second,
        shared=count_text(comparison.shared),
        difference="–" if comparison.difference is None else _signed(column, comparison.difference),
        error="" if error is None else _error(column, error),
        interval=_interval(column, comparison.interval),
        p="" if p is None else _p(p),
        only="",
        ratio="",
        sentence=sentence,
    )


def _sentence(column: Column, compared: MetricComparison, names: tuple[str, str]) -> str:
    shared = compared.comparison.shared
    if compared.differing or compared.comparison.p is None:
        return translated(sentence(compared, names, difference_writer(column)))
    equal = ngettext(
        "{first} and {second} have the same value on {count} task.",
        "{first} and {second} have the same values on {count} tasks.",
        shared,
    )
    return equal.format(first=names[0], second=names[1], count=count_text(shared))


def _value_text(column: Column, value: float) -> str:
    return number_text(column.written(value))


def _signed(column: Column, value: float) -> str:
    """A difference with its sign."""
    text = difference_writer(column)(abs(value))
    if not any(character in "123456789" for character in text):
        return text
    return f"{'+' if value > 0.0 else _MINUS}{text}"


def _error(column: Column, error: float) -> str:
    text = number_text(shortly(error * column.scale))
    return _("{number} points").format(number=text) if column.unit == PERCENT else text


def _interval(column: Column, interval: tuple[float, float] | None) -> str:
    if interval is None:
        return ""
    low, high = (_signed(column, end) for end in interval)
    return _("{low} to {high}").format(low=low, high=high)


def _p(value: float) -> str:
    return number_text(f"< {SMALL_P}" if value < SMALL_P else shortly(value))


def _only(first: int | None, second: int | None, names: tuple[str, str]) -> str:
    if first is None or second is None:
        return ""
    return _("solved only by {first}: {first_count}, only by {second}: {second_count}").format(
        first=names[0],
        first_count=count_text(first),
        second=names[1],
        second_count=count_text(second),
    )


def _ratio(column: Column, compared: MetricComparison, names: tuple[str, str]) -> str:
    """The ratio of two costs that differ; "" for other metrics."""
    ratio = compared.ratio
    if column.key not in ECONOMICS or ratio is None or not compared.differing:
        return ""
    value, (first, second) = number_text(f"{ratio.value:.3g}"), names
    if ratio.interval is None:
        text = _("The value of {first} is {ratio} times that of {second}.")
        return text.format(first=first, second=second, ratio=value)
    low, high = (number_text(f"{end:.3g}") for end in ratio.interval)
    text = _("The value of {first} is {ratio} times that of {second} (95%: {low} to {high}).")
    return text.format(first=first, second=second, ratio=value, low=low, high=high)


def _tasks(
    column: Column, names: Sequence[str], pair: TaskParts, differing: Sequence[int]
) -> Iterator[DifferingTask]:
    values = pair.task_values
    for at in differing:
        first, second = (_value_text(column, float(value)) for value in values[:, at])
        yield DifferingTask(names[at], first, second)
