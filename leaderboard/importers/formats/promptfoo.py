"""promptfoo: the JSON of `promptfoo eval -o output.json` or `promptfoo export`, or its JSONL.

Versions 2 (with a `table`) and 3 (with `prompts`) of its results. A column of promptfoo's table, a
provider with a prompt, is an attempt; a test is a task, and a repeated test has several samples.
Prompts, variables, outputs and assertions are not imported.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from leaderboard.importers.reading.errors import ImportFailed
from leaderboard.importers.reading.harness import (
    broken,
    challenge_for,
    distinct,
    documents,
    finite,
    is_one,
    known,
    marked,
    put,
    state,
    totals,
    whose,
)
from leaderboard.importers.reading.imports import Import, ImportedAttempt, Importer
from leaderboard.importers.reading.json_place import MAX_FIELD, Part, parse
from leaderboard.importers.reading.naming import failure, source_id
from leaderboard.importers.reading.sample_row import SampleRow
from leaderboard.importers.reading.samples import numbered, reward_names, sample, spec
from leaderboard.importers.reading.source import Source
from leaderboard.importers.reading.suggestions import SuggestedMetric
from leaderboard.importers.tools.promptfoo_columns import PromptColumn, columns_of
from leaderboard.rules.texts.messages import message

KEY: Final = "promptfoo"
PASSED: Final = "pass"
SCORE: Final = "score"
BROKEN: Final = 2
"""promptfoo's `failureReason` of a call that broke; 1 is an assertion that does not hold."""
MARKS: Final = (b'"results"', b'"version"')
ROW: Final = ("provider", "prompt", "vars", "success", "score")
USED: Final = (
    *ROW,
    *("promptIdx", "testIdx", "testCase", "namedScores", "latencyMs", "failureReason", "error"),
)


@dataclass(frozen=True)
class PromptfooEvaluation:
    """One run of promptfoo. part: the whole document. summary: what holds its results."""

    part: Part
    summary: Part
    rows: list[Part]


def recognises(source: Source) -> bool:
    """Results with their version and statistics, or rows of them."""
    if source.single and any(map(_is_row, source.rows)):
        return True
    return is_one(source, "*.json", _is_results, *MARKS)


def reads(source: Source, participant: str) -> Import:
    """One attempt for each provider and prompt."""
    attempts = [
        attempt
        for evaluation in _evaluations(source)
        for attempt in _attempts(evaluation, participant)
    ]
    if not attempts:
        raise ImportFailed(
            message("must contain results of promptfoo; got a file without any"), file=source.label
        )
    names = reward_names(each for one in attempts for each in one.samples)
    ordered = sorted(names, key=lambda name: (name != PASSED, name != SCORE, name))
    metrics = [spec("mean", each) for each in ordered]
    return Import(KEY, attempts, suggested=challenge_for(attempts, metrics, (PASSED,)))


def _evaluations(source: Source) -> Iterator[PromptfooEvaluation]:
    """The evaluations of an upload; the rows of a JSONL are one."""
    if source.single and any(map(_is_row, source.rows)):
        yield _of_rows(source, source.names[0])
        return
    for part in documents(source, "*.json", _is_results, *MARKS):
        summary = _summary(part)
        yield PromptfooEvaluation(part, summary, list(summary["results"].items()))
    if not source.single:
        for name in marked(source, "*.jsonl", *(f'"{key}"'.encode() for key in ROW)):
            yield _of_rows(source, name)


def _of_rows(source: Source, name: str) -> PromptfooEvaluation:
    rows = [_kept(parse(line, name, number)) for number, line in source.lines(name)]
    nothing = Part({}, name)
    return PromptfooEvaluation(nothing, nothing, rows)


def _kept(row: Part) -> Part:
    """The used fields of a row, without outputs."""
    kept = {key: row[key].value for key in USED if key in row}
    used = {key: part.value for key, part in _response(row).fields() if key in _RESPONSE}
    return Part({**kept, "response": used or row["response"].value}, row.file, row.line)


_RESPONSE: Final = ("tokenUsage", "cost", "cached", "error")


def _response(row: Part) -> Part:
    response = row["response"]
    return response if isinstance(response.value, dict) else Part({}, row.file, row.line)


def _is_row(part: Part) -> bool:
    return all(key in part for key in ROW)


