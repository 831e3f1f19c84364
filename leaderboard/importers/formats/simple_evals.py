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

from leaderboard.importers.reading.errors import ImportFailed, shown
from leaderboard.importers.reading.harness import (
    challenge_for,
    documents,
    finite,
    is_one,
    known,
    state,
    task_name,
    totals,
    whose,
)
from leaderboard.importers.reading.imports import Import, ImportedAttempt, Importer
from leaderboard.importers.reading.json_place import Part
from leaderboard.importers.reading.naming import source_id
from leaderboard.importers.reading.reported_numbers import value_key
from leaderboard.importers.reading.sample_row import SampleRow
from leaderboard.importers.reading.samples import numbered, reward_names, sample, spec
from leaderboard.importers.reading.source import Source
from leaderboard.importers.reading.suggestions import SuggestedMetric
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


@dataclass
class SimpleEvalsRun:
    """The evals of one model in one call of simple-evals, by the eval's name."""

    model: str
    date: str
    evals: dict[str, Part] = field(default_factory=dict)


def recognises(source: Source) -> bool:
    """All results, or numbers with their deviations in separate columns."""
    return is_one(source, "*.json", _is_result, b'"score"')


def reads(source: Source, participant: str) -> Import:
    """One attempt for each model and call."""
    warnings: list[str] = []
    runs: dict[tuple[str, str], SimpleEvalsRun] = {}
    for part in documents(source, "*.json", _is_result, b'"score"'):
        named = _NAMED.fullmatch(part.file.rpartition("/")[2])
        if named is None and not participant:
            raise _unnamed(part.file)
        called, model, date = (
            (named["eval"], named["model"], named["date"]) if named else ("", "", "")
        )
        run = runs.setdefault((model, date), SimpleEvalsRun(model, date))
        if called not in run.evals or _is_whole(part):
            run.evals[called] = part
    attempts = [_attempt(run, participant, warnings) for run in runs.values()]
    if not attempts:
        raise ImportFailed(
            message("must contain results of simple-evals; got a file without any"),
            file=source.label,
        )
    rewards = reward_names(each for one in attempts for each in one.samples)
    metrics = [spec("mean", name, failed="exclude") for name in rewards]
    return Import(KEY, attempts, warnings=warnings, suggested=challenge_for(attempts, metrics))


def _unnamed(file: str) -> ImportFailed:
    """The exception for a file that was renamed, so that nothing says the eval and the model."""
    text = message(
        "must be called EVAL_MODEL_DATE.json, as simple-evals calls it, such as {example}, because "
        "nothing in it says the eval and the model, or come with the participant; got {file}",
        example=EXAMPLE,
        file=shown(file),
    )
    return ImportFailed(text, file=file, field="participant")


def _is_whole(part: Part) -> bool:
    return all(key in part for key in WHOLE)


def _is_result(part: Part) -> bool:
    if _is_whole(part):
        return True
    if SCORE not in part or not isinstance(part.value, dict):
        return False
    numbers = all(value is None or type(value) in (int, float) for value in part.value.values())
    statistics = (STATISTIC.fullmatch(name) for name in part.value)
    return numbers and any(
        statistic and statistic["name"] in part.value for statistic in statistics
    )


@dataclass
class _EvalNumbers:
    """The numbers of all evals of a run: values to report, and those that a metric here computes
    too, with the metrics that should equal them."""

    values: dict[str, float] = field(default_factory=dict)
    file_metrics: dict[str, float] = field(default_factory=dict)
    specs: dict[str, SuggestedMetric] = field(default_factory=dict)

    def add(self, called: str, part: Part, *, has_samples: bool) -> None:
        """Add the numbers of one eval; without samples all of them are reported values."""
        for name, value in _numbers(part):
            own = f"{called}.{name}" if called else name
            if not has_samples:
                self.values[value_key(own, KEY)] = value
            elif name == SCORE and 0 < value < 1:  # HealthBench clips it to 0 to 1
                mean = spec("mean", own, failed="exclude")
                state(self.file_metrics, self.specs, mean, value)
            else:
                self.file_metrics[own] = value


def _attempt(run: SimpleEvalsRun, participant: str, warnings: list[str]) -> ImportedAttempt:
    numbers = _EvalNumbers()
    samples = []
    for called, part in sorted(run.evals.items()):
        scored = _samples(called, part)
        samples += scored
        if not scored:
            warnings.append(
                message(
                    "{file}: has no results of examples; its values become reported values",
                    file=shown(part.file),
                )
            )
        numbers.add(called, part, has_samples=bool(scored))
    first = next(iter(run.evals.values()))
    return ImportedAttempt(
        participant=whose(participant, "", run.model, first.file),
        source_id=source_id(KEY, run.model, run.date, sorted(numbers.values.items()), samples),
        meta=known(
            model=run.model,
            dataset=", ".join(sorted(run.evals))[:200],
            job=run.date,
            harness="simple-evals",
        ),
        samples=numbered(samples),
        values=numbers.values,
        metrics=totals(samples),
        file_metrics=numbers.file_metrics,
        specs=numbers.specs,
    )


def _numbers(part: Part) -> Iterator[tuple[str, float]]:
    """The score first, then the metrics; deviations and counts come last."""
    found = dict((part["metrics"] if _is_whole(part) else part).fields())
    found = {SCORE: part[SCORE], **found}
    ordered = sorted(found, key=lambda name: (bool(STATISTIC.fullmatch(name)), name != SCORE))
    for name in ordered:
        value = found[name].number()
        if value is not None and (value := finite(value)) is not None:
            yield name, value


def _samples(called: str, part: Part) -> list[SampleRow]:
    """A sample for each example whose score and id were kept."""
    found = []
    for each in part["metadata"]["example_level_metadata"].items() if _is_whole(part) else ():
        if isinstance(each.value, dict) and SCORE in each and "prompt_id" in each:
            task = each["prompt_id"].name()
            reward = each[SCORE].reward()
            name = f"{called}.{SCORE}" if called else SCORE
            error = "not scored" if reward is None else ""
            task = f"{called}/{task}" if called else task
            found.append(
                sample(task_name(each, task), {name: reward}, _usage(each["usage"]), error)
            )
    return found


def _usage(part: Part) -> dict[str, float | int | None]:
    return {
        "tokens_total": part["total_tokens"].count(),
        "input_tokens": part["input_tokens"].count(),
        "output_tokens": part["output_tokens"].count(),
    }


IMPORTER = Importer(
    KEY,
    message("simple-evals"),
    message("the .json of an eval or its _allresults.json, under its own name"),
    recognises,
    reads,
)
