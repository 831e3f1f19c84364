"""Find the processes of an installation by their role."""

import os
import signal
from contextlib import suppress
from pathlib import Path

from tests.full.stack import Stack
from tests.processes import Member, family


def of(stack: Stack, program: str) -> set[Member]:
    """Return one of the stack's programs and all its descendants."""
    return family(stack.process(program).pid)


def parent(stack: Stack, program: str) -> set[Member]:
    pid = stack.process(program).pid
    return {member for member in of(stack, program) if member.pid == pid}


def pool(stack: Stack, program: str) -> set[Member]:
    """Return the processes that the program has forked to do its work."""
    pid = stack.process(program).pid
    return {
        member
        for member in of(stack, program)
        if _parent(member) == pid and not _is_sandbox(member)
    }


def sandboxes(stack: Stack) -> set[Member]:
    """Return the processes from which a worker's sandboxes fork."""
    apart = {member for member in of(stack, "worker") if _is_sandbox(member)}
    pids = {member.pid for member in apart}
    return {member for member in apart if _parent(member) not in pids}


def children(stack: Stack) -> set[Member]:
    """Return the processes that a sandbox forked last: those that run plugins, and idle ones."""
    apart = {member for member in of(stack, "worker") if _is_sandbox(member)}
    parents = {_parent(member) for member in apart}
    return {member for member in apart if member.pid not in parents}


def kill_9(members: set[Member]) -> None:
    """Kill immediately and do not wait: others may be started in their place."""
    for member in members:
        send(member, signal.SIGKILL)


def send(member: Member, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(member.pid, number)


def _is_sandbox(member: Member) -> bool:
    """Return whether a process is part of a sandbox: only these run isolated from the
    environment."""
    return "\0-I\0" in _read(member, "cmdline")


def _parent(member: Member) -> int:
    fields = _read(member, "stat").rpartition(")")[2].split()
    return int(fields[1]) if fields else 0


def _read(member: Member, name: str) -> str:
    try:
        return Path(f"/proc/{member.pid}/{name}").read_text()
    except OSError:
        return ""
