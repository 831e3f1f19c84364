"""OpenAI evals: the JSONL log of `oaieval`: a `spec`, the events of each sample, a `final_report`.

A `match` is the reward `accuracy`, the numbers of a `metrics` event are rewards under their own
names. Prompts, samples and expected answers are not imported.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from leaderboard.importers.reading.directions import direction_of
from leaderboard.importers.reading.errors import ImportFailed, shown
from leaderboard.importers.reading.harness import (
    broken,
    challenge_for,
    finite,
    known,
    marked,
    put,
    state,
    totals,
    value_name,
    whose,
)
from leaderboard.importers.reading.imports import Import, ImportedAttempt, Importer
from leaderboard.importers.reading.json_place import MAX_FIELD, Part, parse
from leaderboard.importers.reading.naming import failure, source_id
from leaderboard.importers.reading.sample_row import SampleRow
from leaderboard.importers.reading.samples import numbered, reward_names, sample, spec, total
from leaderboard.importers.reading.source import Source
from leaderboard.importers.reading.suggestions import SuggestedFields, SuggestedMetric
from leaderboard.rules.texts.messages import listed, message

KEY: Final = "openai-evals"
ACCURACY: Final = "accuracy"
CORRECT: Final = "correct"
"""The reward for a match if the eval computes an accuracy of its own."""
MARKS: Final = (b'"spec"', b'"completion_fns"')
COUNTS: Final = "counts/"
COUNTED: Final = value_name(f"{COUNTS}x")[:-1]
"""How the names of numbers begin that count how often a model chose something."""
HEADLINES: Final = (ACCURACY, "score", "f1_score", CORRECT)
PATTERNS: Final = "*.json*"


@dataclass
class Events:
    """The events of one sample. Its matches and metrics are in the order of the log."""

    matches: list[float] = field(default_factory=list)
    metrics: list[dict[str, float | None]] = field(default_factory=list)
    usage: list[Part] = field(default_factory=list)
    error: str = ""


@dataclass
class EvalsLog:
    """One run of an eval."""

    file: str
    spec: Part
    samples: dict[str, Events]
    report: Part
    finished: datetime | None


def recognises(source: Source) -> bool:
    """A first row with the `spec` of a run."""
    if source.single:
        return any(map(_is_spec, source.rows[:1]))
    return any(True for _ in _names(source))


def reads(source: Source, participant: str) -> Import:
    """One attempt for each log."""
    warnings: list[str] = []
    attempts = [_attempt(_log(source, name), participant, warnings) for name in _names(source)]
    if not attempts:
        raise ImportFailed(
            message("must contain a log of OpenAI evals; got a file without any"), file=source.label
        )
    names = reward_names(each for one in attempts for each in one.samples)
    ordered = sorted(names, key=lambda name: (_place(name), name))
    metrics = [spec("mean", name, failed="exclude") for name in ordered]
    fields = challenge_for(attempts, metrics)
    if not metrics:
        _rank(fields)
    return Import(KEY, attempts, warnings=warnings, suggested=fields)


def _rank(fields: SuggestedFields) -> None:
    """Rank by the first value that does not count a choice; by none if all of them do."""
    key = next((name for name in fields.get("values", ()) if not name.startswith(COUNTED)), "")
    if key:
        fields["rank_by"] = [{"key": key, "direction": direction_of(key)}]
    else:
        fields.pop("rank_by", None)
        fields.pop("scoring_strategy", None)


def _place(name: str) -> int:
    return HEADLINES.index(name) if name in HEADLINES else len(HEADLINES)


def _names(source: Source) -> Iterator[str]:
    for name in marked(source, PATTERNS, *MARKS):
        first = next(source.peek(name), None)
        if first is not None and _is_spec(first):
            yield name


def _is_spec(part: Part) -> bool:
    return "spec" in part and "eval_name" in part["spec"] and "completion_fns" in part["spec"]


def _log(source: Source, name: str) -> EvalsLog:
    log = EvalsLog(name, Part({}, name), {}, Part({}, name), None)
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


def _take(row: Part, events: Events) -> None:
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
            events.usage.append(Part(used, row.file, row.line, ("data", "usage")))
    else:
        said = data["message"].value
        text = said if isinstance(said, str) else ""
        events.error = events.error or failure(data["type"].words(), text)


_USED: Final = ("prompt_tokens", "completion_tokens", "total_tokens")


def _attempt(log: EvalsLog, participant: str, warnings: list[str]) -> ImportedAttempt:
    about = log.spec
    model = ", ".join(each.words() for each in about["completion_fns"].items())[:200]
    metrics = [one for each in log.samples.values() for one in each.metrics]
    match = CORRECT if any(ACCURACY in metric for metric in metrics) else ACCURACY
    samples = numbered(_all_samples(log, match))
    if not reward_names(samples):
        samples = []
        warnings.append(
            message(
                "{file}: no sample was scored; its values become reported values",
                file=shown(log.file),
            )
        )
    if not log.report.value:
        warnings.append(
            message("{file}: has no final_report; the run may be unfinished", file=shown(log.file))
        )
    file_metrics, specs, values = _file_metrics(log.report, samples)
    if choices := [name for name in file_metrics if name.startswith(COUNTS)]:
        warnings.append(
            message(
                "{file}: the eval counts choices ({choices}), and nothing in the log says which of "
                "them is good, so none of them ranks",
                file=shown(log.file),
                choices=listed(map(shown, choices)),
            )
        )
    return ImportedAttempt(
        participant=whose(participant, "", model, log.file),
        source_id=source_id(KEY, about["run_id"].words(), model, samples, sorted(values.items())),
        meta=known(
            model=model,
            dataset=about["eval_name"].words(),
            job=about["run_id"].words(),
            harness="OpenAI evals",
        ),
        samples=samples,
        values=values,
        metrics=totals(samples),
        file_metrics=file_metrics,
        specs=specs,
        submitted_at=log.finished or about["created_at"].moment(),
    )


def _all_samples(log: EvalsLog, match: str) -> list[SampleRow]:
    """The samples of a log. Failed samples lack the rewards that all others have."""
    found = [one for task in log.samples for one in _samples(task, log.samples[task], match)]
    scored = [set(each["rewards"]) for each in found if each["rewards"]]
    owed = sorted(set.intersection(*scored)) if scored else []
    return [
        broken(each["task"], owed, each["usage"], each["error"])
        if each["rewards"] is None
        else each
        for each in found
    ]


def _samples(task: str, events: Events, match: str) -> Iterator[SampleRow]:
    """One for each time that the sample was scored; a failed one if it never was."""
    scored = max(len(events.matches), len(events.metrics))
    usage = _usage(events) if scored < 2 else {}
    if not scored:
        yield sample(task, None, usage, events.error or "not scored")
    for at in range(scored):
        rewards: dict[str, float | None] = {}
        if at < len(events.matches):
            rewards[match] = events.matches[at]
        if at < len(events.metrics):
            rewards.update(events.metrics[at])
        yield sample(task, rewards, usage, events.error)


def _usage(events: Events) -> dict[str, float | int | None]:
    prompt, completion, both = (total(each[key].count() for each in events.usage) for key in _USED)
    return {"tokens_total": both, "input_tokens": prompt, "output_tokens": completion}


def _file_metrics(
    report: Part, samples: list[SampleRow]
) -> tuple[dict[str, float], dict[str, SuggestedMetric], dict[str, float]]:
    """The numbers of the final report: means over the scored samples, if a reward has their name.
    Without scored samples they become reported values.
    """
    file_metrics: dict[str, float] = {}
    specs: dict[str, SuggestedMetric] = {}
    rewards = reward_names(samples)
    numbers = {name: finite(part.value) for name, part in report.fields()}
    for name, value in numbers.items():
        if name in rewards:
            state(file_metrics, specs, spec("mean", name, failed="exclude"), value)
        elif value is not None:
            file_metrics[name] = value
    taken = {} if samples else file_metrics
    return file_metrics, specs, {value_name(name): value for name, value in taken.items()}


IMPORTER = Importer(
    KEY,
    message("OpenAI evals log"),
    message("the .jsonl log of oaieval"),
    recognises,
    reads,
)