def _is_results(part: Part) -> bool:
    if not isinstance(part.value, dict):
        return False
    inner = _summary(part)
    return (
        type(inner["version"].value) is int
        and isinstance(inner["results"].value, list)
        and "successes" in inner["stats"]
    )


def _summary(part: Part) -> Part:
    """The summary: under `results`, or the whole document if a script saved it."""
    inner = part["results"]
    return inner if isinstance(inner.value, dict) else part


def _attempts(one: PromptfooEvaluation, participant: str) -> list[ImportedAttempt]:
    columns = columns_of(one.summary, one.rows)
    several = len({each.prompt for each in columns}) > 1
    names = distinct(
        [
            participant or whose("", each.prompt if several else "", each.provider, one.part.file)
            for each in columns
        ]
    )
    return [
        _attempt(one, column, participant or name)
        for column, name in zip(columns, names, strict=True)
    ]


def _attempt(one: PromptfooEvaluation, column: PromptColumn, participant: str) -> ImportedAttempt:
    part, samples = one.part, numbered(_sample(test, row) for test, row in column.rows)
    file_metrics, specs = _file_metrics(column, samples)
    moment = one.summary["timestamp"].moment() or part["metadata"]["evaluationCreatedAt"].moment()
    run = part["evalId"].words() or one.summary["timestamp"].words()
    version = part["metadata"]["promptfooVersion"].words()
    return ImportedAttempt(
        participant=participant,
        source_id=source_id(KEY, run, column.provider, column.prompt, samples),
        meta=known(
            model=column.provider,
            prompt=column.prompt,
            dataset=part["config"]["description"].words(),
            job=part["evalId"].words(),
            harness=f"promptfoo {version}".strip(),
        ),
        samples=samples,
        metrics=totals(samples),
        file_metrics=file_metrics,
        specs=specs,
        submitted_at=moment,
    )


def _sample(test: str, row: Part) -> SampleRow:
    task = row["testCase"].checked(test)
    if _broke(row):
        said = row["error"].value or _response(row)["error"].value
        error = failure("", said if isinstance(said, str) else "no response")
        return broken(task, (PASSED, SCORE), _usage(row), error)
    rewards: dict[str, float | None] = {}
    put(rewards, PASSED, row["success"])
    put(rewards, SCORE, row["score"])
    for name, part in row["namedScores"].fields(MAX_FIELD - 6):
        put(rewards, f"named.{name}" if name in (PASSED, SCORE) else name, part)
    return sample(task, rewards, _usage(row))


def _broke(row: Part) -> bool:
    """Whether the call broke, so that there was nothing to assess."""
    if (reason := row["failureReason"].count()) is not None:
        return reason == BROKEN
    return row["response"].value is None or _response(row)["error"].value is not None


def _usage(row: Part) -> dict[str, float | int | None]:
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


def _file_metrics(
    column: PromptColumn, samples: list[SampleRow]
) -> tuple[dict[str, float], dict[str, SuggestedMetric]]:
    """promptfoo's counts for a column; its scores are sums over the tests."""
    values: dict[str, float] = {}
    specs: dict[str, SuggestedMetric] = {}
    if column.head is None or (told := column.head["metrics"]).value is None:
        return values, specs
    kinds = ("testPassCount", "testFailCount", "testErrorCount")
    passed, *others = (told[kind].count() or 0 for kind in kinds)
    if total := passed + sum(others):
        state(values, specs, spec("mean", PASSED), passed / total)
    state(values, specs, spec("sum", SCORE), finite(told["score"].value))
    for name, part in told["namedScores"].fields(MAX_FIELD - 6):
        value = finite(part.value)
        if _is_plain_sum(told, name, samples):
            state(values, specs, spec("sum", name), value)
        elif value is not None:
            values[f"namedScores.{name}"] = value
    return values, specs


def _is_plain_sum(told: Part, name: str, samples: list[SampleRow]) -> bool:
    """Whether a named score is the sum over its tests, each counted once and unweighted."""
    having = sum(name in (each["rewards"] or {}) for each in samples)
    kinds = ("namedScoresCount", "namedScoreWeights")
    return having > 0 and all(told[kind][name].number() in (None, having) for kind in kinds)


IMPORTER = Importer(
    KEY,
    message("promptfoo"),
    message("the output.json of promptfoo eval -o, or its .jsonl"),
    recognises,
    reads,
)
