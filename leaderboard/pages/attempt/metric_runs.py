"""The runs of an attempt's text metrics: their scores, or the reasons why there are none."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from leaderboard.columns import Column, get_column
from leaderboard.models import MetricRun
from leaderboard.pages.labels import row_labels
from leaderboard.pages.tables.config_table import written
from leaderboard.pages.tables.metric_table import MetricLine, metric_line
from leaderboard.services.attempts.reading import ReadScore
from leaderboard.services.evaluation.output_documents import ended_of
from leaderboard.services.evaluation.run_columns import column_of, notes_beside_run


class RunParameter(NamedTuple):
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class RunLine:
    """One run. texts: those of its score, such as a signature. seconds: spent computing.

    notes: sentences that explain its parameters. waiting: the progress of an unfinished run, as
    text.
    """

    key: str
    id: str
    parameters: list[RunParameter]
    values: list[MetricLine]
    texts: list[RunParameter]
    notes: list[str]
    seconds: str
    error: str
    waiting: str


def run_lines(
    runs: Sequence[MetricRun],
    columns: Mapping[str, Column],
    score: ReadScore | None,
    waiting: Sequence[str],
    hidden: Collection[int] = (),
) -> list[RunLine]:
    """The runs in their order.

    columns: those of the board, by key. score: of the attempt, None while it waits; until it has
    one, no result of a run is shown, because it may still be cancelled. waiting: how far each run
    is until then, in words. hidden: the positions of the runs whose
    parameters the reader may not see.
    """
    lines = []
    for run, how_far in zip(runs, waiting, strict=True):
        if run.position in hidden:
            run.given = {**run.given, "parameters": {}}
        line = _line(run, columns, score, how_far)
        lines.append(replace(line, notes=[]) if run.position in hidden else line)
    return lines


def _line(
    run: MetricRun, columns: Mapping[str, Column], score: ReadScore | None, waiting: str
) -> RunLine:
    given, error = run.given, _error(run, score) if score else ""
    is_shown = score is not None and run.finished_at is not None
    return RunLine(
        key=run.key,
        id="" if given["id"].casefold() == run.key.casefold() else given["id"],
        parameters=[
            RunParameter(name, written(value))
            for name, value in (given.get("parameters") or {}).items()
        ],
        values=list(_values(run, columns)) if is_shown and not error else [],
        texts=[RunParameter(*text) for text in _texts(run)] if is_shown else [],
        notes=notes_beside_run(run) if is_shown and not error else [],
        seconds=row_labels.value_text(get_column("elapsed_ms"), run.elapsed * 1000)
        if is_shown
        else "",
        error=error,
        waiting="" if is_shown else waiting,
    )


def _error(run: MetricRun, score: ReadScore) -> str:
    """Why there is no score, in a sentence; "" where there is one."""
    if run.error_code:
        return run.error_message or row_labels.error(run.error_code)
    error = ended_of(run, score).error
    return error["message"] if error else ""


def _values(run: MetricRun, columns: Mapping[str, Column]) -> Iterator[MetricLine]:
    """The metric's own value first, then the others as the metric names them."""
    values = run.value or {}
    keys = [run.key, *(f"{run.key}:{name}" for name in run.names)]
    for key in sorted(values, key=lambda key: keys.index(key) if key in keys else len(keys)):
        yield metric_line(columns.get(key) or column_of(run, key), values[key])


def _texts(run: MetricRun) -> Iterator[tuple[str, str]]:
    for name, value in (run.score or {}).items():
        if isinstance(value, str):
            yield name, value
