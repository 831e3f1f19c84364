"""The same rewards imported from a table and from JSON, from reading the file to saving attempts.

`python -m benchmarks imports[=N]`, where N is how many samples the file has.
"""

from __future__ import annotations

import json
import multiprocessing
import random
import resource
import tempfile
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple

from django.db import connections

from benchmarks.parts.report import Line, Table
from leaderboard.importers import Source
from leaderboard.models import Challenge, Tenant, User
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.imports.importing import import_file

PER_TASK = 8
PARTICIPANTS = 10
METRICS = ["pass@1", "mean_reward", "pass_rate", "mean"]

Row = tuple[str, str, int, float]
"""Participant, task, number of the sample and reward."""


class Taken(NamedTuple):
    """What an import took: CPU seconds, and MiB above what the process held before."""

    seconds: float
    mebibytes: float


def run(*, attempts: int = 1_000_000) -> Table:
    """Return one table; each file format is measured in a process of its own."""
    files: dict[str, tuple[str, Callable[[int, Path], None]]] = {
        "JSON, `task_rewards`": ("rewards.jsonl", _write_task_rewards),
        "JSON, `samples`": ("samples.jsonl", _write_samples),
        "Podium's table": ("samples.csv", _write_own),
        "any other table": ("table.csv", _write_any),
    }
    lines, baseline = [], 0.0
    with tempfile.TemporaryDirectory(prefix="podium-bench-") as folder:
        for number, (what, (name, write)) in enumerate(files.items()):
            path = Path(folder, name)
            write(attempts, path)
            taken = _taken(path, number)
            baseline = baseline or taken.seconds
            lines.append(
                Line(
                    f"{what}, {path.stat().st_size / 2**20:.0f} MiB",
                    f"{taken.seconds:.1f} s, {taken.mebibytes:.0f} MiB more memory",
                    f"{taken.seconds / baseline:.2f}",
                )
            )
    return Table(f"Imports of {attempts:,} samples of {PARTICIPANTS} participants", lines)


def _taken(path: Path, number: int) -> Taken:
    """Measure the import of a file into a new challenge, in a process of its own."""
    challenge, user = _prepared(number)
    connections.close_all()
    context = multiprocessing.get_context("fork")
    here, other_end = context.Pipe()
    process = context.Process(target=_import, args=(path, challenge, user, other_end))
    process.start()
    taken: Taken = here.recv()
    process.join()
    return taken


def _import(path: Path, challenge: Challenge, user: User, answer: Connection) -> None:
    Path("/proc/self/clear_refs").write_text("5")  # reset the peak of the resident memory
    before, spent = _memory("VmRSS"), _processor()
    with Source.open(path) as source:
        result = import_file(challenge=challenge, user=user, source=source, organiser=True)
    assert len(result.attempts) == PARTICIPANTS, result
    answer.send(Taken(_processor() - spent, _memory("VmHWM") - before))


def _prepared(number: int) -> tuple[Challenge, User]:
    tenant, _ = Tenant.objects.get_or_create(slug="bench", defaults={"name": "Bench"})
    user, _ = User.objects.get_or_create(username="bench")
    fields: dict[str, object] = {
        "name": f"Imports {number}",
        "scoring_strategy": "metric",
        "metrics": METRICS,
        "rank_by": [{"key": "pass@1", "direction": "desc"}],
    }
    return create_challenge(tenant=tenant, user=user, fields=fields), user


def _processor() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _memory(name: str) -> float:
    """Return a field of `/proc/self/status` in MiB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:")) / 1024


def _rows(samples: int) -> Iterator[Row]:
    dice = random.Random(samples)
    per_participant = max(1, samples // PARTICIPANTS)
    for participant in range(PARTICIPANTS):
        for at in range(per_participant):
            reward = round(dice.random(), 4)
            yield f"agent-{participant}", f"task-{at // PER_TASK}", at % PER_TASK, reward


def _write_own(samples: int, path: Path) -> None:
    _write_table(samples, path, "participant,task,sample,reward")


def _write_any(samples: int, path: Path) -> None:
    _write_table(samples, path, "Model,Question,Trial,Score")


def _write_table(samples: int, path: Path, header: str) -> None:
    with path.open("w") as file:
        file.write(f"{header}\n")
        file.writelines(f"{who},{task},{at},{reward}\n" for who, task, at, reward in _rows(samples))


def _write_task_rewards(samples: int, path: Path) -> None:
    evidence_of: dict[str, dict[str, list[float]]] = {}
    for who, task, _, reward in _rows(samples):
        evidence_of.setdefault(who, {}).setdefault(task, []).append(reward)
    _write_lines(path, "task_rewards", evidence_of)


def _write_samples(samples: int, path: Path) -> None:
    evidence_of: dict[str, list[dict[str, object]]] = {}
    for who, task, at, reward in _rows(samples):
        one = {"task": task, "sample": at, "rewards": {"reward": reward}}
        evidence_of.setdefault(who, []).append(one)
    _write_lines(path, "samples", evidence_of)


def _write_lines(path: Path, field: str, evidence_of: dict[str, object]) -> None:
    with path.open("w") as file:
        for who, evidence in evidence_of.items():
            file.write(json.dumps({"participant": who, field: evidence}) + "\n")
