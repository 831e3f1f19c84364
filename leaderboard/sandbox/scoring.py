"""In the child: the verb `score`. Loads the scorer once, then answers a line for each request.

A request line is a JSON list of `[metrics, ctx]`, all or part of a batch. An answer is

    [number, token, raw score or null, details or [code, message, detail], note, µs, output]

The token is made by the host for this child. It tells an answer from a stray write; it does not
stop a scorer that searches its own process for it. Such a scorer could answer for later requests
of its own batch, which it would be asked anyway: what it cannot reach is another scorer's child,
and attempts that are submitted get a child each.
"""

import gc
import io
import json
import sys
from collections.abc import Callable
from time import perf_counter_ns
from typing import Any, BinaryIO

from leaderboard.rules.results import (
    InvalidResult,
    check_number,
    encode_details,
    encode_json,
    result_of,
)
from leaderboard.sandbox.configs import ConfigRefused, fill
from leaderboard.sandbox.contract import Failure
from leaderboard.sandbox.plugins import LoadFailed, ended_itself, load_class, out_of_memory
from leaderboard.sandbox.texts import class_name, clean_output, cut, describe_exception

Job = dict[str, Any]
Write = Callable[[str], None]
Score = Callable[[dict[str, Any], dict[str, Any]], object]


def answer_scores(job: Job, requests: BinaryIO, write: Write) -> None:
    """Answer until the host closes the pipe or ends the process."""
    printed = Printed(job["output_bytes"]) if job["batch"] else None
    if printed is not None:
        _print_into(printed)
    score = _scorer(job)
    read, clock, token, number = json.JSONDecoder().scan_once, perf_counter_ns, job["token"], 0
    for line in requests:
        for metrics, ctx in read(line.decode(), 0)[0]:
            started = clock()
            body = _answer(score, metrics, ctx)
            micro = (clock() - started) // 1000
            output = encode_json(printed.take()) if printed is not None and printed.kept else '""'
            write(f'[{number},"{token}",{body},{micro},{output}]')
            number += 1


def _scorer(job: Job) -> Score:
    """The bound scorer, or a function that raises what kept it from being one."""
    try:
        plugin = load_class(job, job["entrypoint"])
        config = fill(plugin, job["config"])
        call = plugin().score
    except LoadFailed as error:
        return _failing(error)
    except ConfigRefused as refused:
        text = "The scorer does not take its scoring config: " + ", ".join(refused.errors)
        return _failing(LoadFailed(Failure("load_error", cut(text, 500) + ".", str(refused))))
    except BaseException as error:
        return _failing(LoadFailed(_failure(error)))
    return lambda metrics, ctx: call(metrics, config, ctx)


def _failing(error: LoadFailed) -> Score:
    def score(metrics: dict[str, Any], ctx: dict[str, Any]) -> object:
        raise error

    return score


def _answer(score: Score, metrics: dict[str, Any], ctx: dict[str, Any]) -> str:
    """Score, details and note of one request, as the middle of its answer."""
    try:
        result = result_of(score(metrics, ctx))
        raw = check_number(result["score"])
        details, note = encode_details(result.get("details"))
        return f"{raw!r},{details},{encode_json(note)}"
    except LoadFailed as error:
        failure = error.failure
    except InvalidResult as error:
        failure = Failure("invalid_result", str(error))
    except BaseException as error:
        failure = _failure(error)
    return f'null,{encode_json(list(failure))},""'


def _failure(error: BaseException) -> Failure:
    if isinstance(error, MemoryError):
        gc.collect()
        return out_of_memory(error)
    if isinstance(error, SystemExit):
        return ended_itself(error)
    text = f"The scorer stopped with {class_name(error)}."
    return Failure("exception", text, describe_exception(error, 2))


class Printed(io.RawIOBase):
    """Keeps what one attempt of a batch prints, so that no other attempt is shown with it.

    Bytes written past Python (by C code) are not kept in a batch: nobody could say whose they are.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.kept = b""

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return 1

    def write(self, text: Any) -> int:
        room = self.limit - len(self.kept)
        if room > 0:
            self.kept += bytes(text[:room])
        return len(text)

    def take(self) -> str:
        kept, self.kept = self.kept, b""
        return clean_output(kept, self.limit)


def _print_into(printed: Printed) -> None:
    file = io.TextIOWrapper(
        io.BufferedWriter(printed), "utf-8", "backslashreplace", write_through=True
    )
    sys.stdout = sys.stderr = file
