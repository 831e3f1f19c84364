"""One text metric that is asked block after block, over a line to its child."""

import marshal
import math
import os
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import islice
from time import monotonic
from typing import Any, NamedTuple, Protocol

from leaderboard.rules.text_scores import Score
from leaderboard.rules.texts import MAX_DETAIL_BYTES, clean_output, cut
from leaderboard.sandbox.contract import Evaluated, Failure, Row, Rows
from leaderboard.sandbox.host import outcomes, text_answers
from leaderboard.sandbox.host.outcomes import NoAnswer
from leaderboard.sandbox.host.pipes import Child, Gone, Late, ZygoteDied

MAX_ANSWER_BYTES = 64 << 20

LEASE_MS = 60_000
"""How long a child waits for the next block while its host stores the last one."""

_LIFE_SECONDS = 600
"""How long a child may serve beyond the limit of its first block."""

_KIND = "text metric"
_TRIES = 2
_COSTS_THE_CHILD = ("crashed", "out_of_memory", "timeout")

_TOO_DEEP = Failure("invalid_result", "The text metric's statistics are nested too deeply.")

Job = dict[str, Any]


class _Request(NamedTuple):
    """What a child is sent, and what is made of its answer."""

    payload: bytes
    read: Callable[[Any], Any]


class Home(Protocol):
    """Where a line's children come from."""

    def _spawn(self, job: Job, cpu_seconds: int, *, lease_ms: int) -> Child: ...

    def _end_zygote(self) -> None: ...


