"""In the worker: finds out what the isolation enforces, by attacking it.

Each threat of `attacks.py` is tried by a fresh child against something real: a listening socket,
a readable file, a process that may be killed. What was stopped is enforced; that a call returned
without an error proves nothing.
"""

import os
import secrets
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from leaderboard.sandbox import confinement as layers
from leaderboard.sandbox.contract import (
    IsolationReport,
    SandboxError,
    SandboxSettings,
    ThreatReport,
)
from leaderboard.sandbox.layers import namespaces
from leaderboard.sandbox.layers.linux import is_linux
from leaderboard.sandbox.outcomes import NoAnswer, parse
from leaderboard.sandbox.pipes import Child, Gone, Late
from leaderboard.sandbox.stems import ENVIRONMENT

Spawn = Callable[[dict[str, Any], int], Child]

_SECONDS = 10.0
_SHORT_SECONDS = 0.1
_DYING_SECONDS = 2.0
_CLOCK = "worker's clock"

_NETWORK = (namespaces.NETWORK, layers.SECCOMP)
_FILES = (layers.ROOT, layers.LANDLOCK)
_OTHERS = (namespaces.PROCESSES, layers.SECCOMP)
_STOPPED_BY: dict[str, tuple[str, ...]] = {
    "tcp": (*_NETWORK, layers.LANDLOCK),
    "udp": _NETWORK,
    "unix sockets": (layers.ROOT, layers.SECCOMP),
    "abstract sockets": (*_NETWORK, layers.LANDLOCK),
    "writing files": _FILES,
    "shared memory": _FILES,
    "reading files": _FILES,
    "worker's environment": (*_FILES, layers.USER),
    "looking into processes": (*_OTHERS, layers.USER, layers.NO_NEW_PRIVILEGES),
    "killing processes": (*_OTHERS, layers.USER, layers.LANDLOCK),
    "memory": (layers.RLIMITS,),
    "file size": (layers.RLIMITS,),
    "processes": (layers.SECCOMP, layers.RLIMITS),
    "daemons": (*_OTHERS, layers.SUBREAPER),
    "programs": (layers.SECCOMP, layers.LANDLOCK),
    "user namespaces": (layers.SECCOMP,),
    "io_uring": (layers.SECCOMP,),
    "secrets in the environment": (layers.ENVIRONMENT,),
    "inherited descriptors": (layers.DESCRIPTORS,),
    "root": (layers.USER, layers.CAPABILITIES, namespaces.USERS),
    "time": (_CLOCK,),
}
"""Threats, in the order of the report, and the layers that stand against each."""


_LINUX_ONLY = ("abstract sockets", "shared memory", "user namespaces", "io_uring")


def attack_everything(settings: SandboxSettings, spawn: Spawn) -> IsolationReport:
    """Try every threat. Takes some tenths of a second. Raises SandboxError, ZygoteDied."""
    with ExitStack() as stack:
        target = Target(stack, settings)
        threats = [_attack(name, target, spawn) for name in _STOPPED_BY]
    missing = [f"{name}: {why}" for name, why in sorted(target.refused.items())]
    missing += [f"{each.name}: open, {each.note}" for each in threats if each.enforced is False]
    if settings.isolation == "off":
        missing.insert(0, "isolation is turned off")
    return IsolationReport(
        settings.isolation, threats, tuple(sorted(target.layers)), tuple(missing)
    )


def _attack(name: str, target: "Target", spawn: Spawn) -> ThreatReport:
    if name in _LINUX_ONLY and not is_linux():
        return ThreatReport(name, None, (), "there is nothing of the kind on this system")
    child = spawn({"verb": "attack", "attack": name, "target": target.shown}, int(_SECONDS))
    try:
        is_open, note = _answer(name, child)
    finally:
        child.end()
    target.layers, target.refused = child.layers, child.refused
    if name == "daemons":  # starting one is no harm; what counts is whether it lived on
        is_open, note = child.survived, note if child.survived else "nothing was left behind"
    if name == "killing processes":
        is_open = is_open and target.has_lost_its_victim()
    if is_open:
        return ThreatReport(name, False, (), note)
    in_force = {*child.layers, _CLOCK}
    by = tuple(layer for layer in _STOPPED_BY[name] if layer in in_force)
    return ThreatReport(name, True, by, note)


def _answer(name: str, child: Child) -> tuple[bool, str]:
    try:
        answer = parse(child.next_line(_SHORT_SECONDS if name == "time" else _SECONDS))
        return bool(answer["open"]), str(answer["note"])
    except Late:
        return False, "stopped at its deadline"
    except Gone:
        return name == "programs", "another program ran in its place, or it crashed"
    except (NoAnswer, TypeError, KeyError) as error:
        raise SandboxError(f"the attack {name} gave no answer: {error}") from None


class Target:
    """Real things to attack, put up for the time of a report.

    `shown` is what an attacker is told. `layers` and `refused` are those of the last child.
    """

    def __init__(self, stack: ExitStack, settings: SandboxSettings) -> None:
        self.layers: frozenset[str] = frozenset()
        self.refused: dict[str, str] = {}
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="podium-target-")))
        folder.chmod(0o755)
        udp = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        udp.bind(("127.0.0.1", 0))
        self._victim = stack.enter_context(_victim())
        tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        name = f"podium-{secrets.token_hex(8)}"
        _listen(stack, str(folder / "socket"))
        if is_linux():
            _listen(stack, "\0" + name)
        self.shown = {
            "tcp_port": tcp.getsockname()[1],
            "udp_port": udp.getsockname()[1],
            "unix_path": str(folder / "socket"),
            "abstract_name": name,
            "open_folder": _open_folder(folder),
            "files": [*_files(folder), __file__],
            "worker": os.getpid(),
            "victim": self._victim.pid,
            "memory_bytes": settings.limits.memory_bytes,
            "file_bytes": settings.limits.file_bytes,
            "environment": [*ENVIRONMENT, "HOME", "TMPDIR"],
        }

    def has_lost_its_victim(self) -> bool:
        """Whether the process that was put up to be killed has been."""
        with suppress(subprocess.TimeoutExpired):
            self._victim.wait(_DYING_SECONDS)
        return self._victim.returncode is not None


@contextmanager
def _victim() -> Iterator[subprocess.Popen[bytes]]:
    """A process of the worker's user that waits to be killed."""
    waiting = [sys.executable, "-I", "-S", "-c", "import sys; sys.stdin.read()"]
    with subprocess.Popen(waiting, stdin=subprocess.PIPE) as process:
        yield process
        process.kill()


def _listen(stack: ExitStack, address: str) -> None:
    listening = stack.enter_context(socket.socket(socket.AF_UNIX))
    listening.bind(address)
    listening.listen()
    if not address.startswith("\0"):
        os.chmod(address, 0o777)  # noqa: S103 - it is there to be attacked


def _open_folder(folder: Path) -> str:
    """A folder that every user may write to, like a shared temporary folder."""
    opened = folder / "open"
    opened.mkdir()
    opened.chmod(0o777)
    return str(opened)


def _files(folder: Path) -> list[str]:
    """A secret of the worker's user alone and a settings file that everybody may read."""
    secret, settings = folder / "secret", folder / "settings"
    for path, mode in ((secret, 0o600), (settings, 0o644)):
        path.write_text("found", encoding="ascii")
        path.chmod(mode)
    return [str(secret), str(settings)]
