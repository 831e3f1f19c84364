"""Turns a child's answers, or missing answers, into outcomes. Validates everything."""

import json
import marshal
import secrets
import signal
from collections.abc import Sequence
from contextlib import suppress
from math import isfinite
from time import monotonic
from typing import TYPE_CHECKING, Any

from leaderboard.rules.failures import FAILURE_CODES, FROM_OUTSIDE
from leaderboard.rules.json.strict import InvalidJSON, parse_answer
from leaderboard.rules.plugins.results import (
    MAX_DETAILS_BYTES,
    MAX_DETAILS_DEPTH,
    InvalidResult,
    check_details,
    check_number,
    clamp,
    may_hold_large_number,
)
from leaderboard.rules.texts.plugin_output import MAX_DETAIL_BYTES, clean_output
from leaderboard.sandbox.contract import (
    Failure,
    HostOverfull,
    Limits,
    Outcome,
    Request,
)
from leaderboard.sandbox.host.pipes import Child, ChildExited, DeadlineExceeded
from leaderboard.sandbox.host.positions import last_position, without_positions

if TYPE_CHECKING:
    from leaderboard.rules.rewards.intervals import Estimate

_CODES = frozenset(FAILURE_CODES) - FROM_OUTSIDE
_MAX_NOTE_BYTES = 500
_COSTS_THE_CHILD = ("crashed", "out_of_memory", "timeout")


class NoAnswer(Exception):
    """A line on the answer pipe that our code in the child would not have written."""


def parse(line: bytes) -> Any:
    """One line of JSON, without NaN and Infinity. Raises NoAnswer."""
    try:
        return parse_answer(line)
    except InvalidJSON as error:
        raise NoAnswer(str(error)) from None


