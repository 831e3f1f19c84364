"""`python -m leaderboard.sandbox.starter USER COMMAND…` lets plugins run as another user.

A container that starts as root with the capabilities SETUID, SETGID and KILL can run plugins as
another user than the worker, but the worker itself must not stay root. So this program starts as
root and leaves a process behind that starts fork servers (`host/fork_servers.py`) on request. Then
it gives up root for good and becomes the command. The process that stays accepts no other order.
The program that it starts is fixed here, and that program runs only trusted code until its
children have become another user.

Without root, this program only becomes the command.
"""

from __future__ import annotations

import json
import os
import pwd
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from typing import NoReturn

from leaderboard.sandbox.host.fork_servers import COMMAND, ENVIRONMENT, PROJECT, STARTER

_DESCRIPTORS = 2
_LARGEST = 64 * 1024


def main(user: str, command: list[str]) -> NoReturn:
    """Become the command, as the user. Raises OSError if the host does not allow the change."""
    if os.geteuid() == 0:
        account = pwd.getpwnam(user)
        asking, asked = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        if os.fork() == 0:
            _leave_behind(asking, asked)
        os.wait()
        asked.close()
        _give_up_root(account.pw_uid, account.pw_gid)
        os.set_inheritable(asking.fileno(), True)
        os.environ[STARTER] = str(asking.fileno())
    os.execvp(command[0], command)  # noqa: S606 - no shell is what is wanted


def _leave_behind(asking: socket.socket, asked: socket.socket) -> NoReturn:
    """Continue in a grandchild, so that the command has no child that it did not start."""
    if os.fork() == 0:
        asking.close()
        os.setsid()
        _start_fork_servers(asked)
    os._exit(0)


def _give_up_root(uid: int, gid: int) -> None:
    os.setgroups([])
    os.setresgid(gid, gid, gid)
    os.setresuid(uid, uid, uid)
    with suppress(OSError):
        os.setresuid(0, 0, 0)
        raise SystemExit("root could not be given up")


def _start_fork_servers(asked: socket.socket) -> NoReturn:
    """Start a fork server for each message, until all askers have closed the socket.

    Each fork server ends with the process that asked for it.
    """
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        text, descriptors, _, _ = socket.recv_fds(asked, _LARGEST, _DESCRIPTORS)
        if not text:
            os._exit(0)
        if len(descriptors) == _DESCRIPTORS:
            _start(json.loads(text), *descriptors)
        for descriptor in descriptors:
            os.close(descriptor)


def _start(preload: list[str], control: int, errors: int) -> None:
    order = {"control": control, "preload": preload}
    subprocess.Popen(
        [*COMMAND, PROJECT, json.dumps(order)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=errors,
        env=ENVIRONMENT,
        pass_fds=[control],
        start_new_session=True,
    )


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
