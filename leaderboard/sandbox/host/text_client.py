"""The worker's client of one text metric, which evaluates one block after another in a child."""

import marshal
import math
import os
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import islice
from time import monotonic
from typing import Any, NamedTuple, Protocol

from leaderboard.rules.rewards.text_scores import TextMetricScore
from leaderboard.rules.texts.plugin_output import MAX_DETAIL_BYTES, clean_output, cut
from leaderboard.sandbox.contract import Evaluated, Failure, HostOverfull, InstanceTuple, Rows
from leaderboard.sandbox.host import outcomes, text_answers
from leaderboard.sandbox.host.outcomes import NoAnswer
from leaderboard.sandbox.host.pipes import Child, ChildExited, DeadlineExceeded, ZygoteDied
from leaderboard.sandbox.host.positions import without_positions
from leaderboard.sandbox.jobs import EvaluateJob, SentEvaluateJob

MAX_ANSWER_BYTES = 64 << 20

LEASE_MS = 60_000
"""How long a child waits for the next block while its host stores the last one."""

_LIFE_SECONDS = 600
"""How long a child may serve after the time limit of its first request."""

_KIND = "text metric"
_TRIES = 2
_COSTS_THE_CHILD = ("crashed", "out_of_memory", "timeout")

_TOO_DEEP = Failure("invalid_result", "The text metric's statistics are nested too deeply.")


class _Request(NamedTuple):
    """What is sent to a child, and the function that reads its answer."""

    payload: bytes
    read: Callable[[Any], Any]


class Home(Protocol):
    """The sandbox, as far as a client needs it to start children."""

    def _spawn(
        self, job: EvaluateJob, cpu_seconds: int, *, lease_ms: int, seconds: float
    ) -> Child: ...

    def _end_zygote(self) -> None: ...


