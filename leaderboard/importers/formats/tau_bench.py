"""τ-bench: the list of runs that its `run.py` writes, one for each task and trial.

Only the name of the file says the agent. Tracebacks and the user's instructions are not imported. A
run that raised an exception is a failed sample; τ-bench counts it as 0 too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from leaderboard.importers.reading.evidence import trajectory_of
from leaderboard.importers.reading.harness import any_scored, broken, file_stem
from leaderboard.importers.reading.imports import ImportedAttempt
from leaderboard.importers.reading.json_files import JsonFiles
from leaderboard.importers.reading.json_place import JsonValue, ValuePath
from leaderboard.importers.reading.naming import failure
from leaderboard.importers.reading.sample_row import SampleRow
from leaderboard.importers.reading.samples import NOT_SCORED, numbered, sample, spec
from leaderboard.importers.reading.suggestions import SuggestedMetric, SuggestedPolicy
from leaderboard.importers.reading.tool import ToolRun, Upload, by_metrics, importer
from leaderboard.rules.texts.messages import message

REWARD: Final = "reward"
RUN: Final = ("task_id", "reward", "info", "traj", "trial")
MAX_K: Final = 8

_NAMED: Final = re.compile(
    r"(?P<agent>tool-calling|act|react|few-shot)-(?P<model>.+)-(?P<temperature>[\d.]+)"
    r"_range_-?\d+--?\d+_user-(?P<user>.+)-(?P<strategy>llm|react|verify|reflection|human)_\d+"
)


def _is_runs(document: JsonValue) -> bool:
    """Whether it is a list of runs with task, reward, trajectory and trial."""
    if not isinstance(document.value, list) or not document.value:
        return False
    return all(key in document[0] for key in RUN)


FILES: Final = JsonFiles(_is_runs, marks=(b'"task_id"', b'"reward"', b'"info"'), looked_at=50)


def runs(upload: Upload) -> Iterator[ToolRun]:
    """One run for each file."""
    for document in upload.documents(FILES):
        in_order = sorted(document.items(), key=_trial)
        samples = numbered(map(_sample, in_order))
        named = _NAMED.fullmatch(file_stem(document.file))
        about = named.groupdict() if named else {}
        meta = {name: about.get(name, "") for name in ("agent", "model", "user")}
        yield ToolRun(
            document.file,
            (about, samples),
            {**meta, "harness": "tau-bench"},
            samples=samples,
            evidence=[
                part
                for row, run in zip(samples, in_order, strict=True)
                for part in trajectory_of(row, _steps(run))
            ],
        )


def passes(
    attempts: Sequence[ImportedAttempt], *, failed: SuggestedPolicy | None = None
) -> list[SuggestedMetric]:
    """pass^k for each k up to the trials that every task has, and the mean reward.

    failed: how the metrics treat failed trials; with `exclude`, these do not count.
    """
    scored_only = failed == "exclude"
    trials = Counter(
        (at, row["task"])
        for at, attempt in enumerate(attempts)
        for row in attempt.samples
        if not scored_only or any_scored(row["rewards"])
    )
    ks = range(1, min(MAX_K, min(trials.values())) + 1) if trials else ()
    return [
        *(spec(f"pass^{k}:unbiased", REWARD, failed=failed) for k in ks),
        spec("mean", REWARD, failed=failed),
    ]


def _trial(run: JsonValue) -> int:
    trial = run["trial"].count()
    if trial is None:
        raise run["trial"].fail(message("must be a whole number from 0"))
    return trial


def _steps(run: JsonValue) -> tuple[str, ValuePath] | None:
    steps = run["traj"]
    return (steps.file, steps.path) if steps.value else None


def _sample(run: JsonValue) -> SampleRow:
    task, error = run["task_id"].name_or_number(), run["info"]["error"]
    if isinstance(error.value, str):
        return broken(task, (REWARD,), {}, failure("", error.value))
    reward = run["reward"].reward()
    if reward is None:
        return broken(task, (REWARD,), {}, NOT_SCORED)
    return sample(task, {REWARD: reward})


IMPORTER = importer(
    "tau-bench",
    message("tau-bench"),
    message("the list of runs that run.py writes, under its own name"),
    FILES.recognise,
    runs,
    missing=message("must contain runs of tau-bench; got a file without any"),
    suggests=by_metrics(passes, (REWARD,)),
)
