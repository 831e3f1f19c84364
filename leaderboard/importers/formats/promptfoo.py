"""promptfoo: the JSON of `promptfoo eval -o output.json` or `promptfoo export`, or its JSONL.

Versions 2 (with a `table`) and 3 (with `prompts`) of its results. A column of promptfoo's table, a
provider with a prompt, is an attempt; a test is a task, and a repeated test has several samples.
Prompts, variables, outputs and assertions are not imported.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from leaderboard.importers.reading.harness import StatedValues, broken, distinct, put, words_in
from leaderboard.importers.reading.json_files import JsonFiles
from leaderboard.importers.reading.json_place import MAX_FIELD, JsonValue, parse
from leaderboard.importers.reading.naming import failure, participant_of
from leaderboard.importers.reading.sample_row import SampleRow
from leaderboard.importers.reading.samples import numbered, sample, spec
from leaderboard.importers.reading.source import Source
from leaderboard.importers.reading.tool import ToolRun, Upload, by_means, importer
from leaderboard.importers.tools.promptfoo_columns import PromptColumn, columns_of
from leaderboard.rules.texts.messages import message

PASSED: Final = "pass"
SCORE: Final = "score"
BROKEN: Final = 2
"""promptfoo's `failureReason` of a call that broke; 1 is an assertion that does not hold."""
ROW: Final = ("provider", "prompt", "vars", "success", "score")
USED: Final = (
    *ROW,
    *("promptIdx", "testIdx", "testCase", "namedScores", "latencyMs", "failureReason", "error"),
)


@dataclass(frozen=True)
class PromptfooEvaluation:
    """One run of promptfoo. part: the whole document. summary: what holds its results."""

    part: JsonValue
    summary: JsonValue
    rows: list[JsonValue]


def _is_row(part: JsonValue) -> bool:
    return all(key in part for key in ROW)


def _is_results(part: JsonValue) -> bool:
    """Whether it is results with their version and statistics."""
    if not isinstance(part.value, dict):
        return False
    inner = _summary(part)
    return (
        type(inner["version"].value) is int
        and isinstance(inner["results"].value, list)
        and "successes" in inner["stats"]
    )


def _summary(part: JsonValue) -> JsonValue:
    """The summary: under `results`, or the whole document if a script saved it."""
    inner = part["results"]
    return inner if isinstance(inner.value, dict) else part


FILES: Final = JsonFiles(_is_results, marks=(b'"results"', b'"version"'), looked_at=50)
LINES: Final = JsonFiles(_is_row, ("*.jsonl",), [f'"{key}"'.encode() for key in ROW])


def recognises(source: Source) -> bool:
    """Results, or rows of them."""
    return _has_rows(source) or FILES.recognise(source)


def _has_rows(source: Source) -> bool:
    return source.single and any(map(_is_row, source.rows))


def runs(upload: Upload) -> Iterator[ToolRun]:
    """One run for each provider and prompt."""
    for evaluation in _evaluations(upload):
        yield from _runs(evaluation, upload.participant)


def _evaluations(upload: Upload) -> Iterator[PromptfooEvaluation]:
    """The evaluations of an upload; the rows of a JSONL are one."""
    source = upload.source
    if _has_rows(source):
        yield _of_rows(source, source.names[0])
        return
    for part in upload.documents(FILES):
        summary = _summary(part)
        yield PromptfooEvaluation(part, summary, list(summary["results"].items()))
    if not source.single:
        for name in LINES.marked(source):
            yield _of_rows(source, name)


def _of_rows(source: Source, name: str) -> PromptfooEvaluation:
    rows = [_kept(parse(line, name, number)) for number, line in source.lines(name)]
    nothing = JsonValue({}, name)
    return PromptfooEvaluation(nothing, nothing, rows)


def _kept(row: JsonValue) -> JsonValue:
    """The used fields of a row, without outputs."""
    kept = {key: row[key].value for key in USED if key in row}
    used = {key: part.value for key, part in _response(row).fields() if key in _RESPONSE}
    return JsonValue({**kept, "response": used or row["response"].value}, row.file, row.line)


_RESPONSE: Final = ("tokenUsage", "cost", "cached", "error")


def _response(row: JsonValue) -> JsonValue:
    response = row["response"]
    return response if isinstance(response.value, dict) else JsonValue({}, row.file, row.line)


