"""EvalPlus: `<samples>_eval_results.json`, with the base and the extra tests of each solution.

As in EvalPlus a solution passes `plus` when it passes the base tests and the extra ones. Solutions
and failing inputs are not imported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from leaderboard.importers.reading.errors import ImportFailed
from leaderboard.importers.reading.harness import (
    challenge_for,
    documents,
    file_stem,
    finite,
    is_one,
    known,
    state,
    task_name,
    whose,
)
from leaderboard.importers.reading.imports import Import, ImportedAttempt, Importer
from leaderboard.importers.reading.json_place import Part
from leaderboard.importers.reading.naming import source_id
from leaderboard.importers.reading.sample_row import SampleRow
from leaderboard.importers.reading.samples import numbered, reward_names, sample, spec
from leaderboard.importers.reading.source import Source
from leaderboard.importers.reading.suggestions import SuggestedMetric
from leaderboard.rules.texts.messages import message

KEY: Final = "evalplus"
BASE: Final = "base"
PLUS: Final = "plus"
PASSED: Final = "pass"
MARKS: Final = (b'"eval"', b'"hash"')
STATUSES: Final = ("pass", "fail", "timeout")
KS: Final = (1, 10, 100)
"""The k of EvalPlus' pass@k."""
DATASETS: Final = {"HumanEval": "HumanEval+", "Mbpp": "MBPP+"}

_NAMED: Final = re.compile(
    r"(?P<model>.+?)(?P<run>_(vllm|hf|openai|anthropic|google|gptqmodel|bedrock|ollama)?"
    r"_?temp_[\d.]+)?[._-]eval_results"
)


def recognises(source: Source) -> bool:
    """Results with the hash of a dataset and the solutions of each task."""
    return is_one(source, "*.json", _is_results, *MARKS)


def reads(source: Source, participant: str) -> Import:
    """One attempt for each file of results."""
    attempts = [
        _attempt(part, participant) for part in documents(source, "*.json", _is_results, *MARKS)
    ]
    if not attempts:
        raise ImportFailed(
            message("must contain results of EvalPlus; got a file without any"), file=source.label
        )
    tries = min(_tries(attempt) for attempt in attempts)
    rewards = [
        name
        for name in (PLUS, BASE)
        if name in reward_names(each for one in attempts for each in one.samples)
    ]
    metrics = [spec(f"pass@{k}:unbiased", name) for name in rewards for k in KS if k <= tries]
    return Import(KEY, attempts, suggested=challenge_for(attempts, metrics, (BASE, PLUS)))


def _is_results(part: Part) -> bool:
    if "eval" not in part or "hash" not in part or not isinstance(part["eval"].value, dict):
        return False
    return any(_is_task(value) for value in list(part["eval"].value.values())[:1])


def _is_task(value: Any) -> bool:
    if isinstance(value, list):
        return bool(value) and isinstance(value[0], dict) and "base_status" in value[0]
    return isinstance(value, dict) and BASE in value and "nfiles" in value


def _attempt(part: Part, participant: str) -> ImportedAttempt:
    samples = numbered(_samples(part["eval"]))
    if not samples:
        raise part["eval"].fail(message("must contain solutions"))
    model, run = _named(part.file)
    file_metrics, specs = _file_metrics(part["pass_at_k"])
    dataset = DATASETS.get(samples[0]["task"].partition("/")[0], "")
    return ImportedAttempt(
        participant=whose(participant, "", model, part.file),
        source_id=source_id(KEY, part["hash"].words(), model, run, part["date"].words(), samples),
        meta=known(model=model, job=run, dataset=dataset, harness="EvalPlus"),
        samples=samples,
        file_metrics=file_metrics,
        specs=specs,
    )


def _named(file: str) -> tuple[str, str]:
    """The model and settings in the file name `model--name_vllm_temp_0.0_eval_results.json`."""
    found = _NAMED.fullmatch(file_stem(file))
    if found is None:
        return "", ""
    model = found["model"] if found["model"] not in ("samples", "eval") else ""
    return model.replace("--", "/"), (found["run"] or "").strip("_")


def _samples(part: Part) -> Iterator[SampleRow]:
    for name, each in part.fields(length=4000):
        task = task_name(each, name)
        if isinstance(each.value, list):
            for one in each.items():
                yield sample(task, _rewards(one["base_status"], one["plus_status"]))
        else:
            yield from _older(task, each)


def _older(task: str, part: Part) -> Iterator[SampleRow]:
    """The form before 0.2: lists of `[status, details]` by kind of test."""
    plus = list(part[PLUS].items())
    for at, one in enumerate(part[BASE].items()):
        yield sample(task, _rewards(one[0], plus[at][0] if at < len(plus) else part["absent"]))


def _rewards(base: Part, plus: Part) -> dict[str, float | None]:
    """1 for a pass. Without extra tests (`--base-only`) there is no `plus`."""
    passed = _passed(base)
    rewards: dict[str, float | None] = {BASE: float(passed)}
    if plus.value is not None:
        rewards[PLUS] = float(_passed(plus) and passed)
    return rewards


def _passed(part: Part) -> bool:
    status = part.value
    if status not in STATUSES:
        raise part.fail(message("must be one of {accepted}", accepted=", ".join(STATUSES)))
    return bool(status == PASSED)


def _tries(attempt: ImportedAttempt) -> int:
    counts: dict[str, int] = {}
    for each in attempt.samples:
        counts[each["task"]] = counts.get(each["task"], 0) + 1
    return min(counts.values())


def _file_metrics(part: Part) -> tuple[dict[str, float], dict[str, SuggestedMetric]]:
    """The pass@k that newer versions write into the file."""
    values: dict[str, float] = {}
    specs: dict[str, SuggestedMetric] = {}
    for reward, file_metrics in part.fields():
        for name, each in file_metrics.fields():
            value = finite(each.value)
            if reward in (BASE, PLUS) and re.fullmatch(r"pass@\d{1,4}", name):
                state(values, specs, spec(f"{name}:unbiased", reward), value)
    return values, specs


IMPORTER = Importer(
    KEY,
    message("EvalPlus"),
    message("an *_eval_results.json"),
    recognises,
    reads,
)
