"""Evaluate an input document without a database, with the same code that workers run."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from django.utils.translation import gettext as _

from leaderboard.rules.json.strict import InvalidJSON, parse_json
from leaderboard.rules.rewards.instances import Instance, blocks
from leaderboard.rules.rewards.output_documents import Ended, error_line, log_lines
from leaderboard.rules.rewards.reductions import MetricError
from leaderboard.rules.rewards.text_values import Piece, RunningScore
from leaderboard.sandbox import Failure
from leaderboard.schemas.documents import parse_document
from leaderboard.schemas.errors import SchemaError
from leaderboard.schemas.scoring import DEFAULT_TEXT_TIMEOUT_MS
from leaderboard.schemas.text_metrics import TextSpec, enabled
from leaderboard.services.errors import ServiceError, invalid
from leaderboard.services.evaluation.runs import Scored, steps
from leaderboard.services.evaluation.text_fields import checked_text_specs
from leaderboard.services.plugins.text_metrics import metric_that_computes

MAX_PARTS = 100_000_000
"""A limit on the number of JSON values that is too high for any document that fits into memory."""

NumberedBlock = tuple[int, Sequence[Instance]]
"""The number of a block, and its instances."""

ReportProgress = Callable[[int, int], object]
"""Called with the number of finished instances, over all metrics, and their total."""


class DocumentQuestion(NamedTuple):
    """The content of a document: its instances and its enabled metrics."""

    instances: Sequence[Instance]
    specs: Sequence[TextSpec]


class Answered(NamedTuple):
    """A finished metric. lines: its lines of the log; each item holds those of one block.

    detail: more about a failure, such as a traceback; "" if there is none.
    """

    ended: Ended
    lines: Iterator[str]
    detail: str = ""


def question_of(body: bytes) -> DocumentQuestion:
    """Parse and check a HarpIA input document.

    Raises ServiceError with the path of each wrong field.
    """
    try:
        document = parse_document(parse_json(body.removeprefix(BOM_UTF8), MAX_PARTS))
    except InvalidJSON as error:
        raise invalid(error.place or _("the document"), error.message) from None
    except SchemaError as error:
        wrong = {problem.path or _("the document"): [problem.message] for problem in error.errors}
        raise ServiceError("invalid", str(error), wrong) from None
    if not document.lists_metrics:
        raise invalid("metrics", _("must name a metric, or be an empty list; got no such field"))
    specs = enabled(checked_text_specs(document.metrics, "metrics", number_doubles=True))
    return DocumentQuestion(document.instances, specs)


class _Computed(NamedTuple):
    """A metric's results for all instances. pieces: by block number; empty after a failure."""

    end: Scored | Failure
    seconds: float
    pieces: Mapping[int, Piece]


def answered(
    question: DocumentQuestion, tell: ReportProgress, *, timeout_ms: int = DEFAULT_TEXT_TIMEOUT_MS
) -> Iterator[Answered]:
    """Run the metrics of a document, one after the other. Raises SandboxError.

    Yields an answer for each enabled metric, in the document's order; a metric listed twice with
    the same parameters is computed once. timeout_ms: the computing time that each metric may use
    for all instances.
    """
    count, specs = len(question.instances), question.specs
    total = count * len(specs)
    cut = list(enumerate(blocks(question.instances)))
    kept: list[tuple[TextSpec, _Computed]] = []
    for at, spec in enumerate(specs):
        tell(at * count, total)
        computed = next((result for other, result in kept if other.computes_as(spec)), None)
        if computed is None:
            progress = partial(_tell_further, tell, at * count, total)
            computed = _compute(spec, cut, timeout_ms, progress)
        if any(later.computes_as(spec) for later in specs[at + 1 :]):
            kept.append((spec, computed))
        yield _answer(spec, computed, cut)
    tell(total, total)


def _tell_further(tell: ReportProgress, before: int, total: int, done: int) -> None:
    tell(before + done, total)


def _compute(
    spec: TextSpec, cut: Sequence[NumberedBlock], timeout_ms: int, tell: Callable[[int], object]
) -> _Computed:
    metric = metric_that_computes(spec.id, spec.parameters)
    tally = RunningScore(averaged=metric.averaged)
    pieces: dict[int, Piece] = {}
    done = 0
    for step in steps(
        metric, dict(spec.parameters), cut, tally, count=len(cut), timeout_ms=timeout_ms
    ):
        if isinstance(step, Failure):
            return _Computed(step, tally.seconds, {})
        if isinstance(step, Scored):
            return _Computed(step, step.seconds, pieces)
        pieces |= {piece.number: piece for piece in step}
        done += sum(len(cut[piece.number][1]) for piece in step)
        tell(done)
    raise AssertionError("a run that is not stopped ends with a score or a failure")


def _answer(spec: TextSpec, computed: _Computed, cut: Sequence[NumberedBlock]) -> Answered:
    end = computed.end
    if isinstance(end, Failure):
        error: MetricError = {"code": end.code, "message": end.message}
        ended = Ended(spec.given, None, computed.seconds, error)
        return Answered(ended, iter([error_line(ended)]), end.detail)
    ended = Ended(spec.given, end.score, computed.seconds)
    return Answered(ended, _lines(spec, cut, computed.pieces))


def _lines(
    spec: TextSpec, cut: Sequence[NumberedBlock], pieces: Mapping[int, Piece]
) -> Iterator[str]:
    for number, instances in cut:
        piece = pieces[number]
        if piece.results is None and piece.warnings is None:
            continue
        nothing = [None] * len(instances)
        ids = [instance.id for instance in instances]
        yield "".join(
            log_lines(spec.given, ids, piece.results or nothing, piece.warnings or nothing)
        )
