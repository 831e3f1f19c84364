"""One text metric over the blocks of an evaluation, asked in several sandboxes side by side.

This knows neither workers nor commands: blocks go in, what the metric makes of each comes out as
it comes, and the score at the end. Threads speak to sandboxes and to nothing else.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple

from leaderboard.rules.instances import Instance
from leaderboard.rules.text_scores import Score
from leaderboard.rules.text_values import Part, Piece, Tally
from leaderboard.sandbox import Evaluated, Failure, PluginDescription, Sandbox
from leaderboard.sandbox.contract import Row, Rows
from leaderboard.sandbox.line import Line
from leaderboard.services.sandboxes import text_sandboxes

MAX_LANES = 4
TICK_SECONDS = 0.25
"""How long nothing at all is heard of a run that is computing."""
WORTH_A_LANE = 0.1
"""Seconds of computing that a run must have left for more than one child to be started."""

Block = tuple[int, Sequence[Instance] | Rows]
"""Its number, and its instances or what is stored of them."""


class Scored(NamedTuple):
    """The end of a run: its score, and the seconds that were spent computing, over all blocks."""

    score: Score
    seconds: float


Pieces = Sequence[Piece]
Step = Pieces | Scored | Failure
"""Pieces to keep (none: time has passed), or the end of the run."""


def never() -> bool:
    return False


def steps(
    metric: PluginDescription,
    parameters: dict[str, Any],
    blocks: Iterable[Block],
    tally: Tally,
    *,
    count: int,
    timeout_ms: int,
    stop: Callable[[], bool] = never,
) -> Generator[Step, None, None]:
    """Ask a text metric about `count` blocks; the last step is a score or a failure.

    blocks: are read as they are needed; those of which the tally knows already must not be among
    them. tally: what is known so far; pieces are added to it. timeout_ms: for computing, all
    blocks added up. stop: asked before a block is handed out, whether to end without a score, with
    what is being computed. Closed early, it gives up what is being computed. Raises SandboxError.
    """
    if metric.error is not None:
        yield metric.error
        return
    lanes = Lanes(metric, parameters, text_sandboxes(_lane_count(metric, count)))
    try:
        run = _Run(metric, lanes, tally, count, timeout_ms)
        yield from run.steps(blocks, stop)
    finally:
        lanes.close()


def _lane_count(metric: PluginDescription, blocks: int) -> int:
    if not in_blocks(metric) or not metric.parallel:
        return 1
    return max(1, min(os.cpu_count() or 1, MAX_LANES, blocks))


def in_blocks(metric: PluginDescription) -> bool:
    """Whether a metric may be asked block by block; else it needs all instances at once."""
    return metric.averaged or metric.combines


Question = Callable[[Line], Any]


class Lanes:
    """Threads that each have a line to a text metric of their own: at first one of them.

    A thread takes no question before it has its sandbox: another run may be using that, and wait
    for one that this run has. A question that is under way when they are closed is given up.
    """

    def __init__(
        self, metric: PluginDescription, parameters: dict[str, Any], sandboxes: Sequence[Sandbox]
    ) -> None:
        self.count = 0
        self.pending = 0
        self._sandboxes = sandboxes
        self._about = metric.entrypoint, parameters
        self._is_closed = False
        self._lines: list[Line] = []
        self._questions: SimpleQueue[Question | None] = SimpleQueue()
        self._answers: SimpleQueue[Any] = SimpleQueue()
        self._open(1)

    def open_all(self) -> None:
        self._open(len(self._sandboxes))

    def _open(self, count: int) -> None:
        for sandbox in self._sandboxes[self.count : count]:
            threading.Thread(target=self._serve, args=(sandbox,), daemon=True).start()
            self.count += 1

    def ask(self, question: Question) -> None:
        self.pending += 1
        self._questions.put(question)

    def answer(self) -> Any:
        """The answer to any of the pending questions; None: none came within a tick."""
        try:
            answer = self._answers.get(timeout=TICK_SECONDS)
        except Empty:
            return None
        self.pending -= 1
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def close(self) -> None:
        self._is_closed = True
        for line in self._lines:
            line.interrupt()
        for _ in range(self.count):
            self._questions.put(None)

    def _serve(self, sandbox: Sandbox) -> None:
        try:
            with sandbox.evaluating(*self._about) as line:
                self._lines.append(line)
                while (question := self._questions.get()) is not None and not self._is_closed:
                    self._answers.put(question(line))
        except BaseException as error:
            self._answers.put(error)


class _Run:
    """A metric on an evaluation, from its first block to its score."""

    def __init__(
        self, metric: PluginDescription, lanes: Lanes, tally: Tally, count: int, timeout_ms: int
    ) -> None:
        self.metric = metric
        self.lanes = lanes
        self.tally = tally
        self.count = count
        self.timeout_ms = timeout_ms
        self.spent = tally.seconds

    def steps(self, blocks: Iterable[Block], stop: Callable[[], bool]) -> Iterator[Step]:
        if len(self.tally) < self.count:
            found = self._in_blocks if in_blocks(self.metric) else self._at_once
            for step in found(blocks, stop):
                yield step
                if isinstance(step, Failure):
                    return
        if len(self.tally) == self.count:
            yield from self._scored()

    def _in_blocks(self, blocks: Iterable[Block], stop: Callable[[], bool]) -> Iterator[Step]:
        """Each lane has a question, and the next one lies ready."""
        rest = iter(blocks)
        while True:
            room = self.lanes.count + 1 - self.lanes.pending
            if not stop():
                for block in islice(rest, room):
                    self.lanes.ask(partial(self._evaluated, blocks=[block]))
            if not self.lanes.pending:
                return
            answer = self.lanes.answer()
            yield () if answer is None else self._kept(answer)
            if answer is None or self._seconds_to_go() > WORTH_A_LANE:
                self.lanes.open_all()

    def _seconds_to_go(self) -> float:
        """Of computing, if the blocks that are left take as long as those that are done."""
        done = len(self.tally)
        return self.spent / done * (self.count - done) if done else 0.0

    def _at_once(self, blocks: Iterable[Block], stop: Callable[[], bool]) -> Iterator[Step]:
        if stop():
            return
        everything = list(blocks)
        self.lanes.ask(partial(self._evaluated, blocks=everything))
        while self.lanes.pending:
            answer = self.lanes.answer()
            yield () if answer is None else self._kept(answer)

    def _scored(self) -> Iterator[Step]:
        combined: Score | None = None
        if self.metric.combines:
            self.lanes.ask(self._combined)
            while (answer := self.lanes.answer()) is None:
                yield ()
            if isinstance(answer, Failure):
                yield self._told(answer)
                return
            combined = answer
        yield Scored(self.tally.score(combined), self.spent)

    def _kept(self, answer: Pieces | Failure) -> Step:
        if isinstance(answer, Failure):
            return self._told(answer)
        for piece in answer:
            self.tally.add(piece)
            self.spent += piece.part.seconds
        return answer

    # In the lanes' threads.

    def _evaluated(self, line: Line, blocks: Sequence[Block]) -> Pieces | Failure:
        left = self._left()
        if left < 1:
            return Failure("timeout", "")
        found = line.evaluate(*(_rows(block) for _, block in blocks), timeout_ms=left)
        return found if isinstance(found, Failure) else list(_cut(self.metric, found, blocks))

    def _combined(self, line: Line) -> Score | Failure:
        """At least a second is given to what is left of a run when all blocks are done."""
        before = line.seconds
        found = line.combine(self.tally.statistics(), timeout_ms=max(self._left(), 1000))
        self.spent += line.seconds - before
        return found

    def _left(self) -> int:
        return int(self.timeout_ms - self.spent * 1000)

    def _told(self, failure: Failure) -> Failure:
        if failure.code != "timeout":
            return failure
        limit = f"{self.timeout_ms / 1000:g} s"
        return Failure("timeout", f"The text metric took longer than {limit} for all instances.")


def _rows(block: Sequence[Instance] | Rows) -> Sequence[Row] | Rows:
    return block if isinstance(block, Rows) else [each[:4] for each in block]


def _cut(metric: PluginDescription, found: Evaluated, blocks: Sequence[Block]) -> Iterator[Piece]:
    """What was found of one block, or of all at once, by block.

    What is known of all together is that of the first.
    """
    statistics = found.statistics if metric.combines else None
    part = Part(found.seen, found.failed, found.score, statistics, found.seconds)
    start = 0
    for number, block in blocks:
        end = start + len(block)
        yield Piece(
            number,
            found.results and found.results[start:end],
            found.warnings and found.warnings[start:end],
            part,
        )
        start, part = end, part._replace(seen=0, failed=0, seconds=0.0)
