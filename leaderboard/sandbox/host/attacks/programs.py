"""Attacks of a hostile program of a challenge, for the report.

One program tries all of them: it reads a file that it was not given, as a truth is, writes into its
input, and starts a process.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from leaderboard.sandbox.contract import (
    LANDLOCK,
    ROOT,
    SECCOMP,
    USER,
    Command,
    SandboxSettings,
    ThreatReport,
)
from leaderboard.sandbox.host.commands import COMMAND_LIMITS, run_command

PROGRAM_ATTACKS: Final[dict[str, tuple[str, ...]]] = {
    "programs: hidden files": (ROOT, LANDLOCK),
    "programs: changing input": (ROOT, LANDLOCK, USER),
    "programs: processes": (SECCOMP,),
}
"""The attacks, and the layers that protect against each."""
_SECONDS = 10.0
_PROGRAM = """
import json, os, sys
given, out = sys.argv[1:]

def read():
    open(HIDDEN).close()
    return "read a file that it was not given"

def write():
    open(os.path.join(given, "main.py"), "a").close()
    return "opened its input for writing"

def fork():
    if os.fork() == 0:
        os._exit(0)
    return "started a process"

done = {}
for name, attack in zip(NAMES, (read, write, fork)):
    try:
        done[name] = attack()
    except OSError:
        pass
with open(os.path.join(out, "done.json"), "w") as file:
    json.dump(done, file)
"""


def attack_as_program(
    settings: SandboxSettings, hidden: str, layers: frozenset[str]
) -> Iterator[ThreatReport]:
    """Yield what each attack did. hidden: a file of this host. layers: those in force."""
    with (
        tempfile.TemporaryDirectory(prefix="podium-attack-") as folder,
        tempfile.TemporaryDirectory() as results,
    ):
        program = Path(folder, "main.py")
        program.write_text(
            f"NAMES, HIDDEN = {list(PROGRAM_ATTACKS)}, {hidden!r}\n{_PROGRAM}", encoding="utf-8"
        )
        program.chmod(0o644)
        Path(folder).chmod(0o755)
        arguments = ("main.py", "/app/program", "/app/output")
        command = Command(arguments, "/app/program", {"/app/program": folder})
        limits = replace(COMMAND_LIMITS, memory_bytes=settings.limits.memory_bytes)
        ended = run_command(settings, command, Path(results), seconds=_SECONDS, limits=limits)
        if ended.failure is not None:
            for name in PROGRAM_ATTACKS:
                yield ThreatReport(name, None, (), f"no program can run: {ended.failure.message}")
            return
        done = json.loads(Path(results, "done.json").read_bytes())
    for name, stopped_by in PROGRAM_ATTACKS.items():
        by = tuple(layer for layer in stopped_by if layer in layers)
        yield ThreatReport(name, name not in done, () if name in done else by, done.get(name, ""))
