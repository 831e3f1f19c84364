"""Whether a server is the only one of its data folder."""

from __future__ import annotations

import fcntl
from pathlib import Path
from typing import IO

_held: list[IO[bytes]] = []
"""Open until the process ends, and with it the lock."""


def is_alone(folder: Path) -> bool:
    """Lock the data folder for this server; False if another server that runs has locked it."""
    file = Path(folder, "server.lock").open("ab")  # noqa: SIM115 - held until the process ends
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        return False
    _held.append(file)
    return True
