"""The verb `command`: run a program with files to read, and send the files that it writes.

The program has the rights of this child and a filter of system calls, so it can start no process
and use no network. This process only waits for it, then sends its results to the host, which trusts
neither.
"""

import json
import os
import resource
import stat
import sys
from base64 import b64encode
from collections.abc import Callable, Iterator
from time import monotonic
from typing import BinaryIO

from leaderboard.sandbox.child.programs import OPTIONS, become, status_of
from leaderboard.sandbox.contract import OUTPUT, PREPARED, SCRATCH
from leaderboard.sandbox.jobs import CommandJob
from leaderboard.sandbox.server.layers.root import WORK
from leaderboard.sandbox.server.places import interpreter_of, local_path

PIECE_BYTES = 96 << 10
_KIB = 1024 if sys.platform != "darwin" else 1

_Write = Callable[[str], None]


def answer_command(job: CommandJob, requests: BinaryIO, write: _Write) -> None:
    """Run the program, then answer how it ended, and with its results.

    The first line is `{"status", "seconds", "peak_bytes"}`, or `{"refused": true}` for a program
    that this host cannot run. Each file follows as `{"file": name}`, lines in base 64, and an empty
    line; the last line is `{"left_out": count}`. A program that failed has no results.
    """
    work = os.getcwd()
    if job["has_fixed_paths"] and work != WORK:
        write('{"refused": true}')
        return
    for folder in SCRATCH:
        os.makedirs(os.path.join(work, os.path.basename(folder)), exist_ok=True)
    started = monotonic()
    pid = os.fork()
    if pid == 0:
        _run(job, work)
    status = status_of(pid, job["seconds"])
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * _KIB
    ending = {"status": status, "seconds": monotonic() - started, "peak_bytes": peak}
    write(json.dumps(ending))
    limits = (job["result_bytes"], job["result_files"]) if status == 0 else (0, 0)
    _send_results(local_path(OUTPUT, {}, work, SCRATCH), *limits, write)


def _run(job: CommandJob, work: str) -> None:
    def here(text: str) -> str:
        return local_path(text, job["places"], work, SCRATCH)

    temporary = os.path.join(work, os.path.basename(SCRATCH[-1]))
    names = ("HOME", "TMPDIR", "MPLCONFIGDIR", "NUMBA_CACHE_DIR", "HF_HOME")
    environment = dict(os.environ) | dict.fromkeys(names, temporary)
    environment |= {name: here(value) for name, value in job["environment"].items()}
    try:
        os.chdir(here(job["folder"]))
    finally:
        python = interpreter_of(here(PREPARED) if job["prepared"] else "")
        command = [python, "-s", *OPTIONS, *map(here, job["arguments"])]
        become(command, environment, filtered=job["filtered"])


def _send_results(folder: str, left_bytes: int, left_files: int, write: _Write) -> None:
    left_out = 0
    for name, descriptor in _files(folder):
        with open(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            fits = status.st_size <= left_bytes and left_files > 0
            if not stat.S_ISREG(status.st_mode) or not fits:
                left_out += 1
                continue
            left_bytes, left_files = left_bytes - status.st_size, left_files - 1
            write(json.dumps({"file": name}))
            while piece := file.read(PIECE_BYTES):
                write(b64encode(piece).decode())
            write("")
    write(json.dumps({"left_out": left_out}))


def _files(folder: str) -> Iterator[tuple[str, int]]:
    """The names and descriptors of the files below a folder. No link is followed."""
    for place, _, names, parent in os.fwalk(folder):
        for name in sorted(names):
            try:
                # Not blocking: opening a named pipe would wait.
                flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
                descriptor = os.open(name, flags, dir_fd=parent)
            except OSError:
                continue
            yield os.path.relpath(os.path.join(place, name), folder), descriptor