class TextMetricClient:
    """Asks a text metric. The first request starts its child, which serves until it ends.

    Requests are answered in order. The first `_sent` of the unanswered ones have been sent to the
    child; if another request ends the child, they are sent to the next one.

    job: what the child is told. refused: the answer to every request, if the metric may not run.
    `seconds` is the time spent in the metric so far, by the child's clock; `printed` is the output
    of the children that have ended.
    """

    def __init__(self, home: Home, job: EvaluateJob, refused: Failure | None = None) -> None:
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

    def evaluate(
        self, *blocks: Sequence[InstanceTuple] | Rows, timeout_ms: int
    ) -> Evaluated | Failure:
        """The result of the metric for instances, from one or several blocks.

        blocks: id, input, outputs and references of each instance, or stored blocks. timeout_ms:
        by this process's clock, from the moment that the child may run, so that it includes the
        import of the metric.
        """
        self.send(*blocks)
        return self.receive(timeout_ms=timeout_ms)

    def send(self, *blocks: Sequence[InstanceTuple] | Rows) -> None:
        """Send a request, even while the child still computes an earlier one.

        Call `receive` once for each request, in the same order.
        """
        payload = marshal.dumps(["evaluate", [_plain(block) for block in blocks]])
        count = sum(map(len, blocks))
        self._requests.append(_Request(payload, lambda sent: text_answers.evaluated(sent, count)))
        if self._child is not None and self._sent and self._child.age() < _LIFE_SECONDS:
            self._send_rest(self._child)

    def receive(self, *, timeout_ms: int) -> Evaluated | Failure:
        """The answer to the oldest `send`. Its `seconds` are at most `timeout_ms`."""
        evaluated: Evaluated | Failure = self._ask(timeout_ms)
        if isinstance(evaluated, Evaluated):
            evaluated = evaluated._replace(seconds=min(evaluated.seconds, timeout_ms / 1000))
            self.seconds += evaluated.seconds
        return evaluated

    def combine(self, statistics: Sequence[Any], *, timeout_ms: int) -> TextMetricScore | Failure:
        """The score of all blocks together, from their statistics; {} if no block has any."""
        try:
            payload = marshal.dumps(["combine", list(statistics)])
        except ValueError:
            return self._refused or _TOO_DEEP
        self._requests.append(_Request(payload, text_answers.combined))
        combined: tuple[TextMetricScore, float] | Failure = self._ask(timeout_ms)
        if isinstance(combined, Failure):
            return combined
        self.seconds += min(combined[1], timeout_ms / 1000)
        return combined[0]

    def end(self) -> None:
        """End the child, even while it computes. The next request starts a fresh one."""
        child = self._drop_child()
        if child is None:
            return
        try:
            child.end()
        except ZygoteDied:
            self._home._end_zygote()
        limit = child.zygote.settings.limits.output_bytes
        self.printed = cut(
            self.printed + clean_output(without_positions(child.printed), limit), limit
        )

    def interrupt(self) -> None:
        """Stop the computation permanently. Any thread may call this.

        The current request and all later ones are answered with `crashed`.
        """
        self._interrupted = True
        child = self._child
        if child is not None:
            with suppress(ZygoteDied):
                child.zygote.order("end", child.number)

    def forget(self) -> None:
        """Drop a child that belongs to the process this one was forked from."""
        child = self._drop_child()
        if child is not None:
            child.close()

    def _ask(self, timeout_ms: int) -> Any:
        """The answer to the oldest request: the result of its `read`, or a Failure."""
        try:
            if self._refused is not None:
                return self._refused
            for _ in range(_TRIES):
                is_overfull = False
                try:
                    return self._answer(self._requests[0], timeout_ms)
                except ZygoteDied:
                    self._lose_zygote()
                except ChildExited:  # its lease ended between two requests, or no memory
                    is_overfull = True
                    self.end()
            if is_overfull:
                raise HostOverfull
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
            answer = request.read(self._next_answer(child, timeout_ms / 1000))
        except DeadlineExceeded:
            answer = outcomes.timed_out(timeout_ms, _KIND, child)
        except NoAnswer as error:
            answer = outcomes.unexpected_answer(error, _KIND)
        except ChildExited as gone:
            if gone.unwanted or (gone.overfull and not self._interrupted):
                raise
            answer = outcomes.crashed(None if self._interrupted else gone.status, _KIND)
        if not isinstance(answer, Failure):
            return answer
        if answer.code in _COSTS_THE_CHILD:
            self.end()
        return _with_printed(answer, child)

    def _ready(self, seconds: float) -> Child:
        """The child with its clock started; a fresh one if none has enough time left."""
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
        """Send the requests that have not been sent yet."""
        for request in islice(self._requests, self._sent, None):
            child.send(len(request.payload).to_bytes(4, "little"))
            child.send(request.payload)
            self._sent += 1

    def _fresh(self, seconds: float) -> Child:
        token = outcomes.new_token()
        job: SentEvaluateJob
        job = {**self._job, "token": token, "answer_bytes": MAX_ANSWER_BYTES}
        self._life = math.ceil(seconds) + _LIFE_SECONDS
        cpu_seconds = math.ceil(self._life) * (os.cpu_count() or 1)
        child = self._home._spawn(job, cpu_seconds, lease_ms=LEASE_MS, seconds=seconds)
        child.max_answer_bytes = MAX_ANSWER_BYTES + 1024
        child.widen()
        self._child, self._token, self._number = child, token.encode(), 0
        return child

    def _lose_zygote(self) -> None:
        child = self._drop_child()
        if child is not None:
            child.close()
        self._home._end_zygote()

    def _drop_child(self) -> Child | None:
        """Forget the child and which requests were sent to it; returns the child."""
        child, self._child, self._sent = self._child, None, 0
        return child

    def _next_answer(self, child: Child, seconds: float) -> Any:
        """The parsed JSON of the next answer. Raises NoAnswer, DeadlineExceeded, ChildExited."""
        number, _, rest = child.next_line(seconds).partition(b" ")
        token, _, text = rest.partition(b" ")
        if token != self._token or number != str(self._number).encode():
            raise NoAnswer("not the answer to this request")
        self._number += 1
        return outcomes.parse(text)


def _plain(block: Sequence[InstanceTuple] | Rows) -> bytes | list[Any]:
    if isinstance(block, Rows):
        return block.text
    return [(row[0], row[1], list(row[2]), list(row[3])) for row in block]


def _with_printed(failure: Failure, child: Child) -> Failure:
    """The failure with the metric's output added to its detail, for the organiser."""
    printed = clean_output(without_positions(child.printed), MAX_DETAIL_BYTES)
    if not printed:
        return failure
    return failure._replace(detail=cut(f"{failure.detail}\nprinted:\n{printed}", MAX_DETAIL_BYTES))
