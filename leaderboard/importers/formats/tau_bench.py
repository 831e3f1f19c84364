"""τ-bench: the list of runs that its `run.py` writes, one for each task and trial.

Only the name of the file says the agent. Trajectories, tracebacks and the user's instructions are
not imported. A run that raised an exception is a failed sample; τ-bench counts it as 0 too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from leaderboard.importers.reading.errors import ImportFailed
from leaderboard.importers.reading.harness import (
    any_scored,
    broken,
    challenge_for,
    documents,
    file_stem,
    is_one,
    known,
    whose,
)
from leaderboard.importers.reading.imports import Import, ImportedAttempt, Importer
from leaderboard.importers.reading.json_place import Part
from leaderboard.importers.reading.naming import failure, source_id
from leaderboard.importers.reading.sample_row import SampleRow
from leaderboard.importers.reading.samples import numbered, sample, spec
from leaderboard.importers.reading.source import Source
from leaderboard.importers.reading.suggestions import SuggestedMetric, SuggestedPolicy
from leaderboard.rules.texts.messages import message

KEY: Final = "tau-bench"
REWARD: Final = "reward"
MARKS: Final = (b'"task_id"', b'"reward"', b'"info"')
RUN: Final = ("task_id", "reward", "info", "traj", "trial")
MAX_K: Final = 8

_NAMED: Final = re.compile(
    r"(?P<agent>tool-calling|act|react|few-shot)-(?P<model>.+)-(?P<temperature>[\d.]+)"
    r"_range_-?\d+--?\d+_user-(?P<user>.+)-(?P<strategy>llm|react|verify|reflection|human)_\d+"
)


def recognises(source: Source) -> bool:
    """A list of runs with task, reward, trajectory and trial."""
    return is_one(source, "*.json", _is_runs, *MARKS)


def reads(source: Source, participant: str) -> Import:
    """One attempt for each file."""
    found = list(documents(source, "*.json", _is_runs, *MARKS))
    if not found:
        raise ImportFailed(
            message("must contain runs of tau-bench; got a file without any"), file=source.label
        )
    attempts = [_attempt(part, participant) for part in found]
    return Import(KEY, attempts, suggested=challenge_for(attempts, passes(attempts), (REWARD,)))


def passes(
    attempts: Sequence[ImportedAttempt], *, failed: SuggestedPolicy | None = None
) -> list[SuggestedMetric]:
    """pass^k for each k up to the trials that every task has, and the mean reward.

    failed: how the metrics treat failed trials; with `exclude`, these do not count.
    """
    scored_only = failed == "exclude"
    trials = Counter(
        (at, each["task"])
        for at, one in enumerate(attempts)
        for each in one.samples
        if not scored_only or any_scored(each["rewards"])
    )
    ks = range(1, min(MAX_K, min(trials.values())) + 1) if trials else ()
    return [
        *(spec(f"pass^{k}:unbiased", REWARD, failed=failed) for k in ks),
        spec("mean", REWARD, failed=failed),
    ]


def _is_runs(part: Part) -> bool:
    if not isinstance(part.value, list) or not part.value:
        return False
    return all(key in part[0] for key in RUN)


def _attempt(part: Part, participant: str) -> ImportedAttempt:
    runs = sorted(part.items(), key=_trial)
    samples = numbered(_sample(run) for run in runs)
    named = _NAMED.fullmatch(file_stem(part.file))
    of = named.groupdict() if named else {}
    return ImportedAttempt(
        participant=whose(participant, of.get("agent", ""), of.get("model", ""), part.file),
        source_id=source_id(KEY, of, samples),
        meta=known(
            agent=of.get("agent", ""),
            model=of.get("model", ""),
            user=of.get("user", ""),
            harness="tau-bench",
        ),
        samples=samples,
    )


def _trial(run: Part) -> int:
    trial = run["trial"].count()
    if trial is None:
        raise run["trial"].fail(message("must be a whole number from 0"))
    return trial


def _sample(run: Part) -> SampleRow:
    task = _task(run["task_id"])
    error = run["info"]["error"].value
    if isinstance(error, str):
        return broken(task, (REWARD,), {}, failure("", error))
    reward = run["reward"].reward()
    if reward is None:
        return broken(task, (REWARD,), {}, "not scored")
    return sample(task, {REWARD: reward})


def _task(part: Part) -> str:
    return part.checked(str(part.value)) if type(part.value) is int else part.name()


IMPORTER = Importer(
    KEY,
    message("tau-bench"),
    message("the list of runs that run.py writes, under its own name"),
    recognises,
    reads,
)
