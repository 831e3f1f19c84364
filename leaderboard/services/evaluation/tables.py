"""A page of an evaluation's instances, sorted by the results of a text metric.

Sorting reads only the results of one metric. Texts are read only for the rows of the page.
"""

from __future__ import annotations

import zlib
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from django.core.cache import cache
from numpy.typing import NDArray
from pydantic_core import from_json

from leaderboard.columns import Column
from leaderboard.models import Attempt, MetricRun, ResultBlock, ScoringConfig
from leaderboard.rules.json.packing import unpacked
from leaderboard.rules.rewards.instances import Instance
from leaderboard.rules.rewards.text_scores import first_key
from leaderboard.services.evaluation.instances import Instances
from leaderboard.services.evaluation.run_columns import column_of

NAMES_SECONDS = 3600
BLOCKS_PER_READ = 50
NUMBERS_KEPT = 16
"""The number of cached arrays; for the largest evaluations each takes 800 kB."""

_Result = float | dict[str, float | None] | None

Positions = NDArray[np.intp]

BlockPlaces = dict[int, list[tuple[int, int]]]
"""By block number: pairs of an instance's position in the document and its row in the block."""


class ResultKey(NamedTuple):
    """A number that a run gives each instance: `BLEU_NLTK`, or `ROUGE:rouge2` for a further one.

    name: the name of the number in the results of its run; "" if a result is a bare number.
    """

    column: Column
    run: MetricRun
    name: str

    @property
    def key(self) -> str:
        return self.column.key


class InstanceRow(NamedTuple):
    """An instance with its results by key, and the warnings about it by the key of their run."""

    instance: Instance
    results: dict[str, float | None]
    warnings: dict[str, str]


@dataclass(frozen=True, slots=True)
class InstancePage:
    """A page of rows. total: the number of rows on all pages."""

    rows: list[InstanceRow]
    total: int


def result_keys(runs: Iterable[MetricRun], columns: Mapping[str, Column]) -> list[ResultKey]:
    """The numbers that instances can be sorted by. columns: those of the board, by key.

    A metric without results for single instances has no such number.
    """
    return [key for run in runs for key in _keys_of(run, columns)]


def instance_page(
    attempt: Attempt,
    config: ScoringConfig,
    keys: Sequence[ResultKey],
    *,
    start: int,
    limit: int,
    sort: ResultKey | None = None,
    worst_first: bool = True,
) -> InstancePage:
    """At most `limit` instances from position `start` on; without `sort` in the document's order.

    keys: the results to include in rows. Instances without a result come after all others.
    """
    instances = Instances(attempt.pk, config, attempt.phase_id)
    if sort is None:
        positions = list(range(start, min(start + limit, len(instances))))
    else:
        order = _order(sort, instances.sizes, worst_first=worst_first)
        positions = order[start : start + limit].tolist()
    places = _places(positions, instances.sizes)
    loaded = _instances_at(instances, places)
    results, warnings = _results(keys, places)
    rows = [InstanceRow(loaded[at], results[at], warnings[at]) for at in positions]
    return InstancePage(rows, len(instances))


def _places(positions: Sequence[int], sizes: Sequence[int]) -> BlockPlaces:
    starts = list(accumulate(sizes, initial=0))
    places: BlockPlaces = defaultdict(list)
    for position in positions:
        number = bisect_right(starts, position) - 1
        places[number].append((position, position - starts[number]))
    return dict(places)


def _order(sort: ResultKey, sizes: Sequence[int], *, worst_first: bool) -> Positions:
    """The positions of all instances, sorted; equal ones stay in the document's order."""
    asked = (sort.run.pk, sort.name, tuple(sizes))
    finished_at = sort.run.finished_at
    numbers = _kept_numbers(*asked, finished_at) if finished_at else _numbers(*asked)
    smallest_first = worst_first == (sort.column.direction == "desc")
    return np.argsort(numbers if smallest_first else -numbers, kind="stable")


