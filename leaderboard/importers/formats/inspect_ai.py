"""inspect-ai logs: `.eval` (a zip whose members may be Zstandard) and `.json`.

Only scores, usage, times and the first line of an error are read from a sample, and where its
messages are. If a `.eval` has summaries, they are enough, and its transcripts are not inflated to
read it. A log of a run without a scorer becomes an attempt without samples: failed samples would
rank the run with 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from leaderboard.importers.reading.errors import ImportFailed, legible, located
from leaderboard.importers.reading.evidence import trajectory_of
from leaderboard.importers.reading.imports import Import, ImportedAttempt, Importer
from leaderboard.importers.reading.json_place import MAX_FIELD, JsonValue
from leaderboard.importers.reading.naming import failure, participant_name, source_id
from leaderboard.importers.reading.run_facts import (
    conditions_of,
    moment_text,
    run_of,
    sample_run,
)
from leaderboard.importers.reading.sample_row import SampleRow
from leaderboard.importers.reading.samples import (
    facts,
    milliseconds,
    numbered,
    owing,
    reward_names,
    sample,
    spec,
    suggested,
    total,
)
from leaderboard.importers.reading.source import Source
from leaderboard.importers.tools.inspect_file_metrics import file_metrics_of, reported_values
from leaderboard.importers.tools.inspect_logs import InspectLog, holds_logs, logs_in
from leaderboard.rules.rewards.runs import SampleRun, without_nothing
from leaderboard.rules.texts.messages import message

KEY: Final = "inspect-ai"
LETTERS: Final = {
    "C": 1.0,
    "P": 0.5,
    "I": 0.0,
    "N": 0.0,
    "yes": 1.0,
    "true": 1.0,
    "no": 0.0,
    "false": 0.0,
}
"""The numbers that inspect-ai's own metrics use for grades: correct, partial, incorrect, no answer.
"""


CACHED: Final = ("input_tokens_cache_read", "input_tokens_cache_write")
BESIDE: Final = ("anthropic", "claude")
"""Parts of names of models whose cached tokens are counted beside the input tokens: OpenAI counts
them among these, Anthropic beside them. The total tells the two apart.
"""


def recognises(source: Source) -> bool:
    """A log with `eval`, `plan` and `stats`, or an archive or a folder of such logs."""
    return holds_logs(source)


def reads(source: Source, participant: str) -> Import:
    """One attempt for each log, which has one task set, solver and model."""
    warnings: list[tuple[str, list[str]]] = []
    attempts = []
    for log in logs_in(source):
        warnings.append((log.name, []))
        if (attempt := _attempt_of(log, participant, warnings[-1][1])) is not None:
            attempts.append(attempt)
    if not attempts:
        raise ImportFailed(
            message("must contain samples; got a file without any"),
            file=warnings[0][0] if warnings else source.label,
        )
    samples = [row for attempt in attempts for row in attempt.samples]
    metrics = [spec("mean_reward", name, failed="exclude") for name in reward_names(samples)]
    fields = suggested(attempts, metrics)
    fields.pop("num_samples", None)  # The epochs of these logs need not be those of others.
    return Import(KEY, attempts, warnings=list(_warnings(warnings)), suggested=fields)


def _warnings(warnings: Sequence[tuple[str, Sequence[str]]]) -> Iterator[str]:
    """The warnings about each log, with its name where there are several."""
    for name, texts in warnings:
        for text in sorted(set(texts)):
            yield located(legible(name) if len(warnings) > 1 else "", text)


def _attempt_of(one: InspectLog, participant: str, warnings: list[str]) -> ImportedAttempt | None:
    """The attempt of a log; None for one without samples and without results."""
    status = one.log["status"].words()
    if status != "success":
        warnings.append(
            message("the evaluation did not succeed; its status is {status}", status=status)
            if status
            else message("the evaluation did not succeed; its status is not stated")
        )
    if not one.is_finished:
        warnings.append(message("the evaluation is unfinished: its log has no header.json"))
    if not one.samples:
        return _without_samples(one, participant, warnings)
    if _is_unscored(one):
        warnings.append(
            message("not scored: no sample has a score, so that nothing of it can be ranked")
        )
        return _attempt(one.log, [], participant)
    by_epoch = sorted(one.samples, key=lambda part: part["epoch"].count() or 0)
    places = [one.messages_of(part) for part in by_epoch]
    samples = numbered(
        _sample(part, place is not None, warnings)
        for part, place in zip(by_epoch, places, strict=True)
    )
    evidence = [
        part
        for row, place in zip(samples, places, strict=True)
        for part in trajectory_of(row, place, one.archive)
    ]
    return replace(_attempt(one.log, samples, participant), evidence=evidence)


def _without_samples(
    one: InspectLog, participant: str, warnings: list[str]
) -> ImportedAttempt | None:
    """The attempt of a log whose samples were left out, with its results as reported values."""
    values = reported_values(one.log["results"]["scores"])
    if not values:
        warnings.append(message("holds no samples, so that it was left out"))
        return None
    warnings.append(message("holds no samples; its values become reported values"))
    usage = _usage_of(one.log["stats"]["model_usage"])
    attempt = _attempt(one.log, [], participant)
    identity = source_id(KEY, attempt.source_id, sorted(values.items()))
    metrics = {key: value for key, value in usage.items() if value is not None}
    return replace(attempt, source_id=identity, values=values, metrics=metrics)


def _is_unscored(one: InspectLog) -> bool:
    """Whether the log was made without a scorer; a log of failed samples was not."""
    if any(True for part in one.samples for _ in part["scores"].fields()):
        return False
    succeeded = one.log["status"].words() == "success"
    return succeeded or all(part["error"].value is None for part in one.samples)


def _sample(part: JsonValue, has_messages: bool, warnings: list[str]) -> SampleRow:
    rewards = _rewards(part["scores"], warnings)
    task = part["id"].name_or_number()
    return sample(task, rewards, _usage(part), _error(part, rewards), _run(part, has_messages))


def _run(part: JsonValue, has_messages: bool) -> SampleRun:
    usage = _usage_of(part["model_usage"])
    return sample_run(
        id=part["uuid"].words(),
        started_at=moment_text(part["started_at"].moment()),
        finished_at=moment_text(part["completed_at"].moment()),
        tokens=without_nothing({"input": usage["input_tokens"], "output": usage["output_tokens"]}),
        evidence=["trajectory"] if has_messages else [],
    )


def _rewards(scores: JsonValue, warnings: list[str]) -> dict[str, float | None] | None:
    """A reward for each scorer, or for each key of a scorer that gives an object."""
    rewards: dict[str, float | None] = {}
    for scorer, part in scores.fields():
        value = part["value"]
        if isinstance(value.value, dict):
            for key, grade in value.fields():
                rewards[value.checked(f"{scorer}.{key}", MAX_FIELD)] = _grade(grade, warnings)
        else:
            rewards[scorer] = _grade(value, warnings)
    scored = any(value is not None for value in rewards.values())
    return rewards if scored else None


def _grade(part: JsonValue, warnings: list[str]) -> float | None:
    """A grade as a number. NaN is inspect-ai's mark for "not scored"."""
    value = part.value
    if isinstance(value, str):
        grade = LETTERS.get(value, LETTERS.get(value.lower()))
        return grade if grade is not None else _written(part, value, warnings)
    if isinstance(value, list):
        warnings.append(_unreadable(part))
        return None
    if isinstance(value, float) and value != value:
        return None
    return part.reward()


