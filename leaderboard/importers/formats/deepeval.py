"""DeepEval: a test run as `.deepeval/.latest_test_run.json` has it, or the result of `evaluate()`.

Each test case is a task; its metrics are rewards under their names, and `passed` is whether the
case passed as a whole. Inputs, outputs and reasons are not imported.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from leaderboard.importers.reading.errors import legible
from leaderboard.importers.reading.harness import StatedValues, token_usage, words_in
from leaderboard.importers.reading.json_files import JsonFiles
from leaderboard.importers.reading.json_place import MAX_FIELD, JsonValue
from leaderboard.importers.reading.naming import failure
from leaderboard.importers.reading.sample_row import SampleRow
from leaderboard.importers.reading.samples import NOT_SCORED, milliseconds, numbered, sample, spec
from leaderboard.importers.reading.tool import ToolRun, Upload, by_means, importer
from leaderboard.rules.texts.messages import counted, message

CASES: Final = ("testCases", "conversationalTestCases", "test_results", "testResults")
PASSED: Final = "passed"
MODELS: Final = ("model", "Model", "model_name", "LLM", "llm")


def _is_run(document: JsonValue) -> bool:
    """Whether it is a test run with `testCases`, or `test_results` that have metrics."""
    run = document.value
    if not isinstance(run, dict):
        return False
    data = run.get("testRunData")
    if isinstance(data, dict):
        return "testCases" in data
    if "metricsScores" in run and "testCases" in run:
        return True
    results = run.get("test_results", run.get("testResults"))
    if not isinstance(results, list) or not results or not isinstance(results[0], dict):
        return False
    return "metrics_data" in results[0] or "metricsData" in results[0]


FILES: Final = JsonFiles(_is_run, ("*test_run*.json", "*run_full*.json", "*result*.json"))


def runs(upload: Upload) -> Iterator[ToolRun]:
    """One run for each file."""
    for document in upload.documents(FILES):
        inner = document["testRunData"]
        yield _run(upload, document if inner.value is None else inner)


def _run(upload: Upload, run: JsonValue) -> ToolRun:
    samples = numbered(_sample(case) for key in CASES for case in run[key].items())
    if not samples:
        raise run.fail(message("must contain a test case; got a file without any"))
    model = words_in(run["hyperparameters"], model=MODELS)["model"]
    meta = {"model": model, **words_in(run, job="identifier", dataset="datasetAlias")}
    given_name = "" if model or meta["job"] else upload.participant
    return ToolRun(
        run.file,
        (given_name, meta["job"], model, run["runDuration"].finite(), samples),
        {**meta, "harness": "DeepEval"},
        samples=samples,
        stated=_stated(run, samples, upload.warnings),
        called=meta["job"],
    )


def _sample(case: JsonValue) -> SampleRow:
    rewards: dict[str, float | None] = {}
    errors = []
    for metric in case["metricsData" if "metricsData" in case else "metrics_data"].items():
        name = metric["name"].checked(metric["name"].name(), MAX_FIELD)
        if name in rewards:
            raise metric.fail(
                message(
                    "must be the only metric called {name!r} of this test case; got a second",
                    name=legible(name),
                )
            )
        rewards[name] = _score(metric)
        if isinstance(metric["error"].value, str) and rewards[name] is None:
            errors.append(f"{name}: {metric['error'].value}")
    error, task = failure("", errors[0]) if errors else "", case["name"].name()
    if not any(value is not None for value in rewards.values()):
        return sample(task, None, _usage(case), error or NOT_SCORED)
    if isinstance(case["success"].value, bool):
        rewards.setdefault(PASSED, case["success"].reward())
    return sample(task, rewards, _usage(case), error)


def _score(metric: JsonValue) -> float | None:
    """The score of a metric; NaN, or one that had an error, was not scored."""
    value = metric["score"].value
    if metric["error"].value is not None or (isinstance(value, float) and value != value):
        return None
    return metric["score"].reward()


def _usage(case: JsonValue) -> dict[str, float | int | None]:
    """The usage of the system under test, without the cost of judging."""
    return {
        **token_usage(case["inputTokenCount"].count(), case["outputTokenCount"].count()),
        "elapsed_ms": milliseconds(case["completionTime"].amount()),
        "cost_usd": case["tokenCost"].amount(),
    }


def _stated(run: JsonValue, samples: Sequence[SampleRow], warnings: list[str]) -> StatedValues:
    """The means and pass rates in the file, and the metrics here that should equal them.

    If spans of a run have metrics of their own, DeepEval's means include them, and no metric here
    corresponds to these means.
    """
    stated = StatedValues()
    counts = Counter(
        name
        for row in samples
        for name, score in (row["rewards"] or {}).items()
        if score is not None
    )
    for name, value, count in _means(run):
        if counts[name] == count:
            stated.add(spec("mean", name, failed="exclude"), value)
        else:
            stated.values[f"{name} over {count} scores"] = value
            warnings.append(
                counted(
                    "{name}: {here} of its {count} score is of test cases; the others, of spans, "
                    "are not imported",
                    "{name}: {here} of its {count} scores are of test cases; the others, of "
                    "spans, are not imported",
                    count,
                    name=legible(name),
                    here=counts[name],
                )
            )
    return stated


def _means(run: JsonValue) -> Iterator[tuple[str, float, int]]:
    """Name, mean and number of scores of each metric, and of passing."""
    passed, failed = run["testPassed"].count(), run["testFailed"].count()
    if passed is not None and failed is not None and passed + failed:
        yield PASSED, passed / (passed + failed), passed + failed
    for metric in run["metricsScores"].items():
        numbers = [score.number() for score in metric["scores"].items()]
        scores = [number for number in numbers if number is not None]
        name = metric["metric"].checked(metric["metric"].name(), MAX_FIELD)
        if scores and name != PASSED:
            yield name, sum(scores) / len(scores), len(scores)


IMPORTER = importer(
    "deepeval",
    message("DeepEval"),
    message("a .latest_test_run.json, or the result of evaluate() as JSON"),
    FILES.recognise,
    runs,
    missing=message("must contain a test run of DeepEval; got a file without any"),
    # As DeepEval computes its means: without the cases whose metric failed.
    suggests=by_means(PASSED, failed="exclude", shares=(PASSED,)),
    once=True,
)
