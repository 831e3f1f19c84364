"""Tables of predictions, read and measured by children; a base class of `Sandbox`."""

from __future__ import annotations

import base64
import gzip
from abc import ABC
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from leaderboard.predictions.layouts import Layout, Part, TruthSettings
from leaderboard.predictions.problems import BadTable, Problem
from leaderboard.predictions.sent_texts import from_json
from leaderboard.rules.plugins.entrypoints import InvalidEntrypoint
from leaderboard.sandbox.contract import Failure, PluginDescription
from leaderboard.sandbox.host import outcomes
from leaderboard.sandbox.host.asking import Answer, Asking
from leaderboard.sandbox.host.outcomes import NoAnswer
from leaderboard.sandbox.jobs import PredictJob, TableJob

if TYPE_CHECKING:
    # These need numpy, and the report of isolation runs without it.
    from leaderboard.predictions.checking import Predictions
    from leaderboard.predictions.comparing import ComparedFiles
    from leaderboard.predictions.pictures import RowsPicture
    from leaderboard.predictions.previews import Preview
    from leaderboard.predictions.scoring import Measured
    from leaderboard.predictions.truths import Truth
    from leaderboard.rules.statistics.comparisons import Comparison

TABLE_MS: Final = 60_000
"""How long a child may read a table, in milliseconds."""
TABLE_BYTES: Final = 512 << 20
"""The most bytes of an answer with a packed table."""
MEASURED_BYTES: Final = 1 << 20
KIND: Final = "prediction_metric"


class Predicting(Asking, ABC):
    """Requests about tables of predictions. The sandbox has `prediction_settings`."""

    def describe_prediction_metric(self, entrypoint: str) -> PluginDescription:
        """The description of a metric of predictions, or its error."""
        try:
            return self._describe_one(entrypoint, KIND)[0]
        except InvalidEntrypoint as error:
            return PluginDescription(entrypoint, error=Failure("load_error", error.args[0]))

    def preview_table(self, content: bytes) -> Preview | Failure:
        """The beginning of a table. Raises BadTable, SandboxError."""
        return self._table("preview", [content], {}, _preview)

    def read_truth(self, content: bytes, settings: TruthSettings) -> Truth | Failure:
        """A truth, read from a file and packed. Raises BadTable, SandboxError."""
        return self._table("truth", [content], asdict(settings), _truth)

    def check_predictions(self, content: bytes, form: bytes) -> Predictions | Failure:
        """Predictions that are checked, aligned and packed. Raises BadTable, SandboxError."""
        return self._table("check", [content, form], {}, _predictions)

    def measure_predictions(
        self,
        entrypoint: str,
        parameters: Mapping[str, object],
        key: bytes,
        files: Sequence[bytes | None],
        *,
        part: Part,
        timeout_ms: int,
    ) -> list[Measured | Failure] | Failure:
        """The values of a metric for several files of predictions, one after another in one child.

        files: `Predictions.packed` of each; None for predictions that equal the truth, whose reason
        says why the truth has no value. timeout_ms: for all of them. Raises SandboxError.
        """
        contents = [file or b"" for file in files]
        return self._predict(
            entrypoint, parameters, key, contents, part, timeout_ms, _one_measured, len(files)
        )

    def compare_predictions(
        self,
        entrypoint: str,
        parameters: Mapping[str, object],
        key: bytes,
        files: Sequence[bytes],
        *,
        part: Part,
        timeout_ms: int,
    ) -> list[ComparedFiles | Failure] | Failure:
        """The first of several files of predictions, compared with each other one by a metric.

        timeout_ms: for all of them. Raises SandboxError.
        """
        return self._predict(
            entrypoint, parameters, key, files, part, timeout_ms, _one_compared, len(files) - 1
        )

    def picture_predictions(
        self, packed: bytes, key: bytes, part: Part, *, timeout_ms: int = TABLE_MS
    ) -> list[RowsPicture] | Failure:
        """Predictions beside the truth, as numbers for pictures. Raises BadTable, SandboxError."""
        return self._table("picture", [packed, key], {"part": part}, _pictures, timeout_ms)

    def _predict(
        self,
        entrypoint: str,
        parameters: Mapping[str, object],
        key: bytes,
        files: Sequence[bytes],
        part: Part,
        timeout_ms: int,
        read: Callable[[Any], Answer | Failure],
        expected: int,
    ) -> list[Answer | Failure] | Failure:
        """Ask a metric about files. read: an answer; expected: how many there are."""
        try:
            name = self._named(entrypoint, KIND)
        except InvalidEntrypoint as error:
            return Failure("load_error", error.args[0])
        contents = [key, *files]
        job: PredictJob = {
            "verb": "predict",
            **self._plugins(KIND, name),
            "entrypoint": name,
            "parameters": dict(parameters),
            "part": part,
            "sizes": [len(content) for content in contents],
            "compares": expected < len(files),
        }
        return self._ask(
            job,
            lambda answer: _answers(answer, read, expected),
            timeout_ms / 1000,
            contents,
            answer_bytes=MEASURED_BYTES * max(1, len(files)),
        )

    def _table(
        self,
        step: str,
        contents: Sequence[bytes],
        settings: Mapping[str, Any],
        read: Callable[[Any], Answer],
        timeout_ms: int = TABLE_MS,
    ) -> Answer | Failure:
        job: TableJob = {
            "verb": "table",
            "kind": "table",
            "step": step,  # type: ignore[typeddict-item]
            "settings": dict(settings),
            "sizes": [len(content) for content in contents],
        }

        def answer(sent: Any) -> Answer | Failure | BadTable:
            match sent:
                case {"problems": [_, *_] as problems, "more": int(more)}:
                    return BadTable(list(map(_problem, problems)), more)
                case {"failure": failure}:
                    return outcomes.failure_from(failure)
            return read(sent)

        answered = self._ask(job, answer, timeout_ms / 1000, contents, answer_bytes=TABLE_BYTES)
        if isinstance(answered, BadTable):
            raise answered
        return answered