class ScoringChild:
    """A child with the job `score`: it answers requests with outcomes, in order.

    `alive` becomes False when the child has been ended: after its only answer if it is `fresh`,
    otherwise after a failure that ends a child. `owed` counts requests without an answer. `code`
    is the scorer's code before the child started. If it is the same after the first answer, the
    child imported this code.
    """

    def __init__(self, child: Child, token: str, *, fresh: bool, code: str = "") -> None:
        self.child = child
        self.fresh = fresh
        self.code = code
        self.alive = True
        self.owed = 0
        self._token = token.encode()
        self._number = 0
        self._started = child.heard

    @property
    def is_new(self) -> bool:
        """Whether it has not answered yet."""
        return self._number == 0

    def send(self, requests: Sequence[Request]) -> None:
        """Send requests; the first one's clock starts now unless the child is new."""
        if self._number:
            self.child.heard = monotonic()
        self.owed += len(requests)
        window = _pack([(dict(metrics), dict(ctx)) for metrics, ctx in requests])
        self.child.send(len(window).to_bytes(4, "little") + window)

    def next_outcome(self, timeout_ms: int) -> Outcome:
        """The outcome of the next request.

        Raises ZygoteDied, ChildExited if the child's lease expired, and HostOverfull. Other errors
        are outcomes.
        """
        try:
            outcome = self._read(self.child.next_line(timeout_ms / 1000), timeout_ms)
        except DeadlineExceeded:
            outcome = failed(timed_out(timeout_ms, child=self.child), code=self.code)
        except NoAnswer as error:
            outcome = failed(unexpected_answer(error), code=self.code)
        except ChildExited as gone:
            if gone.unwanted:
                raise
            if gone.overfull:
                raise HostOverfull from None
            outcome = failed(crashed(gone.status), code=self.code)
        self.owed -= 1
        self._number += 1
        if self.fresh or (outcome.error is not None and outcome.error.code in _COSTS_THE_CHILD):
            return self._last(outcome)
        return outcome

    def end(self) -> None:
        """End the child, even while it computes."""
        self.alive = False
        self.child.end()

    def _last(self, outcome: Outcome) -> Outcome:
        """End the child; returns its last outcome, for a fresh child with duration and output."""
        spent = int((monotonic() - self._started) * 1000)
        self.end()
        if not self.fresh:
            return outcome
        limit = self.child.zygote.settings.limits.output_bytes
        return outcome._replace(
            duration_ms=spent, output=clean_output(without_positions(self.child.printed), limit)
        )

    def _read(self, line: bytes, timeout_ms: int) -> Outcome:
        try:
            number, token, micro, score, *rest = line.split(b" ", 4)
            if int(number) != self._number or token != self._token:
                raise NoAnswer("not the answer to this request")
            spent = max(0, min(int(micro) // 1000, timeout_ms))
            more = parse(rest[0]) if rest else _NOTHING_MORE
            if score == b"-":
                return _failed(more, spent, self.code)
            return _scored(float(score), more, spent, line, self.code)
        except (ValueError, TypeError) as error:
            raise NoAnswer(str(error)) from None


def _pack(requests: list[tuple[Any, Any]]) -> bytes:
    try:
        return marshal.dumps(requests)
    except ValueError:  # a subclass of str or a number, which marshal refuses: JSON makes it plain
        return marshal.dumps(json.loads(json.dumps(requests)))


_NOTHING_MORE: list[Any] = [None, ""]


def _scored(score: float, more: Any, spent: int, line: bytes, code: str) -> Outcome:
    details, note, *output = more
    printed = _printed(output)
    try:
        raw_value = check_number(score)
    except InvalidResult as error:
        return failed(Failure("invalid_result", str(error)), spent, printed, code)
    if details is not None and not _is_plain(details, line):
        details, note = check_details(details)
    value, clamped = clamp(raw_value)
    note = _clean(str(note), _MAX_NOTE_BYTES) if note else ""
    return Outcome(value, raw_value, clamped, details, note, None, spent, printed, code)


def _failed(more: Any, spent: int, code: str) -> Outcome:
    kind, message, detail, *output = more
    return failed(failure_from([kind, message, detail]), spent, _printed(output), code)


def _printed(output: list[Any]) -> str:
    """What an attempt of a batch printed, from the rest of its answer."""
    return _clean(str(output[0]), Limits.output_bytes) if output else ""


def _is_plain(details: object, line: bytes) -> bool:
    """Whether details from this line need no further check."""
    return (
        type(details) is dict
        and len(line) <= MAX_DETAILS_BYTES
        and b"\\u" not in line
        and not may_hold_large_number(line.decode("latin-1"))
        and line.count(b"{") + line.count(b"[") <= MAX_DETAILS_DEPTH
    )


def failure_from(body: object) -> Failure:
    """The Failure that a child reports. Raises NoAnswer."""
    match body:
        case [str(code), str(message), str(detail)] if code in _CODES:
            return Failure(code, _clean(message, 500), _clean(detail, MAX_DETAIL_BYTES))
    raise NoAnswer("not a failure")


def _clean(text: str, limit: int) -> str:
    return clean_output(text.encode("utf-8", "replace"), limit)


def failed(failure: Failure, duration_ms: int = 0, output: str = "", code: str = "") -> Outcome:
    """The outcome of a request without a score."""
    return Outcome(None, None, False, None, "", failure, duration_ms, output, code)


def timed_out(timeout_ms: int, what: str = "scorer", child: Child | None = None) -> Failure:
    """The failure of a child that is late. Its detail says where the plugin was, if it is known."""
    text = f"The {what} took longer than {timeout_ms / 1000:g} s."
    return Failure("timeout", text, last_position(child.printed) if child else "")


def crashed(status: int | None, what: str = "scorer") -> Failure:
    """The failure of a child that ended by itself, or with its zygote (status None)."""
    if status is None:
        how = "was ended from outside"
    elif status < 0:
        how = f"was ended by {_signal_name(-status)}"
    else:
        how = f"ended itself with exit code {status}"
    return Failure("crashed", f"The {what}'s process {how}.")


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def unexpected_answer(error: NoAnswer, what: str = "scorer") -> Failure:
    return Failure("crashed", f"The {what} wrote into the channel of its answers.", str(error))


# Answers to other verbs.


def estimated(answer: Any) -> "Estimate | Failure":
    """The estimate of a metric in a child's answer. Raises NoAnswer."""
    # Reducing needs numpy, and scoring does not.
    from leaderboard.rules.rewards.intervals import Estimate

    match answer:
        case {"failure": failure}:
            return failure_from(failure)
        case {
            "value": value,
            "n": int(n),
            "standard_error": error,
            "interval": [_, _] | None as interval,
            "method": str(method),
            "seed": int() | None as seed,
            "interval_reason": (
                "few_tasks" | "few_groups" | "no_spread" | "not_estimated" | "too_large" | None
            ) as why,
            "clusters": int() | None as clusters,
        }:
            ends = None if interval is None else (_finite(interval[0]), _finite(interval[1]))
            estimate = Estimate(number_of(value), n, number_of(error), ends, method[:20], seed, why)
            return estimate._replace(clusters=clusters)
    raise NoAnswer("not an estimate")


def number_of(value: object) -> float | None:
    """A finite number or None. Raises NoAnswer."""
    return None if value is None else _finite(value)


def _finite(value: object) -> float:
    if type(value) in (int, float):
        with suppress(OverflowError):  # the integer is larger than any float
            if isfinite(number := float(value)):  # type: ignore[arg-type]
                return number
    raise NoAnswer("not a finite number")


def script_answer(answer: Any) -> dict[str, float | None] | Failure:
    """The output of a metric script in a child's answer. Raises NoAnswer."""
    match answer:
        case {"failure": failure}:
            return failure_from(failure)
        case {"numbers": dict() as numbers}:
            return {name: number_of(value) for name, value in numbers.items()}
    raise NoAnswer("not the answer of a script")


def new_token() -> str:
    """A random text that only one child and the host know."""
    return secrets.token_hex(8)
