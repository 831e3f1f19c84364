"""Real targets for the report's attacks, and checks whether an attack changed them."""

import os
import secrets
import socket
import subprocess
import sys
import tempfile
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path

from leaderboard.sandbox.contract import SandboxSettings
from leaderboard.sandbox.host.fork_servers import ENVIRONMENT, PROJECT
from leaderboard.sandbox.host.views import Views
from leaderboard.sandbox.jobs import AttackTarget

_ECHO = (
    "import sys\nfor line in sys.stdin.buffer: sys.stdout.buffer.write(line), sys.stdout.flush()"
)


_OWN, _OTHERS = "podium_attacker", "podium_others"


class Target:
    """Real things to attack.

    `attack_target` is what an attacker is told. `layers` and `refused` are those of the last child.
    `readable` is a folder that attackers may read. Start the attackers with `settings` and `view`,
    which are those of one plugin next to another.
    """

    def __init__(self, stack: ExitStack, settings: SandboxSettings) -> None:
        self.layers: frozenset[str] = frozenset()
        self.refused: dict[str, str] = {}
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="podium-target-")))
        folder.chmod(0o755)
        self._stack = stack
        self.readable = _folder(folder / "readable", 0o755)
        self._guarded = [_file(folder / "kept", 0o666), _file(Path(self.readable) / "kept", 0o666)]
        self._guarded_before = [_state_of(path) for path in self._guarded]
        plugins, foreign_plugin = _two_plugins(folder / "plugins")
        self.settings = replace(
            settings, path=(*settings.path, plugins), models=(*settings.models, self.readable)
        )
        self.view = Views((_OWN, _OTHERS), (plugins,), {}, PROJECT).of(_OWN)
        self._victim = stack.enter_context(Victim())
        udp = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        udp.bind(("127.0.0.1", 0))
        tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        name = f"podium-{secrets.token_hex(8)}"
        _listen(stack, str(folder / "socket"))
        if sys.platform == "linux":
            _listen(stack, "\0" + name)
        self.attack_target: AttackTarget = {
            "tcp_port": tcp.getsockname()[1],
            "udp_port": udp.getsockname()[1],
            "unix_path": str(folder / "socket"),
            "abstract_name": name,
            # A folder that every user may write to, like a shared temporary folder.
            "open_folder": _folder(folder / "open", 0o777),
            # A secret that only the worker's user may read, and settings that all users may read.
            "files": [_file(folder / "secret", 0o600), _file(folder / "settings", 0o644), __file__],
            "guarded_files": self._guarded,
            "others_plugin": foreign_plugin,
            "worker": os.getpid(),
            "victim": self._victim.pid,
            "memory_bytes": settings.limits.memory_bytes,
            "file_bytes": settings.limits.file_bytes,
            "environment": [*ENVIRONMENT, "HOME", "TMPDIR"],
        }

    def harm_of(self, threat: str) -> bool | None:
        """Whether the last attack did harm; None for a threat that only the attacker can judge."""
        if threat in ("killing processes", "signals by descriptors"):
            return self._has_lost_its_victim()
        if threat in ("changing files", "emptying files"):
            states = [_state_of(path) for path in self._guarded]
            harmed, self._guarded_before = states != self._guarded_before, states
            return harmed
        return None

    def _has_lost_its_victim(self) -> bool:
        """Whether the victim process no longer answers; if so, another one is started."""
        if self._victim.answers():
            return False
        self._victim = self._stack.enter_context(Victim())
        self.attack_target["victim"] = self._victim.pid
        return True


class Victim:
    """A process of the worker's user that answers every line until it is killed."""

    def __init__(self) -> None:
        waiting = [sys.executable, "-I", "-S", "-u", "-c", _ECHO]
        self._here, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(waiting, stdin=theirs.fileno(), stdout=theirs.fileno())
        self.pid = self._process.pid

    def __enter__(self) -> "Victim":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        self._here.close()

    def answers(self) -> bool:
        with suppress(ConnectionError):
            self._here.sendall(b"alive?\n")
            return bool(self._here.recv(64))
        return False


def _state_of(path: str) -> tuple[object, ...]:
    """Everything about a file that an attack might change."""
    status = os.stat(path)
    names = os.listxattr(path) if sys.platform == "linux" else []
    owners = status.st_mode, status.st_uid, status.st_gid
    return (*owners, status.st_size, status.st_mtime_ns, tuple(names))


def _listen(stack: ExitStack, address: str) -> None:
    listening = stack.enter_context(socket.socket(socket.AF_UNIX))
    listening.bind(address)
    listening.listen()
    if not address.startswith("\0"):
        os.chmod(address, 0o777)  # noqa: S103 - it is there to be attacked


def _two_plugins(folder: Path) -> tuple[str, str]:
    """Make a folder with two packages; returns it, and a file of the package under attack."""
    _folder(folder, 0o755)
    for name in (_OWN, _OTHERS):
        _folder(folder / name, 0o755)
        _file(folder / name / "__init__.py", 0o644)
    return str(folder), str(folder / _OTHERS / "__init__.py")


def _folder(path: Path, mode: int) -> str:
    path.mkdir()
    path.chmod(mode)
    return str(path)


def _file(path: Path, mode: int) -> str:
    path.write_text("found", encoding="ascii")
    path.chmod(mode)
    return str(path)
