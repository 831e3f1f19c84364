"""The verbs `table` and `predict`: read tables of predictions and of truths, and measure them.

Files are of strangers, so they are read here, where memory is limited. The job has the sizes of
the byte strings that follow it. The answer is one line of JSON:

    {"problems": [[line, text], ...], "more": n}
    {"failure": [code, message, detail]}

or the fields of what was asked for, in which bytes are in base64.
"""

import base64
import gzip
import sys
from collections.abc import Callable
from dataclasses import asdict
from functools import cache
from typing import Any, BinaryIO, NamedTuple

from leaderboard.rules.json.values import JsonObject
from leaderboard.rules.plugins.results import encode_json
from leaderboard.sandbox.child.configs import ConfigRefused, fill
from leaderboard.sandbox.child.exceptions import describe_exception, stop_reason
from leaderboard.sandbox.child.plugins import (
    LoadFailed,
    ended_itself,
    load_class,
    missing_module,
    out_of_memory,
)
from leaderboard.sandbox.contract import Failure
from leaderboard.sandbox.jobs import PredictJob, TableJob

KIND = "prediction_metric"
NOT_INSTALLED = "Predictions need more packages here: python -m pip install 'podium[predictions]'"

_Write = Callable[[str], None]


class Tools(NamedTuple):
    """What the children need of `leaderboard.predictions`."""

    layouts: Any
    previews: Any
    truths: Any
    checking: Any
    scoring: Any
    comparing: Any
    pictures: Any
    to_json: Callable[[str], Any]
    bad_table: type[Exception]


@cache
def tools() -> Tools:
    """The modules that read and measure predictions, which children can no longer import.

    Raises LoadFailed where the fork server has not imported pyarrow.
    """
    if "pyarrow" not in sys.modules:
        raise LoadFailed(Failure("not_installed", NOT_INSTALLED))
    from leaderboard.predictions import (
        checking,
        comparing,
        layouts,
        pictures,
        previews,
        scoring,
        truths,
    )
    from leaderboard.predictions.problems import BadTable
    from leaderboard.predictions.sent_texts import to_json

    return Tools(
        layouts, previews, truths, checking, scoring, comparing, pictures, to_json, BadTable
    )


def answer_table(job: TableJob, requests: BinaryIO, write: _Write) -> None:
    """Answer with a table, or with what is wrong with it."""
    content, *more = _read(job, requests)
    try:
        text = encode_json(_STEPS[job["step"]](tools(), content, more, job["settings"]))
    except BaseException as error:
        text = encode_json(_refused(error))
    write(text)


def _preview(tools: Tools, content: bytes, more: list[bytes], settings: JsonObject) -> JsonObject:
    preview = tools.previews.preview(content)
    return {**preview._asdict(), "warnings": [*map(tools.to_json, preview.warnings)]}


def _truth(tools: Tools, content: bytes, more: list[bytes], settings: JsonObject) -> JsonObject:
    truth = tools.truths.read_truth(content, tools.layouts.TruthSettings.of(settings))
    return {
        "layout": truth.layout.as_json(),
        "form": _text(truth.form),
        "key": _text(truth.key),
        "counts": truth.counts,
        "sample": _text(gzip.compress(truth.sample, 1)),
        "warnings": [*map(tools.to_json, truth.warnings)],
    }


def _check(tools: Tools, content: bytes, more: list[bytes], settings: JsonObject) -> JsonObject:
    predictions = tools.checking.check_predictions(content, more[0])
    return {
        "packed": _text(predictions.packed),
        "rows": predictions.rows,
        "warnings": [*map(tools.to_json, predictions.warnings)],
    }


def _picture(tools: Tools, content: bytes, more: list[bytes], settings: JsonObject) -> JsonObject:
    pictures = tools.pictures.pictures_of(more[0], content, settings["part"])
    return {"pictures": [picture._asdict() for picture in pictures]}


_STEPS: dict[str, Callable[[Tools, bytes, list[bytes], JsonObject], JsonObject]] = {
    "preview": _preview,
    "truth": _truth,
    "check": _check,
    "picture": _picture,
}


def answer_predictions(job: PredictJob, requests: BinaryIO, write: _Write) -> None:
    """Answer with the values of a metric for each file of predictions, in a list."""
    key, *files = _read(job, requests)
    try:
        plugin = load_class(job, job["entrypoint"])
        metric, parameters = plugin(), fill(plugin, job["parameters"])
        answers = tools().scoring.answers_of(key, job["part"])
    except BaseException as error:
        write(encode_json(_refused(error, job["entrypoint"])))
        return

    def answer(step: Callable[..., JsonObject], *some: bytes) -> JsonObject:
        try:
            result = step(metric, parameters, answers, *some)
            encode_json(result)  # here, where an error concerns these files only
        except BaseException as error:
            return _refused(error, job["entrypoint"])
        return result

    if job["compares"]:
        write(encode_json([answer(_compared, files[0], file) for file in files[1:]]))
    else:
        write(encode_json([answer(_measured, file) for file in files]))


def _measured(metric: Any, parameters: JsonObject, answers: Any, file: bytes) -> JsonObject:
    measured = tools().scoring.measure(metric, parameters, answers, file or None)
    return {
        "values": measured.values,
        "reason": tools().to_json(measured.reason),
        "estimate": measured.estimate._asdict(),
    }


def _compared(
    metric: Any, parameters: JsonObject, answers: Any, first: bytes, second: bytes
) -> JsonObject:
    compared = tools().comparing.compare_files(metric, parameters, answers, first, second)
    return {
        "first": compared.first,
        "second": compared.second,
        "comparison": asdict(compared.comparison),
    }


def _read(job: TableJob | PredictJob, requests: BinaryIO) -> list[bytes]:
    return [requests.read(size) for size in job["sizes"]]


def _text(content: bytes) -> str:
    return base64.b64encode(content).decode()


def _refused(error: BaseException, entrypoint: str = "") -> JsonObject:
    if "pyarrow" in sys.modules and isinstance(error, tools().bad_table):
        problems = [[problem.line, tools().to_json(problem.text)] for problem in error.problems]  # type: ignore[attr-defined]
        return {"problems": problems, "more": error.more}  # type: ignore[attr-defined]
    return {"failure": list(_failure(error, entrypoint))}


def _failure(error: BaseException, entrypoint: str) -> Failure:
    what = "metric" if entrypoint else "table"
    match error:
        case LoadFailed():
            return error.failure
        case ConfigRefused():
            text = f"The metric does not take its parameters: {', '.join(error.errors)}."
            return Failure("load_error", text, str(error))
        case MemoryError():
            return out_of_memory(error, what)
        case SystemExit():
            return ended_itself(error, what)
        case ModuleNotFoundError() if entrypoint:
            return missing_module(error, entrypoint.partition(":")[0], what)
    if type(error).__name__ == "InvalidValue":
        return Failure("invalid_result", str(error))
    return Failure("exception", stop_reason(what, error), describe_exception(error))
