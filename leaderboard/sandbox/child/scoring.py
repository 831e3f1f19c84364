"""The verb `score`: load the scorer once, then answer a line for each request.

Requests come in windows: four bytes of length, then a list of `(metrics, ctx)` as marshal, which
is faster to read than JSON and safe in this direction only: the host never reads marshal. An
answer is a line of fields separated by spaces,

    number token µs score [details, note, output]
    number token µs - [code, message, detail, output]

of which the last one is JSON; `output` is left out if it is empty, and the whole field if it holds
no information.

The host makes the token for this child. It tells an answer from a stray write; it does not stop a
scorer that searches its own process for it. Such a scorer could answer later requests of its own
batch, which it answers anyway. It cannot reach another scorer's child, and each submitted attempt
has a child of its own.
"""

import gc
import io
import marshal
import sys
from collections.abc import Callable, Iterator
from time import perf_counter_ns
from typing import Any, BinaryIO

from leaderboard.rules.json.values import JsonObject
from leaderboard.rules.plugins.results import (
    InvalidResult,
    check_number,
    encode_details,
    encode_json,
    result_of,
)
from leaderboard.rules.texts.plugin_output import clean_output, cut
from leaderboard.sandbox.child.configs import ConfigRefused, fill
from leaderboard.sandbox.child.exceptions import describe_exception, stop_reason
from leaderboard.sandbox.child.facts import AttemptFacts, facts_of
from leaderboard.sandbox.child.plugins import (
    LoadFailed,
    ended_itself,
    load_class,
    missing_module,
    out_of_memory,
)
from leaderboard.sandbox.contract import Failure
from leaderboard.sandbox.jobs import SentScoreJob

_Write = Callable[[str], None]
ScoreFunction = Callable[[AttemptFacts, JsonObject], object]


def answer_scores(job: SentScoreJob, requests: BinaryIO, write: _Write) -> None:
    """Answer until the host closes the pipe or ends the process."""
    printed = Printed(job["output_bytes"])
    if job["batch"]:
        _print_into(printed)
    score = _scorer(job)
    module = job["entrypoint"].partition(":")[0]
    clock, token = perf_counter_ns, job["token"]
    for number, (metrics, ctx) in enumerate(_read(requests)):
        started = clock()
        answer, rest = _answer(score, facts_of(metrics), ctx, module)
        micro = (clock() - started) // 1000
        if printed.kept:
            rest = f"{rest or _NO_DETAILS},{encode_json(printed.take())}"
        write(f"{number} {token} {micro} {answer}" + (f" [{rest}]" if rest else ""))


_NO_DETAILS = 'null,""'


def _read(requests: BinaryIO, loads: Callable[[bytes], Any] = marshal.loads) -> Iterator[Any]:
    """Yield the metrics and context of one request after another."""
    while size := requests.read(4):
        yield from loads(requests.read(int.from_bytes(size, "little")))


def _scorer(job: SentScoreJob) -> ScoreFunction:
    """A function that scores an attempt, or raises the reason why the scorer cannot be loaded."""
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
        return _failing(LoadFailed(_failure(error, job["entrypoint"].partition(":")[0])))
    return lambda metrics, ctx: call(metrics, config, ctx)


def _failing(error: LoadFailed) -> ScoreFunction:
    def score(metrics: AttemptFacts, ctx: JsonObject) -> object:
        raise error

    return score


def _answer(
    score: ScoreFunction, metrics: AttemptFacts, ctx: JsonObject, module: str
) -> tuple[str, str]:
    """The score as text, or "-", and the JSON of the list's items without its brackets.

    module: the scorer's own.
    """
    try:
        result = result_of(_plain(score(metrics, ctx)))
        raw = check_number(result["score"])
        details = _plain(result.get("details"))
        if details is None:
            return repr(raw), ""
        text, note = encode_details(details)
        return repr(raw), f"{text},{encode_json(note)}"
    except LoadFailed as error:
        failure = error.failure
    except InvalidResult as error:
        failure = Failure("invalid_result", str(error))
    except BaseException as error:
        failure = _failure(error, module)
    return "-", encode_json(list(failure))[1:-1]


def _plain(value: object) -> object:
    """The value, as a plain dict if a scorer returns its `metrics`."""
    return dict(value) if type(value) is AttemptFacts else value


def _failure(error: BaseException, module: str) -> Failure:
    if isinstance(error, MemoryError):
        gc.collect()
        return out_of_memory(error)
    if isinstance(error, SystemExit):
        return ended_itself(error)
    if isinstance(error, ModuleNotFoundError):
        return missing_module(error, module, "scorer")
    return Failure("exception", stop_reason("scorer", error), describe_exception(error))


class Printed(io.RawIOBase):
    """Keeps what one attempt of a batch prints, so that no other attempt shows it.

    In a batch, bytes written past Python (by C code) are dropped, because they cannot be assigned
    to an attempt.
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
    # Unbuffered, as with `python -u`, so that printed text is recorded at once.
    file = io.TextIOWrapper(printed, "utf-8", "backslashreplace", write_through=True)  # type: ignore[type-var]
    sys.stdout = sys.stderr = file
