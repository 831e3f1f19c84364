"""DeepEval: a test run as `.deepeval/.latest_test_run.json` has it, or the result of `evaluate()`.

Each test case is a task; its metrics are rewards under their names, and `passed` is whether the
case passed as a whole. Inputs, outputs and reasons are not imported.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from leaderboard.importers.reading.chosen import any_document, documents
from leaderboard.importers.reading.errors import shown
from leaderboard.importers.reading.imports import Import, ImportedAttempt, Importer
from leaderboard.importers.reading.json_place import MAX_FIELD, Part
from leaderboard.importers.reading.naming import failure, source_id
from leaderboard.importers.reading.reported_numbers import finite, whose
from leaderboard.importers.reading.sample_row import SampleRow
from leaderboard.importers.reading.samples import (
    facts,
    milliseconds,
    numbered,
    reward_names,
    sample,
    spec,
    suggested,
)
from leaderboard.importers.reading.source import Source
from leaderboard.importers.reading.suggestions import SuggestedMetric
from leaderboard.rules.texts.messages import counted, message

KEY: Final = "deepeval"
NAMES: Final = ("*test_run*.json", "*run_full*.json", "*result*.json")
CASES: Final = ("testCases", "conversationalTestCases", "test_results", "testResults")
PASSED: Final = "passed"
MODELS: Final = ("model", "Model", "model_name", "LLM", "llm")


def recognises(source: Source) -> bool:
    """A test run with `testCases`, or a result with `test_results` that have metrics."""
    return any_document(source, NAMES, _is_run)


def reads(source: Source, participant: str) -> Import:
    """One attempt for each test run. Raises ImportFailed."""
    warnings: list[str] = []
    runs = documents(
        source,
        NAMES,
        _is_run,
        message("must contain a test run of DeepEval; got a file without any"),
        warnings,
    )
    found = (_attempt(_run(part), participant, warnings) for part in runs)
    attempts = list({each.source_id: each for each in found}.values())
    names = reward_names(sample for attempt in attempts for sample in attempt.samples)
    ordered = sorted(names, key=lambda name: (name != PASSED, name))
    metrics = [_spec(name) for name in ordered]
    challenge = suggested(attempts, metrics, (PASSED,))
    return Import(KEY, attempts, warnings=warnings, suggested=challenge)


def _is_run(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    data = value.get("testRunData")
    if isinstance(data, dict):
        return "testCases" in data
    if "metricsScores" in value and "testCases" in value:
        return True
    results = value.get("test_results", value.get("testResults"))
    if not isinstance(results, list) or not results or not isinstance(results[0], dict):
        return False
    return "metrics_data" in results[0] or "metricsData" in results[0]


def _run(part: Part) -> Part:
    inner = part["testRunData"]
    return part if inner.value is None else inner


def _spec(name: str) -> SuggestedMetric:
    """The mean over cases as DeepEval computes it: without those whose metric failed."""
    return spec("mean", name, failed="exclude")


def _attempt(run: Part, participant: str, warnings: list[str]) -> ImportedAttempt:
    samples = numbered(_sample(case) for key in CASES for case in run[key].items())
    if not samples:
        raise run.fail(message("must contain a test case; got a file without any"))
    model = next(filter(None, (run["hyperparameters"][key].words() for key in MODELS)), "")
    identifier = run["identifier"].words()
    file_metrics, specs = _file_metrics(run, samples, warnings)
    found = {
        "model": model,
        "job": identifier,
        "dataset": run["datasetAlias"].words(),
        "harness": "DeepEval",
    }
    return ImportedAttempt(
        participant=whose(participant, "" if model else identifier, model, run.file),
        source_id=source_id(
            KEY,
            "" if model or identifier else participant,
            identifier,
            model,
            finite(run["runDuration"].value),
            samples,
        ),
        meta={key: value for key, value in found.items() if value},
        samples=samples,
        metrics=facts(samples),
        file_metrics=file_metrics,
        specs=specs,
    )


def _either(part: Part, camel: str, snake: str) -> Part:
    return part[camel] if camel in part else part[snake]


def _sample(case: Part) -> SampleRow:
    rewards: dict[str, float | None] = {}
    errors = []
    for metric in _either(case, "metricsData", "metrics_data").items():
        name = metric["name"].checked(metric["name"].name(), MAX_FIELD)
        if name in rewards:
            raise metric.fail(
                message(
                    "must be the only metric called {name!r} of this test case; got a second",
                    name=shown(name),
                )
            )
        rewards[name] = _score(metric)
        if isinstance(metric["error"].value, str) and rewards[name] is None:
            errors.append(f"{name}: {metric['error'].value}")
    if not any(value is not None for value in rewards.values()):
        error = failure("", errors[0]) if errors else "not scored"
        return sample(_task(case), None, _usage(case), error)
    passed = case["success"]
    if isinstance(passed.value, bool):
        rewards.setdefault(PASSED, passed.reward())
    return sample(_task(case), rewards, _usage(case), failure("", errors[0]) if errors else "")


def _score(metric: Part) -> float | None:
    """The score of a metric; NaN, or one that had an error, was not scored."""
    value = metric["score"].value
    if metric["error"].value is not None or (isinstance(value, float) and value != value):
        return None
    return metric["score"].reward()


def _task(case: Part) -> str:
    return case["name"].name()


def _usage(case: Part) -> dict[str, float | int | None]:
    """The usage of the system under test, without the cost of judging."""
    tokens_in, tokens_out = case["inputTokenCount"].count(), case["outputTokenCount"].count()
    both = None if tokens_in is None or tokens_out is None else tokens_in + tokens_out
    return {
        "tokens_total": both,
        "input_tokens": tokens_in,
        "output_tokens": tokens_out,
        "elapsed_ms": milliseconds(case["completionTime"].amount()),
        "cost_usd": case["tokenCost"].amount(),
    }


def _file_metrics(
    run: Part, samples: list[SampleRow], warnings: list[str]
) -> tuple[dict[str, float], dict[str, SuggestedMetric]]:
    """The means and pass rates in the file, and the metrics here that should equal them.

    If spans of a run have metrics of their own, DeepEval's means include them, and no metric here
    corresponds to these means.
    """
    file_metrics: dict[str, float] = {}
    specs: dict[str, SuggestedMetric] = {}
    counts = Counter(
        name
        for each in samples
        for name, score in (each["rewards"] or {}).items()
        if score is not None
    )
    for name, value, count in _means(run):
        one, here = _spec(name), counts[name]
        if here == count:
            file_metrics[one["name"]], specs[one["name"]] = value, one
        else:
            file_metrics[f"{name} over {count} scores"] = value
            warnings.append(
                counted(
                    "{name}: {here} of its {count} score is of test cases; the others, of spans, "
                    "are not imported",
                    "{name}: {here} of its {count} scores are of test cases; the others, of "
                    "spans, are not imported",
                    count,
                    name=shown(name),
                    here=here,
                )
            )
    return file_metrics, specs


def _means(run: Part) -> Iterator[tuple[str, float, int]]:
    """Name, mean and number of scores of each metric, and of passing."""
    passed, failed = run["testPassed"].count(), run["testFailed"].count()
    if passed is not None and failed is not None and passed + failed:
        yield PASSED, passed / (passed + failed), passed + failed
    for metric in run["metricsScores"].items():
        scores = [score.number() for score in metric["scores"].items()]
        known = [score for score in scores if score is not None]
        name = metric["metric"].checked(metric["metric"].name(), MAX_FIELD)
        if known and name != PASSED:
            yield name, sum(known) / len(known), len(known)


IMPORTER = Importer(
    KEY,
    message("DeepEval"),
    message("a .latest_test_run.json, or the result of evaluate() as JSON"),
    recognises,
    reads,
)
