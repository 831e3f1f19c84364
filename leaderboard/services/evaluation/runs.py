"""Run one text metric over the blocks of an evaluation, in several sandboxes at once.

This module does not depend on workers or commands: it takes blocks, yields the metric's results for
each block as they arrive, and the score at the end.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple, TypedDict

from leaderboard.operating import outages
from leaderboard.rules.json.untyped_dicts import PluginSettings
from leaderboard.rules.plugins.results import encode_json
from leaderboard.rules.rewards.instances import Instance
from leaderboard.rules.rewards.reductions import MetricValue
from leaderboard.rules.rewards.text_scores import TextMetricScore
from leaderboard.rules.rewards.text_values import BlockScore, Piece, RunningScore
from leaderboard.sandbox import Evaluated, Failure, PluginDescription
from leaderboard.sandbox.contract import InstanceTuple, Rows
from leaderboard.services.evaluation.metric_threads import MetricThreads
from leaderboard.services.plugins.sandboxes import text_sandboxes
from leaderboard.services.plugins.text_clients import TextMetricClient

MAX_THREADS = 4
SECONDS_WORTH_MORE_THREADS = 0.1
"""A run starts more than one thread if it has more than these seconds of computing left."""
MAX_STATISTICS_BYTES = 64 << 20
"""The largest statistics of all blocks as JSON; they are in memory until they are combined."""


BlockToRun = tuple[int, Sequence[Instance] | Rows]
"""The number of a block, and its instances, parsed or as stored."""


class EndOfRun(TypedDict, total=False):
    """What a finished run stores: its numbers, or its error. elapsed: seconds."""

    score: Mapping[str, float | str | None]
    names: list[str]
    value: Mapping[str, MetricValue]
    elapsed: float
    error_code: str
    error_message: str
    error_detail: str


class Scored(NamedTuple):
    """The end of a run: its score, and the seconds that were spent computing, over all blocks."""

    score: TextMetricScore
    seconds: float


Pieces = Sequence[Piece]
Step = Pieces | Scored | Failure
"""Pieces to store (none if only time has passed), or the end of the run."""


def never() -> bool:
    return False


def steps(
    metric: PluginDescription,
    parameters: PluginSettings,
    blocks: Iterable[BlockToRun],
    tally: RunningScore,
    *,
    count: int,
    timeout_ms: int,
    stop: Callable[[], bool] = never,
) -> Generator[Step, None, None]:
    """Run a text metric on `count` blocks; the last step is a score or a failure.

    blocks: read on demand; must not include blocks that the tally already has. tally: the results
    so far; new pieces are added to it. timeout_ms: the computing time of all blocks together. stop:
    called before a block is sent; if it returns True, the generator ends without a score, after the
    blocks that are being computed. Closing the generator cancels these. Raises SandboxError.
    """
    if metric.error is not None:
        yield metric.error
        return
    threads = MetricThreads(metric, parameters, text_sandboxes(_thread_count(metric, count)))
    try:
        run = _Run(metric, threads, tally, count, timeout_ms)
        yield from run.steps(blocks, stop)
    finally:
        threads.close()


def _thread_count(metric: PluginDescription, blocks: int) -> int:
    if not in_blocks(metric) or not metric.parallel:
        return 1
    return max(1, min(os.cpu_count() or 1, MAX_THREADS, blocks))


def in_blocks(metric: PluginDescription) -> bool:
    """Whether a metric may run block by block; otherwise it needs all instances at once."""
    return metric.averaged or metric.combines


class _Run:
    """A metric on an evaluation, from its first block to its score."""

    def __init__(
        self,
        metric: PluginDescription,
        threads: MetricThreads,
        tally: RunningScore,
        count: int,
        timeout_ms: int,
    ) -> None:
        self.metric = metric
        self.threads = threads
        self.tally = tally
        self.count = count
        self.timeout_ms = timeout_ms
        self.spent = tally.seconds
        self._statistics = sum(map(_size, tally.statistics()))

    def steps(self, blocks: Iterable[BlockToRun], stop: Callable[[], bool]) -> Iterator[Step]:
        if len(self.tally) < self.count:
            run_steps = self._in_blocks if in_blocks(self.metric) else self._at_once
            for step in run_steps(blocks, stop):
                yield step
                if isinstance(step, Failure):
                    return
        if len(self.tally) == self.count:
            yield from self._scored()

    def _in_blocks(self, blocks: Iterable[BlockToRun], stop: Callable[[], bool]) -> Iterator[Step]:
        """Run block by block; each session computes one block while the next is prepared."""
        rest = iter(blocks)
        while True:
            if not stop():
                for block in islice(rest, self.threads.room()):
                    self.threads.ask(_Evaluate(self, [block]))
            if not self.threads.pending:
                return
            answer = self.threads.answer()
            yield () if answer is None else self._kept(answer)
            if answer is None or self._seconds_to_go() > SECONDS_WORTH_MORE_THREADS:
                self.threads.open_all()

    def _seconds_to_go(self) -> float:
        """Seconds of computing left, if the remaining blocks take as long as the finished ones."""
        done = len(self.tally)
        return self.spent / done * (self.count - done) if done else 0.0

    def _at_once(self, blocks: Iterable[BlockToRun], stop: Callable[[], bool]) -> Iterator[Step]:
        if stop():
            return
        everything = list(blocks)
        self.threads.ask(_Evaluate(self, everything))
        while self.threads.pending:
            answer = self.threads.answer()
            yield () if answer is None else self._kept(answer)

    def _scored(self) -> Iterator[Step]:
        combined: TextMetricScore | None = None
        if self.metric.combines:
            self.threads.ask(_Combine(self))
            while (answer := self.threads.answer()) is None:
                yield ()
            if isinstance(answer, Failure):
                yield self._with_time_limit(answer)
                return
            combined = answer
        yield Scored(self.tally.score(combined), self.spent)

    def _kept(self, answer: Pieces | Failure) -> Step:
        if isinstance(answer, Failure):
            return self._with_time_limit(answer)
        outages.sandbox.ended()
        for piece in answer:
            self.tally.add(piece)
            self.spent += piece.part.seconds
            self._statistics += _size(piece.part.statistics)
        if self._statistics > MAX_STATISTICS_BYTES:
            text = "The text metric's statistics of all instances are more than {} MiB."
            return Failure("invalid_result", text.format(MAX_STATISTICS_BYTES >> 20))
        return answer

    def left(self) -> int:
        """Milliseconds of computing that are left."""
        return int(self.timeout_ms - self.spent * 1000)

    def _with_time_limit(self, failure: Failure) -> Failure:
        if failure.code != "timeout":
            return failure
        limit = f"{self.timeout_ms / 1000:g} s"
        return Failure("timeout", f"The text metric took longer than {limit} for all instances.")


class _Evaluate(NamedTuple):
    """A request to evaluate some blocks."""

    run: _Run
    blocks: Sequence[BlockToRun]

    def ask(self, client: TextMetricClient) -> None:
        client.send(*(_rows(block) for _, block in self.blocks))

    def answer(self, client: TextMetricClient) -> Pieces | Failure:
        left = self.run.left()
        if left < 1:
            return Failure("timeout", "")
        answer = client.receive(timeout_ms=left)
        return answer if isinstance(answer, Failure) else list(self._cut(answer))

    def _cut(self, evaluated: Evaluated) -> Iterator[Piece]:
        """Split results by block.

        The first piece gets the counts and the seconds of all blocks, so that sums stay correct.
        """
        statistics = evaluated.statistics if self.run.metric.combines else None
        part = BlockScore(
            evaluated.instances, evaluated.failed, evaluated.score, statistics, evaluated.seconds
        )
        start = 0
        for number, block in self.blocks:
            end = start + len(block)
            yield Piece(
                number,
                evaluated.results and evaluated.results[start:end],
                evaluated.warnings and evaluated.warnings[start:end],
                part,
            )
            start, part = end, part._replace(instances=0, failed=0, seconds=0.0)


class _Combine(NamedTuple):
    """A request for the score of all blocks together."""

    run: _Run

    def ask(self, client: TextMetricClient) -> None:
        """Send nothing: `answer` sends the request and waits."""

    def answer(self, client: TextMetricClient) -> TextMetricScore | Failure:
        """Send the request and wait, at least a second even if the time limit is nearly over."""
        before = client.seconds
        statistics = self.run.tally.statistics()
        answer = client.combine(statistics, timeout_ms=max(self.run.left(), 1000))
        self.run.spent += client.seconds - before
        return answer


def _rows(block: Sequence[Instance] | Rows) -> Sequence[InstanceTuple] | Rows:
    return block if isinstance(block, Rows) else [instance[:4] for instance in block]


def _size(statistics: Any) -> int:
    return len(encode_json(statistics))