class TextMetricClient:
    """Asks a text metric. Its child starts with the first question, and serves until it dies.

    Requests wait in their order until they are answered; the first `_sent` of them are with the
    child, and go to the next one if it dies of another.

    job: what the child is told. refused: what every question is answered with, if it may not even
    be asked. `seconds` were spent in the metric so far, by its child's clock; `printed` is what
    children that have ended have printed.
    """

    def __init__(self, home: Home, job: Job, refused: Failure | None = None) -> None:
        self.seconds = 0.0
        self.printed = ""
        self._home = home
        self._job = job
        self._refused = refused
        self._child: Child | None = None
        self._token = b""
        self._number = 0
        self._requests: deque[_Request] = deque()
        self._sent = 0
        self._life = 0.0
        self._interrupted = False

    def evaluate(self, *blocks: Sequence[Row] | Rows, timeout_ms: int) -> Evaluated | Failure:
        """What the metric makes of a block of instances, or of all of them.

        blocks: id, input, outputs and references of each instance, or what is stored. timeout_ms:
        by this process's clock, from the moment that the child may run, its import of the metric
        included.
        """
        self.send(*blocks)
        return self.receive(timeout_ms=timeout_ms)

    def send(self, *blocks: Sequence[Row] | Rows) -> None:
        """Ask about a block while the one before it may still be computed.

        For each there has to be a `receive`, in the same order.
        """
        payload = marshal.dumps(["evaluate", [_plain(block) for block in blocks]])
        count = sum(map(len, blocks))
        self._requests.append(_Request(payload, lambda said: text_answers.evaluated(said, count)))
        if self._child is not None and self._sent and self._child.age() < _LIFE_SECONDS:
            self._send_rest(self._child)

    def receive(self, *, timeout_ms: int) -> Evaluated | Failure:
        """The answer to `send`. It says no more seconds than there were."""
        found: Evaluated | Failure = self._ask(timeout_ms)
        if isinstance(found, Evaluated):
            found = found._replace(seconds=min(found.seconds, timeout_ms / 1000))
            self.seconds += found.seconds
        return found

    def combine(self, statistics: Sequence[Any], *, timeout_ms: int) -> Score | Failure:
        """The score of all blocks together, from the statistics of each; {} if none has any."""
        try:
            payload = marshal.dumps(["combine", list(statistics)])
        except ValueError:
            return self._refused or _TOO_DEEP
        self._requests.append(_Request(payload, text_answers.combined))
        found: tuple[Score, float] | Failure = self._ask(timeout_ms)
        if isinstance(found, Failure):
            return found
        self.seconds += min(found[1], timeout_ms / 1000)
        return found[0]

    def end(self) -> None:
        """End the child, whatever it is doing. The next question gets a fresh one."""
        child = self._let_go()
        if child is None:
            return
        try:
            child.end()
        except ZygoteDied:
            self._home._end_zygote()
        limit = child.zygote.settings.limits.output_bytes
        self.printed = cut(self.printed + clean_output(child.printed, limit), limit)

    def interrupt(self) -> None:
        """End what is being computed, from any thread, and have no more computed on this line.

        The question under way, and every later one, is answered with `crashed`.
        """
        self._interrupted = True
        child = self._child
        if child is not None:
            with suppress(ZygoteDied):
                child.zygote.order("end", child.number)

    def forget(self) -> None:
        """Let go of a child that belongs to the process this one was forked from."""
        child = self._let_go()
        if child is not None:
            child.close()

    def _ask(self, timeout_ms: int) -> Any:
        """What the first request is answered with: a Failure, or what its `read` makes of it."""
        try:
            if self._refused is not None:
                return self._refused
            for _ in range(_TRIES):
                try:
                    return self._answer(self._requests[0], timeout_ms)
                except ZygoteDied:
                    self._lose_zygote()
                except Gone:  # it was ended while nobody asked: another one will be
                    self.end()
            return outcomes.crashed(None, _KIND)
        finally:
            self._requests.popleft()
            self._sent = max(0, self._sent - 1)

    def _answer(self, request: _Request, timeout_ms: int) -> Any:
        child = self._ready(timeout_ms / 1000)
        if self._interrupted:
            self.end()
            return outcomes.crashed(None, _KIND)
        self._send_rest(child)
        try:
            answer = request.read(self._said(child, timeout_ms / 1000))
        except Late:
            answer = outcomes.timed_out(timeout_ms, _KIND)
        except NoAnswer as error:
            answer = outcomes.spoke_out_of_turn(error, _KIND)
        except Gone as gone:
            if gone.unwanted:
                raise
            answer = outcomes.crashed(None if self._interrupted else gone.status, _KIND)
        if not isinstance(answer, Failure):
            return answer
        if answer.code in _COSTS_THE_CHILD:
            self.end()
        return _with_printed(answer, child)

    def _ready(self, seconds: float) -> Child:
        """The child, its clock started; a fresh one if there is none with enough life left."""
        child = self._child
        if child is not None and self._sent:
            return child
        if child is not None and child.age() + seconds > self._life:
            self.end()
            child = None
        if child is None:
            return self._fresh(seconds)
        child.heard = monotonic()
        return child

    def _send_rest(self, child: Child) -> None:
        """The requests that it has not been sent."""
        for request in islice(self._requests, self._sent, None):
            child.send(len(request.payload).to_bytes(4, "little"))
            child.send(request.payload)
            self._sent += 1

    def _fresh(self, seconds: float) -> Child:
        token = outcomes.new_token()
        job = self._job | {"token": token, "answer_bytes": MAX_ANSWER_BYTES}
        self._life = math.ceil(seconds) + _LIFE_SECONDS
        cpu_seconds = math.ceil(self._life) * (os.cpu_count() or 1)
        child = self._home._spawn(job, cpu_seconds, lease_ms=LEASE_MS)
        child.max_answer_bytes = MAX_ANSWER_BYTES + 1024
        child.widen()
        self._child, self._token, self._number = child, token.encode(), 0
        return child

    def _lose_zygote(self) -> None:
        child = self._let_go()
        if child is not None:
            child.close()
        self._home._end_zygote()

    def _let_go(self) -> Child | None:
        """Have no child, and nothing sent to it."""
        child, self._child, self._sent = self._child, None, 0
        return child

    def _said(self, child: Child, seconds: float) -> Any:
        """The JSON of the answer to the last question. Raises NoAnswer, Late, Gone."""
        number, _, rest = child.next_line(seconds).partition(b" ")
        token, _, text = rest.partition(b" ")
        if token != self._token or number != str(self._number).encode():
            raise NoAnswer("not the answer to this request")
        self._number += 1
        return outcomes.parse(text)


def _plain(block: Sequence[Row] | Rows) -> bytes | list[Any]:
    if isinstance(block, Rows):
        return block.text
    return [(row[0], row[1], list(row[2]), list(row[3])) for row in block]


def _with_printed(failure: Failure, child: Child) -> Failure:
    """With what the metric has printed, for the organiser."""
    if not child.printed:
        return failure
    printed = clean_output(child.printed, MAX_DETAIL_BYTES)
    return failure._replace(detail=cut(f"{failure.detail}\nprinted:\n{printed}", MAX_DETAIL_BYTES))
