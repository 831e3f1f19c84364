"""The verb `evaluate`: load a text metric once, then answer one block at a time.

A request is four bytes of length and a list as marshal: `["evaluate", blocks]` or
`["combine", statistics]`. A block is a list of rows of id, input, outputs and references, or the
JSON text of such rows as they are stored. An answer is one line,

    number token {"score": {...}, "results": [...], "warnings": [...], "statistics": ...,
                  "seconds": s, "instances": n, "failed": n}
    number token {"failure": [code, message, detail]}

with the number and the token of `scoring.py`.
"""

import gc
import json
import marshal
import os
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

from leaderboard.rules.json.values import JsonObject
from leaderboard.rules.plugins.results import InvalidResult, encode_json
from leaderboard.rules.texts.plugin_output import cut
from leaderboard.sandbox.child.configs import ConfigRefused, fill
from leaderboard.sandbox.child.exceptions import describe_exception, public_message, stop_reason
from leaderboard.sandbox.child.plugins import (
    LoadFailed,
    ended_itself,
    load_class,
    missing_module,
    out_of_memory,
)
from leaderboard.sandbox.child.positions import watch_again
from leaderboard.sandbox.child.text_calls import (
    Calls,
    CombineAnswer,
    EvaluateAnswer,
    evaluate,
)
from leaderboard.sandbox.child.text_faults import fault_of
from leaderboard.sandbox.child.text_metrics import missing_failure, needs, not_installed
from leaderboard.sandbox.contract import Failure, InstanceTuple
from leaderboard.sandbox.jobs import SentEvaluateJob

KIND = "text_metric"
MODEL = "model_path"
"""The parameter for which the host passes the absolute path of a folder."""
TOO_LARGE = "The text metric returned more than {} MiB."

_NOTHING = (0, "", (), ())

_Write = Callable[[str], None]
EvaluatingAnswer = EvaluateAnswer | CombineAnswer


def answer_evaluations(job: SentEvaluateJob, requests: BinaryIO, write: _Write) -> None:
    """Answer until the host closes the pipe or ends the process."""
    answer = _answering(job)
    for number, request in enumerate(_read(requests)):
        watch_again()
        write(f"{number} {job['token']} {_text(answer, request, job['answer_bytes'])}")


def _read(requests: BinaryIO, loads: Callable[[bytes], Any] = marshal.loads) -> Iterator[Any]:
    while size := requests.read(4):
        yield loads(requests.read(int.from_bytes(size, "little")))


def _answering(job: SentEvaluateJob) -> Callable[[list[Any]], EvaluatingAnswer]:
    """A function that answers a request, or one that raises the reason why the metric cannot."""
    plugin: type | None = None
    os.environ["MODEL_PATH"] = os.pathsep.join(job["models"])
    try:
        plugin = load_class(job, job["entrypoint"])
        return _answering_for(plugin, job["parameters"], job["wrong"])
    except BaseException as error:
        failure = _failure(error, plugin)
    return _failing(LoadFailed(failure))


def _answering_for(
    plugin: type, parameters: JsonObject, wrong: dict[str, list[str]]
) -> Callable[[list[Any]], EvaluatingAnswer]:
    """A function that answers a request. wrong: the host's errors about the parameters, by name.

    Raises LoadFailed, ConfigRefused.
    """
    if wrong_or_missing := fault_of(plugin) or not_installed(plugin):
        raise LoadFailed(wrong_or_missing)
    for name, texts in wrong.items():
        raise LoadFailed(Failure("load_error", f"{name}: {texts[0]}"))
    model = parameters.get(MODEL)
    _check_model(model if isinstance(model, str) else None)
    calls = Calls(plugin, fill(plugin, parameters))

    def answer(request: list[Any]) -> EvaluatingAnswer:
        verb, given = request
        try:
            return evaluate(calls, _rows(given)) if verb == "evaluate" else calls.combine(given)
        except ModuleNotFoundError as error:
            raise LoadFailed(_missing(error, plugin)) from error

    return answer


def _rows(blocks: list[bytes | list[InstanceTuple]]) -> list[InstanceTuple]:
    rows: list[InstanceTuple] = []
    for block in blocks:
        rows += _stored(block) if isinstance(block, bytes) else block
    return rows


def _stored(block: bytes) -> Iterator[InstanceTuple]:
    """Rows from storage, which may lack trailing fields, and may have more than a metric gets."""
    for row in json.loads(block):
        yield (*row, *_NOTHING[len(row) :])[:4]


def _check_model(path: str | None) -> None:
    """Check that the child may read a model that exists."""
    if path is None:
        return
    inside = os.listdir(path) if os.access(path, os.R_OK) and os.path.isdir(path) else []
    files = [path, *(os.path.join(path, name) for name in inside)]
    closed = [file for file in files if not os.access(file, os.R_OK)]
    if closed:
        text = "The text metric may not read its model: its files must be readable by every user."
        raise LoadFailed(Failure("load_error", text, "closed: " + ", ".join(closed)))


def _failing(error: LoadFailed) -> Callable[[list[Any]], EvaluatingAnswer]:
    def answer(request: list[Any]) -> EvaluatingAnswer:
        raise error

    return answer


def _text(answer: Callable[[list[Any]], EvaluatingAnswer], request: list[Any], most: int) -> str:
    try:
        text = encode_json(answer(request))
        if len(text) > most or (not text.isascii() and len(text.encode()) > most):
            raise InvalidResult(TOO_LARGE.format(most >> 20))
    except BaseException as error:
        text = encode_json({"failure": list(_failure(error, None))})
    return text


def _failure(error: BaseException, plugin: type | None) -> Failure:
    """The messages for the participant and the organiser. `plugin`: the metric, if it is known."""
    match error:
        case LoadFailed():
            return error.failure
        case ConfigRefused():
            names = ", ".join(error.errors)
            text = cut(f"The text metric does not take its parameters: {names}", 500) + "."
            return Failure("load_error", text, str(error))
        case InvalidResult():
            return Failure("invalid_result", str(error))
        case MemoryError():
            gc.collect()
            return out_of_memory(error, KIND)
        case SystemExit():
            return ended_itself(error, KIND)
        case ModuleNotFoundError() if plugin is not None:
            return _missing(error, plugin)
    text = public_message(error) or stop_reason("text metric", error)
    return Failure("exception", text, describe_exception(error))


def _missing(error: ModuleNotFoundError, plugin: type) -> Failure:
    """The failure of a metric that did not find a module, whether or not it declared the module."""
    if needs(plugin, error.name or ""):
        failure = missing_failure(plugin, error.name or "")
        return failure._replace(detail=describe_exception(error))
    return missing_module(error, plugin.__module__, KIND)
