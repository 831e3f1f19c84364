"""OpenAI evals: the JSONL log of `oaieval`: a `spec`, the events of each sample, a `final_report`.

A `match` is the reward `accuracy`, the numbers of a `metrics` event are rewards under their own
names. Prompts, samples and expected answers are not imported.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import Final

from leaderboard.importers.reading.directions import direction_of
from leaderboard.importers.reading.errors import legible
from leaderboard.importers.reading.harness import StatedValues, broken, put, value_name
from leaderboard.importers.reading.imports import ImportedAttempt
from leaderboard.importers.reading.json_files import JsonFiles
from leaderboard.importers.reading.json_place import MAX_FIELD, JsonValue, parse
from leaderboard.importers.reading.naming import failure
from leaderboard.importers.reading.sample_row import SampleRow
from leaderboard.importers.reading.samples import (
    NOT_SCORED,
    numbered,
    reward_names,
    sample,
    spec,
    total,
)
from leaderboard.importers.reading.source import Source
from leaderboard.importers.reading.suggestions import SuggestedFields
from leaderboard.importers.reading.tool import ToolRun, Upload, by_means, importer
from leaderboard.rules.texts.messages import listed, message

ACCURACY: Final = "accuracy"
CORRECT: Final = "correct"
"""The reward for a match if the eval computes an accuracy of its own."""
COUNTS: Final = "counts/"
COUNTED: Final = value_name(f"{COUNTS}x")[:-1]
"""How the names of numbers begin that count how often a model chose something."""
HEADLINES: Final = (ACCURACY, "score", "f1_score", CORRECT)


@dataclass
class Events:
    """The events of one sample. Its matches and metrics are in the order of the log."""

    matches: list[float] = field(default_factory=list)
    metrics: list[dict[str, float | None]] = field(default_factory=list)
    usage: list[JsonValue] = field(default_factory=list)
    error: str = ""


@dataclass
class EvalsLog:
    """One run of an eval."""

    file: str
    spec: JsonValue
    samples: dict[str, Events]
    report: JsonValue
    finished: datetime | None


def _is_spec(row: JsonValue) -> bool:
    return "spec" in row and "eval_name" in row["spec"] and "completion_fns" in row["spec"]


FILES: Final = JsonFiles(_is_spec, ("*.json*",), (b'"spec"', b'"completion_fns"'))


def recognises(source: Source) -> bool:
    """A first row with the `spec` of a run."""
    if source.single:
        return any(map(_is_spec, source.rows[:1]))
    return any(True for _ in _names(source))


def _names(source: Source) -> Iterator[str]:
    for name in FILES.marked(source):
        if any(_is_spec(row) for row in islice(source.peek(name), 1)):
            yield name


def runs(upload: Upload) -> Iterator[ToolRun]:
    """One run for each log."""
    for name in _names(upload.source):
        yield _run(_log(upload.source, name), upload.warnings)


def _suggests(runs: Sequence[ToolRun], attempts: Sequence[ImportedAttempt]) -> SuggestedFields:
    """Means of the rewards; without any, the first value that does not count a choice ranks."""
    fields = by_means(*HEADLINES, failed="exclude")(runs, attempts)
    if any(reward_names(attempt.samples) for attempt in attempts):
        return fields
    key = next((name for name in fields.get("values", ()) if not name.startswith(COUNTED)), "")
    if key:
        fields["rank_by"] = [{"key": key, "direction": direction_of(key)}]
    else:
        fields.pop("rank_by", None)
        fields.pop("scoring_strategy", None)
    return fields


def _log(source: Source, name: str) -> EvalsLog:
    log = EvalsLog(name, JsonValue({}, name), {}, JsonValue({}, name), None)
    samples: dict[str, Events] = defaultdict(Events)
    for number, line in source.lines(name):
        row = parse(line, name, number)
        if "spec" in row:
            log.spec = row["spec"]
        elif "final_report" in row:
            log.report = row["final_report"]
        elif row["type"].value in _TAKEN:
            _take(row, samples[row["sample_id"].name()])
            log.finished = row["created_at"].moment() or log.finished
    log.samples = samples
    return log


_TAKEN: Final = ("match", "metrics", "sampling", "error")


def _take(row: JsonValue, events: Events) -> None:
    kind, data = row["type"].value, row["data"]
    if kind == "match":
        correct = data["correct"].reward()
        if correct is None:
            raise data["correct"].fail(message("must be true or false"))
        events.matches.append(correct)
    elif kind == "metrics":
        rewards: dict[str, float | None] = {}
        for name, part in data.fields(MAX_FIELD):
            if type(part.value) in (int, float, bool):
                put(rewards, name, part)
        events.metrics.append(rewards)
    elif kind == "sampling":
        if isinstance(data["usage"].value, dict):
            used = {key: data["usage"].value.get(key) for key in _USED}
            events.usage.append(JsonValue(used, row.file, row.line, ("data", "usage")))
    else:
        events.error = events.error or failure(data["type"].words(), data["message"].text())


_USED: Final = ("prompt_tokens", "completion_tokens", "total_tokens")


def _run(log: EvalsLog, warnings: list[str]) -> ToolRun:
    about, file = log.spec, legible(log.file)
    model = ", ".join(name.words() for name in about["completion_fns"].items())[:200]
    metrics = [rewards for events in log.samples.values() for rewards in events.metrics]
    match = CORRECT if any(ACCURACY in rewards for rewards in metrics) else ACCURACY
    samples = numbered(_all_samples(log, match))
    if not reward_names(samples):
        samples = []
        warnings.append(
            message(
                "{file}: no sample was scored; its values become reported values",
                file=file,
            )
        )
    if not log.report.value:
        warnings.append(
            message("{file}: has no final_report; the run may be unfinished", file=file)
        )
    stated = _stated(log.report, samples)
    if choices := [name for name in stated.values if name.startswith(COUNTS)]:
        warnings.append(
            message(
                "{file}: the eval counts choices ({choices}), and nothing in the log says which of "
                "them is good, so none of them ranks",
                file=file,
                choices=listed(map(legible, choices)),
            )
        )
    reported = {} if samples else stated.values
    values = {value_name(name): value for name, value in reported.items()}
    job = about["run_id"].words()
    return ToolRun(
        log.file,
        (job, model, samples, sorted(values.items())),
        {
            "model": model,
            "dataset": about["eval_name"].words(),
            "job": job,
            "harness": "OpenAI evals",
        },
        samples=samples,
        values=values,
        stated=stated,
        submitted_at=log.finished or about["created_at"].moment(),
    )


def _all_samples(log: EvalsLog, match: str) -> list[SampleRow]:
    """The samples of a log. Failed samples lack the rewards that all others have."""
    rows = [row for task in log.samples for row in _samples(task, log.samples[task], match)]
    scored = [set(row["rewards"]) for row in rows if row["rewards"]]
    owed = sorted(set.intersection(*scored)) if scored else []
    return [
        broken(row["task"], owed, row["usage"], row["error"]) if row["rewards"] is None else row
        for row in rows
    ]


def _samples(task: str, events: Events, match: str) -> Iterator[SampleRow]:
    """One for each time that the sample was scored; a failed one if it never was."""
    scored = max(len(events.matches), len(events.metrics))
    usage = _usage(events) if scored < 2 else {}
    if not scored:
        yield sample(task, None, usage, events.error or NOT_SCORED)
    for at in range(scored):
        rewards: dict[str, float | None] = {}
        if at < len(events.matches):
            rewards[match] = events.matches[at]
        if at < len(events.metrics):
            rewards.update(events.metrics[at])
        yield sample(task, rewards, usage, events.error)


def _usage(events: Events) -> dict[str, float | int | None]:
    prompt, completion, both = (
        total(usage[key].count() for usage in events.usage) for key in _USED
    )
    return {"tokens_total": both, "input_tokens": prompt, "output_tokens": completion}


def _stated(report: JsonValue, samples: Sequence[SampleRow]) -> StatedValues:
    """The numbers of the final report: means over scored samples, if a reward has their name."""
    stated, rewards = StatedValues(), reward_names(samples)
    for name, part in report.fields():
        value = part.finite()
        if name in rewards:
            stated.add(spec("mean", name, failed="exclude"), value)
        elif value is not None:
            stated.values[name] = value
    return stated


IMPORTER = importer(
    "openai-evals",
    message("OpenAI evals log"),
    message("the .jsonl log of oaieval"),
    recognises,
    runs,
    missing=message("must contain a log of OpenAI evals; got a file without any"),
    suggests=_suggests,
)