@lru_cache(maxsize=NUMBERS_KEPT)
def _kept_numbers(
    run: int, name: str, sizes: tuple[int, ...], finished_at: datetime
) -> NDArray[np.float64]:
    """The numbers of a finished run, which never change, cached for the next page."""
    return _numbers(run, name, sizes)


def _numbers(run: int, name: str, sizes: tuple[int, ...]) -> NDArray[np.float64]:
    """One number of each instance, NaN where there is none."""
    stored = dict(ResultBlock.objects.filter(run=run).values_list("number", "content"))
    values: list[float | None] = []
    for number, size in enumerate(sizes):
        rows = _results_in(stored[number]) if number in stored else []
        results = [row[0] for row in rows]
        values += [value_in(result, name) for result in results] if name else results
        values += [None] * (size - len(results))
    return np.array(values, dtype=np.float64)


def _results_in(content: bytes | memoryview) -> list[Any]:
    """The results in a block; twice as fast as `unpacked` if there are only numbers."""
    rows: list[Any] = from_json(zlib.decompress(content))
    return rows


def _instances_at(instances: Instances, places: BlockPlaces) -> dict[int, Instance]:
    picked = instances.pick({number: [at for _, at in here] for number, here in places.items()})
    return {
        position: instance
        for number, here in places.items()
        for (position, _), instance in zip(here, picked[number], strict=True)
    }


def value_in(result: _Result, name: str) -> float | None:
    """One number of a result; the result itself if it is a bare number."""
    return result.get(name) if isinstance(result, dict) else result


def _results(
    keys: Sequence[ResultKey], places: BlockPlaces
) -> tuple[dict[int, dict[str, float | None]], dict[int, dict[str, str]]]:
    """Results by key and warnings by the key of their run, by position."""
    runs = {key.run.pk: key.run for key in keys}
    results: dict[int, dict[str, float | None]] = defaultdict(dict)
    warnings: dict[int, dict[str, str]] = defaultdict(dict)
    for pk, run in runs.items():
        for position, (result, warning) in _rows_at(run, places):
            for key in keys:
                if key.run.pk == pk:
                    results[position][key.key] = value_in(result, key.name)
            if warning:
                warnings[position][run.key] = warning
    return results, warnings


def _rows_at(run: MetricRun, places: BlockPlaces) -> Iterator[tuple[int, Any]]:
    """Yield each position with its row, without positions in blocks that are not yet stored."""
    stored = ResultBlock.objects.filter(run=run, number__in=places).values_list("number", "content")
    for number, content in stored.iterator(chunk_size=BLOCKS_PER_READ):
        rows = _results_in(content)
        for position, at in places[number]:
            yield position, rows[at]


def _keys_of(run: MetricRun, columns: Mapping[str, Column]) -> Iterator[ResultKey]:
    names = _names_of(run)
    value = _name_of_value(run, names)
    for name in names:
        key = run.key if name == value else f"{run.key}:{name}"
        yield ResultKey(columns.get(key) or column_of(run, key), run, name)


def _name_of_value(run: MetricRun, names: Sequence[str]) -> str | None:
    """The name that results use for the run's value; it need not be among `names`."""
    score = run.score or {}
    first = first_key({name: score[name] for name in run.names})
    return next(iter(names), None) if first is None or names == [""] else first


def _names_of(run: MetricRun) -> list[str]:
    """The names of a run's results; [""] if they are bare numbers, [] if there are none.

    Cached, because the results of a finished run never change. A failed run that is tried again
    ends at another time, which is part of the key.
    """
    if run._state.adding:
        return []
    if run.finished_at is None:
        return _names_in(run)
    key = f"result-names:{run.pk}:{run.finished_at.timestamp()}"
    names: list[str] | None = cache.get(key)
    if names is None:
        names = _names_in(run)
        cache.set(key, names, NAMES_SECONDS)
    return names


def _names_in(run: MetricRun) -> list[str]:
    contents = ResultBlock.objects.filter(run=run).order_by("number").values_list("content")
    for (content,) in contents.iterator(chunk_size=BLOCKS_PER_READ):
        for result, _ in unpacked(content):
            if result is not None:
                return list(result) if isinstance(result, dict) else [""]
    return []
