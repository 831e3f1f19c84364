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
    contradicting,
    moment_text,
    sample_run,
    tokens_of,
)
from leaderboard.importers.reading.source import Source
from leaderboard.rules.rewards.runs import SampleRun, TokenCounts

TRAJECTORY: Final = "agent/trajectory.json"
EVIDENCE: Final = {"trajectory": TRAJECTORY, "log": "trial.log"}
LOCK: Final = "lock.json"
LARGEST: Final = 4 << 20
"""Bytes of a trajectory that is read; a larger one is only known to be there."""
NAMES: Final = frozenset(
    {"task", "trial_name", "trials_dir", "job_id", "source_trial", "artifacts"}
)
"""Parts of a trial's config that name it, and are no conditions."""
NOT_IN_LOCK: Final = frozenset({"task", "schema_version", "bridge_inputs"})


class JobLocks:
    """The locks of a job's trials, as far as a job's own `lock.json` tells them apart by task."""

    def __init__(self, source: Source) -> None:
        self._by_task: dict[tuple[str, str], list[JsonValue]] = defaultdict(list)
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

    def of(self, file: str, task: str) -> JsonValue | None:
        """The lock of a trial whose result is in `file`; None if there is none, or several."""
        if name := self._source.beside(file, LOCK):
            return self._source.try_json(name)
        folder = file.rpartition("/")[0].rpartition("/")[0]
        trials = self._by_task.get((folder, task), [])
        return trials[0] if len({str(trial.value) for trial in trials}) == 1 else None

    @property
    def version(self) -> str:
        """The only version of Harbor; "" if it is unknown or there are several."""
        versions = {version for version in self.versions.values() if version}
        return versions.pop() if len(versions) == 1 else ""


def trial_run(source: Source, part: JsonValue, locks: JobLocks) -> SampleRun:
    """How a trial was run. part: its `result.json`."""
    lock = locks.of(part.file, part["task_name"].words())
    conditions = conditions_of(part["config"], NAMES)
    locked = conditions_of(lock, NOT_IN_LOCK) if lock is not None else {}
    trajectory = _trajectory(source, part.file)
    names = list(evidence_of(source, part))
    if trajectory is not None and not _has_steps(trajectory):
        names.remove("trajectory")
    return sample_run(
        id=part["id"].words(),
        task_digest=lock["task"]["digest"].words() if lock is not None else "",
        task_checksum=part["task_checksum"].words(),
        conditions=conditions,
        contradicting=contradicting(conditions, locked),
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
    return isinstance(steps, list) and len(steps) > 0


def _tokens(trajectory: JsonValue | None) -> TokenCounts:
    if trajectory is None or not isinstance(trajectory.value, dict):
        return {}
    final = trajectory["final_metrics"]
    if not isinstance(final.value, dict):
        return {}
    return tokens_of(final, input="total_prompt_tokens", output="total_completion_tokens")


def _items(part: JsonValue) -> Iterable[JsonValue]:
    return part.items() if isinstance(part.value, list) else ()
