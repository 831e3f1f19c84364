"""EvalPlus: `<samples>_eval_results.json`, with the base and the extra tests of each solution.

As in EvalPlus a solution passes `plus` when it passes the base tests and the extra ones. Solutions
and failing inputs are not imported.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final

from leaderboard.importers.reading.harness import StatedValues, file_stem, task_name
from leaderboard.importers.reading.imports import ImportedAttempt
from leaderboard.importers.reading.json_files import JsonFiles
from leaderboard.importers.reading.json_place import JsonValue
from leaderboard.importers.reading.sample_row import SampleRow
from leaderboard.importers.reading.samples import numbered, reward_names, sample, spec
from leaderboard.importers.reading.suggestions import SuggestedMetric
from leaderboard.importers.reading.tool import ToolRun, Upload, by_metrics, importer
from leaderboard.rules.texts.messages import message

BASE: Final = "base"
PLUS: Final = "plus"
PASSED: Final = "pass"
STATUSES: Final = ("pass", "fail", "timeout")
KS: Final = (1, 10, 100)
"""The k of EvalPlus' pass@k."""
DATASETS: Final = {"HumanEval": "HumanEval+", "Mbpp": "MBPP+"}

_NAMED: Final = re.compile(
    r"(?P<model>.+?)(?P<run>_(vllm|hf|openai|anthropic|google|gptqmodel|bedrock|ollama)?"
    r"_?temp_[\d.]+)?[._-]eval_results"
)


def _is_results(document: JsonValue) -> bool:
    """Whether it has the hash of a dataset and the solutions of each task."""
    if "hash" not in document or not isinstance(tasks := document["eval"].value, dict):
        return False
    return any(_is_task(task) for task in list(tasks.values())[:1])


def _is_task(value: Any) -> bool:
    if isinstance(value, list):
        return bool(value) and isinstance(value[0], dict) and "base_status" in value[0]
    return isinstance(value, dict) and BASE in value and "nfiles" in value


FILES: Final = JsonFiles(_is_results, marks=(b'"eval"', b'"hash"'), looked_at=50)


def runs(upload: Upload) -> Iterator[ToolRun]:
    """One run for each file of results."""
    for results in upload.documents(FILES):
        samples = numbered(_samples(results["eval"]))
        if not samples:
            raise results["eval"].fail(message("must contain solutions"))
        model, run = _model_and_run(results.file)
        dataset = DATASETS.get(samples[0]["task"].partition("/")[0], "")
        yield ToolRun(
            results.file,
            (results["hash"].words(), model, run, results["date"].words(), samples),
            {"model": model, "job": run, "dataset": dataset, "harness": "EvalPlus"},
            samples=samples,
            stated=_stated(results["pass_at_k"]),
        )


def _metrics(attempts: Sequence[ImportedAttempt]) -> list[SuggestedMetric]:
    """pass@k for each k up to the tries that every task has."""
    tries = min(
        min(Counter(row["task"] for row in attempt.samples).values()) for attempt in attempts
    )
    names = reward_names(row for attempt in attempts for row in attempt.samples)
    rewards = [name for name in (PLUS, BASE) if name in names]
    return [spec(f"pass@{k}:unbiased", name) for name in rewards for k in KS if k <= tries]


def _model_and_run(file: str) -> tuple[str, str]:
    """The model and settings in the file name `model--name_vllm_temp_0.0_eval_results.json`."""
    named = _NAMED.fullmatch(file_stem(file))
    if named is None:
        return "", ""
    model = named["model"] if named["model"] not in ("samples", "eval") else ""
    return model.replace("--", "/"), (named["run"] or "").strip("_")


def _samples(tasks: JsonValue) -> Iterator[SampleRow]:
    for name, part in tasks.fields(length=4000):
        task = task_name(part, name)
        if isinstance(part.value, list):
            for solution in part.items():
                yield sample(task, _rewards(solution["base_status"], solution["plus_status"]))
        else:
            yield from _samples_before_0_2(task, part)


def _samples_before_0_2(task: str, part: JsonValue) -> Iterator[SampleRow]:
    """Of lists of `[status, details]` by kind of test."""
    plus = list(part[PLUS].items())
    for at, base in enumerate(part[BASE].items()):
        yield sample(task, _rewards(base[0], plus[at][0] if at < len(plus) else part["absent"]))


def _rewards(base: JsonValue, plus: JsonValue) -> dict[str, float | None]:
    """1 for a pass. Without extra tests (`--base-only`) there is no `plus`."""
    passed = _passed(base)
    rewards: dict[str, float | None] = {BASE: float(passed)}
    if plus.value is not None:
        rewards[PLUS] = float(_passed(plus) and passed)
    return rewards


def _passed(status: JsonValue) -> bool:
    if status.value not in STATUSES:
        raise status.fail(message("must be one of {accepted}", accepted=", ".join(STATUSES)))
    return bool(status.value == PASSED)


def _stated(pass_at_k: JsonValue) -> StatedValues:
    """The pass@k that newer versions write into the file."""
    stated = StatedValues()
    for reward, values in pass_at_k.fields():
        for name, value in values.fields():
            if reward in (BASE, PLUS) and re.fullmatch(r"pass@\d{1,4}", name):
                stated.add(spec(f"{name}:unbiased", reward), value.finite())
    return stated


IMPORTER = importer(
    "evalplus",
    message("EvalPlus"),
    message("an *_eval_results.json"),
    FILES.recognise,
    runs,
    missing=message("must contain results of EvalPlus; got a file without any"),
    suggests=by_metrics(_metrics, (BASE, PLUS)),
)