def _runs(evaluation: PromptfooEvaluation, participant: str) -> Iterator[ToolRun]:
    columns = columns_of(evaluation.summary, evaluation.rows)
    several = len({column.prompt for column in columns}) > 1
    file = evaluation.part.file
    names = distinct(
        [
            participant_of(participant, column.prompt if several else "", column.provider, file)
            for column in columns
        ]
    )
    for column, name in zip(columns, names, strict=True):
        yield _run(evaluation, column, participant or name)


def _run(evaluation: PromptfooEvaluation, column: PromptColumn, participant: str) -> ToolRun:
    part, time = evaluation.part, evaluation.summary["timestamp"]
    samples = numbered(_sample(test, row) for test, row in column.rows)
    about = words_in(part, dataset="config.description", job="evalId")
    version = part.at("metadata.promptfooVersion").words()
    return ToolRun(
        part.file,
        (about["job"] or time.words(), column.provider, column.prompt, samples),
        {
            "model": column.provider,
            "prompt": column.prompt,
            **about,
            "harness": f"promptfoo {version}".strip(),
        },
        samples=samples,
        stated=_stated(column, samples),
        submitted_at=time.moment() or part.at("metadata.evaluationCreatedAt").moment(),
        participant=participant,
    )


def _sample(test: str, row: JsonValue) -> SampleRow:
    task = row["testCase"].checked(test)
    if _broke(row):
        reason = row["error"].value or _response(row)["error"].value
        error = failure("", reason if isinstance(reason, str) else "no response")
        return broken(task, (PASSED, SCORE), _usage(row), error)
    rewards: dict[str, float | None] = {}
    put(rewards, PASSED, row["success"])
    put(rewards, SCORE, row["score"])
    for name, part in row["namedScores"].fields(MAX_FIELD - 6):
        put(rewards, f"named.{name}" if name in (PASSED, SCORE) else name, part)
    return sample(task, rewards, _usage(row))


def _broke(row: JsonValue) -> bool:
    """Whether the call broke, so that there was nothing to assess."""
    if (reason := row["failureReason"].count()) is not None:
        return reason == BROKEN
    return row["response"].value is None or _response(row)["error"].value is not None


def _usage(row: JsonValue) -> dict[str, float | int | None]:
    """The usage of a call. The time of a cached answer has no meaning."""
    response = _response(row)
    used, latency = response["tokenUsage"], row["latencyMs"].amount()
    timed = latency is not None and response["cached"].value is not True
    return {
        "tokens_total": used["total"].count(),
        "input_tokens": used["prompt"].count(),
        "output_tokens": used["completion"].count(),
        "elapsed_ms": round(latency or 0.0) if timed else None,
        "cost_usd": response["cost"].amount(),
    }


def _stated(column: PromptColumn, samples: Sequence[SampleRow]) -> StatedValues:
    """promptfoo's counts for a column; its scores are sums over the tests."""
    stated = StatedValues()
    if column.head is None or (counts := column.head["metrics"]).value is None:
        return stated
    kinds = ("testPassCount", "testFailCount", "testErrorCount")
    passed, *not_passed = (counts[kind].count() or 0 for kind in kinds)
    if total := passed + sum(not_passed):
        stated.add(spec("mean", PASSED), passed / total)
    stated.add(spec("sum", SCORE), counts["score"].finite())
    for name, part in counts["namedScores"].fields(MAX_FIELD - 6):
        value = part.finite()
        if _is_plain_sum(counts, name, samples):
            stated.add(spec("sum", name), value)
        elif value is not None:
            stated.values[f"namedScores.{name}"] = value
    return stated


def _is_plain_sum(counts: JsonValue, name: str, samples: Sequence[SampleRow]) -> bool:
    """Whether a named score is the sum over its tests, each counted once and unweighted."""
    having = sum(name in (row["rewards"] or {}) for row in samples)
    kinds = ("namedScoresCount", "namedScoreWeights")
    return having > 0 and all(counts[kind][name].number() in (None, having) for kind in kinds)


IMPORTER = importer(
    "promptfoo",
    message("promptfoo"),
    message("the output.json of promptfoo eval -o, or its .jsonl"),
    recognises,
    runs,
    missing=message("must contain results of promptfoo; got a file without any"),
    suggests=by_means(PASSED, SCORE, shares=(PASSED,)),
)
