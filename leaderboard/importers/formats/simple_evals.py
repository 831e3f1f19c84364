"""simple-evals: `<eval>_<model>_<date>.json` with its numbers, and its `_allresults.json`.

Most evals keep no result of a single example, so their numbers become reported values, called
`<eval>.<metric>`. HealthBench keeps the score of each example. Conversations and reports are not
imported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from leaderboard.importers.reading.errors import ImportFailed, legible
from leaderboard.importers.reading.harness import StatedValues, task_name
from leaderboard.importers.reading.json_files import JsonFiles
from leaderboard.importers.reading.json_place import JsonValue
from leaderboard.importers.reading.reported_numbers import value_key
from leaderboard.importers.reading.sample_row import SampleRow
from leaderboard.importers.reading.samples import NOT_SCORED, numbered, sample, spec
from leaderboard.importers.reading.tool import ToolRun, Upload, by_means, importer
from leaderboard.rules.texts.messages import message

KEY: Final = "simple-evals"
SCORE: Final = "score"
WHOLE: Final = ("score", "metrics", "htmls", "convos")
STATISTIC: Final = re.compile(r"(?P<name>.+):(std|n_samples|bootstrap_std|min|max)")

EXAMPLE: Final = "mmlu_my-model_20260131_120000.json"

_NAMED: Final = re.compile(
    r"(?P<eval>healthbench_(?:hard|consensus|meta)|[^_]+)_(?P<model>.+)_(?P<date>\d{8}_\d{6})"
    r"(?:_DEBUG)?(?:_allresults)?\.json"
)


def _is_whole(part: JsonValue) -> bool:
    return all(key in part for key in WHOLE)


def _is_result(part: JsonValue) -> bool:
    """Whether it is all results, or numbers with their deviations in separate columns."""
    if _is_whole(part):
        return True
    if SCORE not in part or not isinstance(part.value, dict):
        return False
    numbers = all(value is None or type(value) in (int, float) for value in part.value.values())
    statistics = (STATISTIC.fullmatch(name) for name in part.value)
    return numbers and any(match and match["name"] in part.value for match in statistics)


FILES: Final = JsonFiles(_is_result, marks=(b'"score"',), looked_at=50)


@dataclass
class ModelCall:
    """The evals of one model in one call of simple-evals, by the eval's name."""

    model: str
    date: str
    evals: dict[str, JsonValue] = field(default_factory=dict)


def runs(upload: Upload) -> Iterator[ToolRun]:
    """One run for each model and call."""
    calls: dict[tuple[str, str], ModelCall] = {}
    for part in upload.documents(FILES):
        named = _NAMED.fullmatch(part.file.rpartition("/")[2])
        if named is None and not upload.participant:
            raise _unnamed(part.file)
        name, model, date = (
            (named["eval"], named["model"], named["date"]) if named else ("", "", "")
        )
        call = calls.setdefault((model, date), ModelCall(model, date))
        if name not in call.evals or _is_whole(part):
            call.evals[name] = part
    for call in calls.values():
        yield _run(call, upload.warnings)


def _unnamed(file: str) -> ImportFailed:
    """The exception for a file that was renamed, so that nothing says the eval and the model."""
    text = message(
        "must be called EVAL_MODEL_DATE.json, as simple-evals calls it, such as {example}, because "
        "nothing in it says the eval and the model, or come with the participant; got {file}",
        example=EXAMPLE,
        file=legible(file),
    )
    return ImportFailed(text, file=file, field="participant")


def _run(call: ModelCall, warnings: list[str]) -> ToolRun:
    samples: list[SampleRow] = []
    values: dict[str, float] = {}
    stated = StatedValues()
    for eval_name, part in sorted(call.evals.items()):
        before = f"{eval_name}." if eval_name else ""
        rows = _samples(eval_name, part)
        samples += rows
        if rows:
            _add_stated(stated, before, part)
            continue
        warnings.append(
            message(
                "{file}: has no results of examples; its values become reported values",
                file=legible(part.file),
            )
        )
        values.update({value_key(f"{before}{name}", KEY): value for name, value in _numbers(part)})
    return ToolRun(
        next(iter(call.evals.values())).file,
        (call.model, call.date, sorted(values.items()), samples),
        {
            "model": call.model,
            "dataset": ", ".join(sorted(call.evals))[:200],
            "job": call.date,
            "harness": "simple-evals",
        },
        samples=numbered(samples),
        values=values,
        stated=stated,
    )


def _add_stated(stated: StatedValues, before: str, part: JsonValue) -> None:
    """Add the numbers of an eval with samples; HealthBench clips its score to 0 to 1."""
    for name, value in _numbers(part):
        if name == SCORE and 0 < value < 1:
            stated.add(spec("mean", f"{before}{name}", failed="exclude"), value)
        else:
            stated.values[f"{before}{name}"] = value


def _numbers(part: JsonValue) -> Iterator[tuple[str, float]]:
    """The score first, then the metrics; deviations and counts come last."""
    metrics = dict((part["metrics"] if _is_whole(part) else part).fields())
    numbers = {SCORE: part[SCORE], **metrics}
    ordered = sorted(numbers, key=lambda name: (bool(STATISTIC.fullmatch(name)), name != SCORE))
    for name in ordered:
        numbers[name].number()
        if (value := numbers[name].finite()) is not None:
            yield name, value


def _samples(eval_name: str, part: JsonValue) -> list[SampleRow]:
    """A sample for each example whose score and id were kept."""
    if not _is_whole(part):
        return []
    return [
        _sample(eval_name, example)
        for example in part.at("metadata.example_level_metadata").items()
        if isinstance(example.value, dict) and SCORE in example and "prompt_id" in example
    ]


def _sample(eval_name: str, example: JsonValue) -> SampleRow:
    task, reward = example["prompt_id"].name(), example[SCORE].reward()
    used = example["usage"]
    usage = {
        "tokens_total": used["total_tokens"].count(),
        "input_tokens": used["input_tokens"].count(),
        "output_tokens": used["output_tokens"].count(),
    }
    return sample(
        task_name(example, f"{eval_name}/{task}" if eval_name else task),
        {f"{eval_name}.{SCORE}" if eval_name else SCORE: reward},
        usage,
        NOT_SCORED if reward is None else "",
    )


IMPORTER = importer(
    KEY,
    message("simple-evals"),
    message("the .json of an eval or its _allresults.json, under its own name"),
    FILES.recognise,
    runs,
    missing=message("must contain results of simple-evals; got a file without any"),
    suggests=by_means(failed="exclude"),
)
