"""How a trial of Harbor was run: its result's config, its lock, and the files beside it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from contextlib import closing
from typing import Final

from leaderboard.importers.reading.errors import ImportFailed, Unsafe
from leaderboard.importers.reading.json_place import JsonValue, parse
from leaderboard.importers.reading.run_facts import (
    conditions_of,
    merged,
    moment_text,
    sample_run,
    tokens_of,
)
from leaderboard.importers.reading.source import Source
from leaderboard.rules.rewards.runs import Conditions, SampleRun, TokenCounts

TRAJECTORY: Final = "agent/trajectory.json"
EVIDENCE: Final = {"trajectory": TRAJECTORY, "log": "trial.log"}
LOCK: Final = "lock.json"
CONFIG: Final = "config.json"
LARGEST: Final = 4 << 20
"""Bytes of a trajectory that is read; a larger one is only known to be there."""
NAMES: Final = frozenset(
    {"task", "trial_name", "trials_dir", "job_id", "source_trial", "artifacts"}
)
"""Parts of a trial's config that name it, and are no conditions."""
NOT_IN_LOCK: Final = frozenset({"task", "schema_version", "bridge_inputs"})
OF_JOB: Final = ("environment", "verifier", "timeout_multiplier")
"""Ends of the names of a job's settings that are conditions of each of its trials."""


class JobFiles:
    """What the files of a job, and those beside a trial's result, say about how trials ran."""

    def __init__(self, source: Source) -> None:
        self._by_task: dict[tuple[str, str], list[JsonValue]] = defaultdict(list)
        self._of_job: dict[str, Conditions] = {}
        self._source = source
        self.versions: dict[str, str] = {}
        for name in source.named(LOCK):
            lock = source.try_json(name)
            if lock is None or "trials" not in lock:
                continue
            folder = name.rpartition("/")[0]
            self.versions[folder] = lock["harbor"]["version"].words()
            for trial in _items(lock["trials"]):
                self._by_task[folder, trial["task"]["name"].words()].append(trial)

    def locks_of(self, part: JsonValue) -> list[JsonValue]:
        """The locks of a trial, its own before those in the lock of its job, which names no ids:
        one that is equal, or else those with the same task and agent, or the same task."""
        beside = self._beside(part.file, LOCK)
        same = self._by_task.get((_job_folder(part.file), part["task_name"].words()), [])
        if beside and any(trial.value == beside[0].value for trial in same):
            return beside
        agent = _agent(part["config"])
        return [*beside, *([trial for trial in same if _agent(trial) == agent] or same)]

    def configs_of(self, part: JsonValue) -> list[Conditions]:
        """The conditions of a trial by the configs beside its result, and in the job's folder."""
        beside = [conditions_of(config, NAMES) for config in self._beside(part.file, CONFIG)]
        folder = _job_folder(part.file)
        if folder not in self._of_job:
            self._of_job[folder] = self._job_config(f"{folder}/{CONFIG}".lstrip("/"))
        return [*beside, self._of_job[folder]]

    def _job_config(self, name: str) -> Conditions:
        config = self._source.try_json(name) if name in self._source else None
        if config is None or "trial_name" in config or not isinstance(config.value, dict):
            return {}
        names_of_trials = frozenset(name for name in config.value if not str(name).endswith(OF_JOB))
        return conditions_of(config, names_of_trials)

    def _beside(self, file: str, own: str) -> list[JsonValue]:
        name = self._source.beside(file, own)
        value = self._source.try_json(name) if name else None
        return [] if value is None else [value]

    @property
    def version(self) -> str:
        """The only version of Harbor; "" if it is unknown or there are several."""
        versions = {version for version in self.versions.values() if version}
        return versions.pop() if len(versions) == 1 else ""


def trial_run(source: Source, part: JsonValue, files: JobFiles) -> SampleRun:
    """How a trial was run. part: its `result.json`."""
    locks = files.locks_of(part)
    conditions_of_locks = [conditions_of(lock, NOT_IN_LOCK) for lock in locks]
    conditions, contradicting = merged(
        conditions_of(part["config"], NAMES), [*conditions_of_locks, *files.configs_of(part)]
    )
    digests = list(filter(None, dict.fromkeys(lock["task"]["digest"].words() for lock in locks)))
    for digest in digests[1:]:
        contradicting = {**contradicting, "task_digest": digest}
    trajectory = _trajectory(source, part.file)
    names = list(evidence_of(source, part))
    if trajectory is not None and not _has_steps(trajectory):
        names.remove("trajectory")
    return sample_run(
        id=part["id"].words(),
        task_digest=digests[0] if digests else "",
        task_checksum=part["task_checksum"].words(),
        conditions=conditions,
        contradicting=contradicting,
        started_at=moment_text(part["started_at"].moment()),
        finished_at=moment_text(part["finished_at"].moment()),
        tokens=tokens_of(
            part["agent_result"],
            input="n_input_tokens",
            output="n_output_tokens",
            cache="n_cache_tokens",
        ),
        trajectory_tokens=_tokens(trajectory),
        evidence=names,
    )


def evidence_of(source: Source, part: JsonValue) -> dict[str, str]:
    """The files that show how a trial went, by their kinds. part: its `result.json`."""
    files = {kind: source.beside(part.file, own) for kind, own in EVIDENCE.items()}
    return {kind: file for kind, file in files.items() if file}


def _trajectory(source: Source, file: str) -> JsonValue | None:
    """The trajectory of a trial; None if there is none that can be read."""
    name = source.beside(file, TRAJECTORY)
    if not name:
        return None
    read = bytearray()
    with closing(source.pieces(name)) as pieces:
        for piece in pieces:
            read += piece
            if len(read) > LARGEST:
                return None
    try:
        return parse(bytes(read), name)
    except Unsafe:
        raise
    except ImportFailed:
        return JsonValue({}, name)


def _has_steps(trajectory: JsonValue) -> bool:
    """Whether a trajectory shows anything; an empty file is no evidence."""
    value = trajectory.value
    steps = value.get("steps") if isinstance(value, dict) else value
    return isinstance(steps, list) and any(steps)


def _tokens(trajectory: JsonValue | None) -> TokenCounts:
    if trajectory is None or not isinstance(trajectory.value, dict):
        return {}
    final = trajectory["final_metrics"]
    if not isinstance(final.value, dict):
        return {}
    return tokens_of(final, input="total_prompt_tokens", output="total_completion_tokens")


def _items(part: JsonValue) -> Iterable[JsonValue]:
    return part.items() if isinstance(part.value, list) else ()


def _job_folder(file: str) -> str:
    return file.rpartition("/")[0].rpartition("/")[0]


def _agent(part: JsonValue) -> list[str]:
    agent = part["agent"]
    if not isinstance(agent.value, dict):
        return []
    return [str(agent.value.get(name) or "") for name in ("name", "import_path", "model_name")]
