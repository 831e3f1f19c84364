"""Whether the kernel has killed a process because the host had no memory left."""

import signal
from contextlib import suppress
from pathlib import Path

from leaderboard.sandbox.contract import CGROUP

COUNTERS = Path("/proc/vmstat")
_NAME = b"oom_kill "


def oom_kills() -> int:
    """How many processes the kernel has killed for memory since it started; 0 if unknown."""
    with suppress(OSError, ValueError):
        for line in COUNTERS.read_bytes().splitlines():
            if line.startswith(_NAME):
                return int(line.removeprefix(_NAME))
    return 0


def was_host_overfull(status: int | None, layers: frozenset[str], kills_before: int) -> bool:
    """Whether a child with this status was killed because the host was overfull.

    kills_before: `oom_kills` when the child started. In a cgroup with a limit of its own, the child
    is to blame.
    """
    return status == -signal.SIGKILL and CGROUP not in layers and oom_kills() > kills_before