def _problem(sent: Any) -> Problem:
    match sent:
        case [int(line), text]:
            return Problem(line, _text(text))
    raise NoAnswer("not a problem of a table")


def _text(sent: Any) -> str:
    try:
        return from_json(sent)
    except ValueError as error:
        raise NoAnswer(str(error)) from None


def _bytes(sent: Any) -> bytes:
    try:
        return base64.b64decode(sent, validate=True)
    except (TypeError, ValueError):
        raise NoAnswer("not bytes in base64") from None


def _preview(sent: Any) -> Preview:
    from leaderboard.predictions.previews import Preview

    match sent:
        case {
            "columns": list(columns),
            "rows": list(rows),
            "row_count": int(count),
            "usage": str(usage),
            "warnings": list(warnings),
        }:
            return Preview(
                tuple(map(str, columns)),
                tuple(tuple(map(str, row)) for row in rows),
                count,
                usage,
                tuple(map(_text, warnings)),
            )
    raise NoAnswer("not a preview")


def _truth(sent: Any) -> Truth:
    from leaderboard.predictions.truths import Truth

    match sent:
        case {
            "layout": dict(layout),
            "form": str(form),
            "key": str(key),
            "counts": [int(public), int(private), int(ignored)],
            "sample": str(sample),
            "warnings": list(warnings),
        }:
            return Truth(
                Layout.of(layout),
                _bytes(form),
                _bytes(key),
                (public, private, ignored),
                gzip.decompress(_bytes(sample)),
                tuple(map(_text, warnings)),
            )
    raise NoAnswer("not a truth")


def _predictions(sent: Any) -> Predictions:
    from leaderboard.predictions.checking import Predictions

    match sent:
        case {"packed": str(packed), "rows": int(rows), "warnings": list(warnings)}:
            return Predictions(_bytes(packed), rows, tuple(map(_text, warnings)))
    raise NoAnswer("not predictions")


def _answers(
    sent: Any, read: Callable[[Any], Answer | Failure], expected: int
) -> list[Answer | Failure] | Failure:
    match sent:
        case {"failure": failure}:
            return outcomes.failure_from(failure)
        case list() if len(sent) == expected:
            return [read(one) for one in sent]
    raise NoAnswer("not the answers of a metric")


def _one_measured(sent: Any) -> Measured | Failure:
    from leaderboard.predictions.scoring import Measured

    match sent:
        case {"failure": failure}:
            return outcomes.failure_from(failure)
        case {"values": dict(values), "reason": reason, "estimate": estimate} if values:
            estimated = outcomes.estimated(estimate)
            if isinstance(estimated, Failure):
                return estimated
            numbers = {name: outcomes.number_of(value) for name, value in values.items()}
            return Measured(numbers, _text(reason), estimated)
    raise NoAnswer("not the values of a metric")


def _one_compared(sent: Any) -> ComparedFiles | Failure:
    from leaderboard.predictions.comparing import ComparedFiles

    match sent:
        case {"failure": failure}:
            return outcomes.failure_from(failure)
        case {"first": first, "second": second, "comparison": dict(compared)}:
            return ComparedFiles(
                outcomes.number_of(first), outcomes.number_of(second), _comparison(compared)
            )
    raise NoAnswer("not two compared files")


def _comparison(sent: Mapping[str, Any]) -> Comparison:
    from leaderboard.rules.statistics.comparisons import Comparison

    match sent:
        case {
            "shared": int(shared),
            "difference": difference,
            "standard_error": error,
            "interval": [_, _] | None as interval,
            "p": p,
            "test": "mcnemar" | "t" | "sign" | None as test,
            "reason": "few_shared_tasks" | "no_spread" | None as reason,
        }:
            low, high = map(outcomes.number_of, interval or (None, None))
            return Comparison(
                shared,
                outcomes.number_of(difference),
                outcomes.number_of(error),
                None if low is None or high is None else (low, high),
                outcomes.number_of(p),
                test,
                reason=reason,
            )
    raise NoAnswer("not a comparison")


def _pictures(sent: Any) -> list[RowsPicture]:
    from leaderboard.predictions.pictures import RowsPicture

    match sent:
        case {"pictures": list(pictures)}:
            try:
                return [RowsPicture.of(picture) for picture in pictures]
            except (TypeError, ValueError, KeyError) as error:
                raise NoAnswer(str(error)) from None
    raise NoAnswer("not pictures")
