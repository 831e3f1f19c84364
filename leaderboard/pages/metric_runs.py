"""The runs of an attempt's text metrics: their scores, or why there is none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from leaderboard.columns import Column, get_column
from leaderboard.models import MetricRun
from leaderboard.pages import words
from leaderboard.pages.config_table import written
from leaderboard.pages.metric_table import MetricLine, metric_line
from leaderboard.services.run_columns import column_of


class Parameter(NamedTuple):
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class RunLine:
    """One run. `said`: texts of its score, such as a signature. `seconds`: spent computing."""

    key: str
    id: str
    parameters: list[Parameter]
    values: list[MetricLine]
    said: list[Parameter]
    seconds: str
    error: str
    is_waiting: bool


def run_lines(runs: Sequence[MetricRun], columns: Mapping[str, Column]) -> list[RunLine]:
    """The runs in their order. columns: those of the board, by key."""
    return [_line(run, columns) for run in runs]


def _line(run: MetricRun, columns: Mapping[str, Column]) -> RunLine:
    given, is_waiting = run.given, run.finished_at is None
    return RunLine(
        key=run.key,
        id="" if given["id"].casefold() == run.key.casefold() else given["id"],
        parameters=list(_parameters(given.get("parameters") or {})),
        values=[] if run.error_code else list(_values(run, columns)),
        said=[Parameter(*each) for each in _texts(run)],
        seconds="" if is_waiting else get_column("elapsed_ms").text(run.elapsed * 1000),
        error=_error(run),
        is_waiting=is_waiting,
    )


def _parameters(parameters: Mapping[str, object]) -> Iterator[Parameter]:
    for name, value in parameters.items():
        yield Parameter(name, written(value))


def _values(run: MetricRun, columns: Mapping[str, Column]) -> Iterator[MetricLine]:
    """The metric's own value first."""
    found = run.value or {}
    for key in sorted(found, key=lambda key: key != run.key):
        yield metric_line(columns.get(key) or column_of(run, key), found[key])


def _texts(run: MetricRun) -> Iterator[tuple[str, str]]:
    for name, value in (run.score or {}).items():
        if isinstance(value, str):
            yield name, value


def _error(run: MetricRun) -> str:
    """Why there is no score, in a sentence; "" when there is one, or may come."""
    if not run.error_code:
        return ""
    return run.error_message or f"{words.error(run.error_code)}."
