"""Harbor job folders: a `result.json` for the job and one for each trial.

All values come from the trials; values in the job's own file are only stored beside them. A trial
becomes a sample, so "trial" means only Harbor's files here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final

from leaderboard.importers.reading.errors import ImportFailed, Unsafe, legible, problem_of
from leaderboard.importers.reading.evidence import EvidencePart
from leaderboard.importers.reading.harness import StatedValues, token_usage
from leaderboard.importers.reading.imports import Import, ImportedAttempt, Importer
from leaderboard.importers.reading.json_files import with_first
from leaderboard.importers.reading.json_place import JsonValue
from leaderboard.importers.reading.naming import failure, source_id
from leaderboard.importers.reading.run_facts import moment_text, run_of
from leaderboard.importers.reading.samples import (
    facts,
    milliseconds,
    numbered,
    owing,
    sample,
    suggested,
    total,
)
from leaderboard.importers.reading.source import Source
from leaderboard.importers.tools.harbor_file_metrics import file_metrics_of
from leaderboard.importers.tools.harbor_rewards import contradicted, rewards_of
from leaderboard.importers.tools.harbor_runs import JobFiles, evidence_of, trial_run
from leaderboard.importers.tools.harbor_trials import (
    HarborGroup,
    HarborTrial,
    changed_tasks,
    names_of,
)
from leaderboard.rules.texts.messages import counted, message

KEY: Final = "harbor-job"
RESULT: Final = "result.json"
ADHOC: Final = "adhoc"


def recognises(source: Source) -> bool:
    """A folder with results of trials or of a job, or a single result."""
    if source.single:
        return source.document is not None and _kind(source.document) != ""
    parts = map(source.try_json, source.named(RESULT)[:20])
    return any(part is not None and _kind(part) for part in parts)


def reads(source: Source, participant: str) -> Import:
    """One attempt for each job, agent, version, model, provider and dataset in the trials.

    Trials that cannot be read, or have no result yet, are left out with a warning, as Harbor
    does when it resumes a job.
    """
    warnings = _unfinished(source)
    results = _results(source, warnings)
    jobs = [part for part in results if _kind(part) == "job"]
    files = JobFiles(source)
    trials = _trials(source, files, (part for part in results if _kind(part) == "trial"), warnings)
    if not trials:
        return _without_trials(source, jobs, warnings)
    groups: dict[HarborGroup, list[HarborTrial]] = defaultdict(list)
    for trial in trials:
        groups[trial.group].append(trial)
    warnings += _missing(jobs, trials)
    stated = file_metrics_of(source, jobs, groups, warnings)
    names = names_of(groups)
    attempts = [
        _attempt(
            participant or names[group],
            group,
            group_trials,
            stated.get(group, StatedValues()),
            files.version,
            warnings,
        )
        for group, group_trials in groups.items()
    ]
    specs = {spec["name"]: spec for attempt in attempts for spec in attempt.specs.values()}
    metrics = [spec for spec in specs.values() if "undefined" in spec]
    return Import(KEY, attempts, warnings=warnings, suggested=suggested(attempts, metrics))


def _kind(part: JsonValue) -> str:
    if "trial_name" in part and "agent_info" in part:
        return "trial"
    return "job" if "n_total_trials" in part and "stats" in part else ""


def _results(source: Source, warnings: list[str]) -> list[JsonValue]:
    results = []
    for name in source.named(RESULT):
        try:
            results.append(source.json(name))
        except Unsafe:
            raise
        except ImportFailed as error:
            warnings.append(message("left out: {error}", error=problem_of(error)))
    return results


def _trials(
    source: Source, files: JobFiles, parts: Iterable[JsonValue], warnings: list[str]
) -> list[HarborTrial]:
    trials: dict[tuple[str, str], HarborTrial] = {}
    for part in parts:
        try:
            trial = _trial(source, files, part, warnings)
        except Unsafe:
            raise
        except ImportFailed as error:
            warnings.append(message("left out: {error}", error=problem_of(error)))
            continue
        if (trial.group.job, trial.id) in trials:
            warnings.append(
                message(
                    "left out: {file}: the same trial stands there twice", file=legible(part.file)
                )
            )
        trials.setdefault((trial.group.job, trial.id), trial)
    start = datetime.min.replace(tzinfo=UTC)
    return sorted(trials.values(), key=lambda trial: (trial.started or start, trial.id))


def _trial(source: Source, files: JobFiles, part: JsonValue, warnings: list[str]) -> HarborTrial:
    steps = list(part["step_results"].items())
    rewards = _rewards(source, part, warnings)
    run = trial_run(source, part, files)
    return HarborTrial(
        group=_group(part),
        id=part["id"].name(),
        checksum=part["task_checksum"].words(),
        started=part["started_at"].moment(),
        finished=part["finished_at"].moment(),
        sample=sample(
            part["task_name"].name(),
            rewards,
            _usage(part, steps),
            _error(part, rewards),
            run,
        ),
        evidence={
            kind: file
            for kind, file in evidence_of(source, part).items()
            if kind in run.get("evidence", ())
        },
    )


def _group(part: JsonValue) -> HarborGroup:
    agent = part["agent_info"]
    model = agent["model_info"]
    return HarborGroup(
        job=part["config"]["job_id"].words(),
        agent=agent["name"].name(),
        version=agent["version"].words(),
        model=model["name"].words(),
        provider=model["provider"].words(),
        dataset=part["source"].words() or ADHOC,
    )


def _rewards(
    source: Source, part: JsonValue, warnings: list[str]
) -> dict[str, float | None] | None:
    rewards = part["verifier_result"]["rewards"]
    if rewards.value is None:
        return None
    numbers = rewards_of(rewards)
    if part["step_results"].value is None:
        warnings += contradicted(source, part.file, numbers)
    return {**numbers}


def _usage(part: JsonValue, steps: list[JsonValue]) -> dict[str, float | int | None]:
    used = [part] if part["agent_result"].value is not None else steps
    results = [step["agent_result"] for step in used]
    return {
        **token_usage(
            total(result["n_input_tokens"].count() for result in results),
            total(result["n_output_tokens"].count() for result in results),
        ),
        "elapsed_ms": _elapsed(part, steps),
        "cost_usd": total(result["cost_usd"].amount() for result in results),
    }


def _elapsed(part: JsonValue, steps: list[JsonValue]) -> int | None:
    """The usage of the agent, or of the whole trial if Harbor did not time the agent."""
    agent = total(_span(step["agent_execution"]) for step in [part, *steps])
    seconds = agent if agent is not None else _span(part)
    return milliseconds(seconds)


def _span(part: JsonValue) -> float | None:
    started, finished = part["started_at"].moment(), part["finished_at"].moment()
    if started is None or finished is None:
        return None
    return max(0.0, (finished - started).total_seconds())


def _error(part: JsonValue, rewards: dict[str, float | None] | None) -> str:
    wrong = part["exception_info"]
    if wrong.value is not None:
        return failure(wrong["exception_type"].words(), wrong["exception_message"].text())
    return "the verifier gave no rewards" if rewards is None else ""


def _attempt(
    participant: str,
    group: HarborGroup,
    trials: list[HarborTrial],
    stated: StatedValues,
    harbor_version: str,
    warnings: list[str],
) -> ImportedAttempt:
    warnings += changed_tasks(participant, trials)
    samples = numbered(trial.sample for trial in trials)
    ids = sorted(trial.id for trial in trials)
    meta = {key: value for key, value in group.__dict__.items() if value}
    return ImportedAttempt(
        participant=participant,
        source_id=source_id(KEY, group.__dict__, ids),
        meta=meta,
        run=run_of(
            meta,
            "harbor",
            tool_version=harbor_version,
            started_at=moment_text(
                min(filter(None, (trial.started for trial in trials)), default=None)
            ),
            finished_at=moment_text(
                max(filter(None, (trial.finished for trial in trials)), default=None)
            ),
        ),
        samples=owing(samples),
        metrics=facts(samples),
        file_metrics=stated.values,
        specs=stated.specs,
        evidence=[
            EvidencePart(task=row["task"], sample=row["sample"], kind=kind, file=file)
            for row, trial in zip(samples, trials, strict=True)
            for kind, file in trial.evidence.items()
        ],
        submitted_at=max((trial.finished for trial in trials if trial.finished), default=None),
    )


def _unfinished(source: Source) -> list[str]:
    folders = [name.rpartition("/")[0] for name in source.named("trial.log", "config.json")]
    waiting = {
        folder for folder in folders if "__" in folder.rpartition("/")[2] and not source.single
    }
    return [
        message(
            "left out: {folder} has no {result}: the trial is unfinished",
            folder=legible(folder),
            result=RESULT,
        )
        for folder in sorted(waiting)
        if f"{folder}/{RESULT}" not in source
    ]


def _missing(jobs: list[JsonValue], trials: list[HarborTrial]) -> list[str]:
    wanted = sum(job["n_total_trials"].count() or 0 for job in jobs)
    if len(trials) >= wanted:
        return []
    return [
        counted(
            "the job announces {count} trial; {here} of them are here with a result",
            "the job announces {count} trials; {here} of them are here with a result",
            wanted,
            here=len(trials),
        )
    ]


def _without_trials(source: Source, jobs: list[JsonValue], warnings: list[str]) -> Import:
    if not jobs:
        raise ImportFailed(
            with_first(
                message("must contain a readable result of a trial; got a file without any"),
                warnings,
            ),
            file=source.label,
        )
    alone = message(
        "{file} is the result of a job and holds no trials: upload the whole job folder as zip "
        "or tar, so that the metrics can be computed from its trials",
        file=legible(jobs[0].file),
    )
    return Import(KEY, warnings=[*warnings, alone])


IMPORTER = Importer(
    KEY,
    message("Harbor job"),
    message("a job folder as zip or tar, or the result.json of one trial"),
    recognises,
    reads,
)