def _unreadable(part: JsonValue) -> str:
    return message(
        "a score of {scorer} is neither a number, nor C, P, I or N, nor an object of them: not "
        "scored",
        scorer=legible(str(part.path[-2])),
    )


def _written(part: JsonValue, value: str, warnings: list[str]) -> float | None:
    try:
        return JsonValue(float(value), part.file, part.line, part.path).number()
    except ValueError:
        warnings.append(_unreadable(part))
        return None


def _usage(part: JsonValue) -> dict[str, float | int | None]:
    return {
        **_usage_of(part["model_usage"]),
        "elapsed_ms": milliseconds(part["total_time"].amount()),
    }


def _usage_of(models: JsonValue) -> dict[str, float | int | None]:
    """The tokens and the cost of all models together. models: the field `model_usage`."""
    used = list(models.fields())
    return {
        "tokens_total": total(usage["total_tokens"].count() for _, usage in used),
        "input_tokens": total(_input(model, usage) for model, usage in used),
        "output_tokens": total(usage["output_tokens"].count() for _, usage in used),
        "cost_usd": total(usage["total_cost"].amount() for _, usage in used),
    }


def _input(model: str, used: JsonValue) -> int | None:
    """The input tokens of a model, each once."""
    plain = used["input_tokens"].count()
    cached = sum(used[kind].count() or 0 for kind in CACHED)
    if plain is None or not cached:
        return plain
    return plain + cached if _is_beside(model, used, plain, cached) else plain


def _is_beside(model: str, used: JsonValue, plain: int, cached: int) -> bool:
    """Whether the cached tokens are not among the input tokens."""
    output = used["output_tokens"].count() or 0
    reasoning = used["reasoning_tokens"].count() or 0
    whole = used["total_tokens"].count()
    if cached > plain:
        return True
    if whole in (plain + output, plain + output + reasoning):
        return False
    if whole in (plain + cached + output, plain + cached + output + reasoning):
        return True
    return any(provider in model.casefold() for provider in BESIDE)


def _error(part: JsonValue, rewards: dict[str, float | None] | None) -> str:
    error = part["error"]
    message = error["message"].value if isinstance(error.value, dict) else error.value
    if isinstance(message, str):
        return failure("", message)
    return "not scored" if rewards is None else ""


def _attempt(log: JsonValue, samples: list[SampleRow], participant: str) -> ImportedAttempt:
    about = log["eval"]
    model, solver = about["model"].words(), about["solver"].words()
    stated = file_metrics_of(log["results"]["scores"])
    meta = {
        "agent": solver,
        "model": model,
        "dataset": about["task"].words(),
        "job": about["run_id"].words(),
        "version": about["task_version"].words(),
        "harness": f"inspect-ai {about['packages']['inspect_ai'].words()}".strip(),
    }
    identity = [about[key].words() for key in ("eval_id", "run_id", "task_id", "created", "task")]
    done = sorted((row["task"], row["sample"]) for row in samples)
    return ImportedAttempt(
        participant=participant or participant_name(solver, model),
        source_id=source_id(KEY, identity, model, done),
        meta={key: value for key, value in meta.items() if value},
        samples=owing(samples),
        metrics=facts(samples),
        file_metrics=stated.values,
        specs=stated.specs,
        error_specs=stated.error_specs,
        submitted_at=log["stats"]["completed_at"].moment() or about["created"].moment(),
        run=run_of(
            meta,
            "inspect-ai",
            agent_version="",
            tool_version=about["packages"]["inspect_ai"].words(),
            started_at=moment_text(log["stats"]["started_at"].moment()),
            finished_at=moment_text(log["stats"]["completed_at"].moment()),
            conditions=conditions_of(about["config"]),
        ),
    )


IMPORTER = Importer(
    KEY,
    message("inspect-ai log"),
    message("a log as .eval or .json, or a folder of logs"),
    recognises,
    reads,
)
