"""Evaluating a document by itself: without a database, by the code that workers evaluate with."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from leaderboard.rules.documents import DocumentError, parse_document
from leaderboard.rules.instances import Instance, blocks
from leaderboard.rules.output_documents import Ended, error_line, log_lines
from leaderboard.rules.reductions import MetricError
from leaderboard.rules.strict_json import InvalidJSON, parse_json
from leaderboard.rules.text_specs import TextSpec, enabled
from leaderboard.rules.text_values import Piece, Tally
from leaderboard.sandbox import Failure
from leaderboard.services.refused import Refused, invalid
from leaderboard.services.text_fields import DEFAULT_TIMEOUT_MS, checked_text_specs
from leaderboard.services.text_metrics import find_text_metric
from leaderboard.services.text_runs import Scored, steps

MAX_PARTS = 100_000_000
"""As many values as a document of any size has that fits into memory."""

Tell = Callable[[int, int], object]
"""Hears how many instances of all metrics are done, of how many."""


class Question(NamedTuple):
    """What a document asks: instances, and the enabled metrics among those that it names."""

    instances: Sequence[Instance]
    specs: Sequence[TextSpec]


class Answered(NamedTuple):
    """A metric at its end, and its lines of the log, in pieces.

    detail: of one that failed, such as its traceback; "" if there is none.
    """

    ended: Ended
    lines: Iterator[str]
    detail: str = ""


def question_of(body: bytes) -> Question:
    """What a HarpIA input document asks. Raises Refused with the path of each wrong field."""
    try:
        document = parse_document(parse_json(body.removeprefix(BOM_UTF8), MAX_PARTS))
    except InvalidJSON as error:
        raise invalid(error.place or "the document", error.message) from None
    except DocumentError as error:
        wrong = {each.path or "the document": [each.message] for each in error.faults}
        raise Refused("invalid", str(error), wrong) from None
    specs = enabled(checked_text_specs(document.metrics, "metrics", number_doubles=True))
    if not specs:
        raise invalid("metrics", "must name a metric that is enabled")
    return Question(document.instances, specs)


def answered(
    question: Question, tell: Tell, *, timeout_ms: int = DEFAULT_TIMEOUT_MS
) -> Iterator[Answered]:
    """Ask the metrics of a document, one after the other. Raises SandboxError.

    timeout_ms: for computing, for each metric over all instances.
    """
    total = len(question.instances) * len(question.specs)
    for at, spec in enumerate(question.specs):
        before = at * len(question.instances)
        tell(before, total)
        yield _asked(spec, question.instances, timeout_ms, lambda done: tell(before + done, total))  # noqa: B023 - heard at once
    tell(total, total)


def _asked(
    spec: TextSpec, instances: Sequence[Instance], timeout_ms: int, tell: Callable[[int], object]
) -> Answered:
    metric = find_text_metric(spec.id)
    cut = list(enumerate(blocks(instances)))
    tally = Tally(averaged=metric.averaged)
    found: dict[int, Piece] = {}
    done = 0
    for step in steps(
        metric, dict(spec.parameters), cut, tally, count=len(cut), timeout_ms=timeout_ms
    ):
        if isinstance(step, Failure):
            error: MetricError = {"code": step.code, "message": step.message}
            ended = Ended(spec.given, None, tally.seconds, error)
            return Answered(ended, iter([error_line(ended)]), step.detail)
        if isinstance(step, Scored):
            return Answered(Ended(spec.given, *step), _lines(spec, cut, found))
        found |= {piece.number: piece for piece in step}
        done += sum(len(cut[piece.number][1]) for piece in step)
        tell(done)
    raise AssertionError("a run that nobody stops ends with a score or a failure")


def _lines(
    spec: TextSpec, cut: Sequence[tuple[int, Sequence[Instance]]], found: dict[int, Piece]
) -> Iterator[str]:
    for number, instances in cut:
        piece = found[number]
        if piece.results is None and piece.warnings is None:
            continue
        nothing = [None] * len(instances)
        ids = [each.id for each in instances]
        yield "".join(
            log_lines(spec.given, ids, piece.results or nothing, piece.warnings or nothing)
        )
