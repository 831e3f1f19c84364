"""Imitate a host without namespaces and with an older Landlock, by a filter that this side answers.

It applies to every process that the acting child starts. Podium's own code does not know of it.
"""

import errno
from collections.abc import Callable

from leaderboard.sandbox.server.layers import bpf
from leaderboard.sandbox.server.layers.linux import LANDLOCK_CREATE_RULESET, machine
from leaderboard.sandbox.server.layers.seccomp import AUDIT_ARCH
from tests.sandbox.isolation.notified import ASK, Call, run_notified
from tests.sandbox.isolation.refused import REFUSED

_FLAGS, _GET_VERSION = 2, 1


def on_an_old_host(act: Callable[[], None], landlock: int) -> None:
    """Act in a forked child, as in a container that forbids namespaces, on a kernel whose Landlock
    has this version."""
    unshare = REFUSED["unshare"][list(AUDIT_ARCH).index(machine())]
    assert unshare is not None
    asks = bpf.answer(ASK)
    about_version = [bpf.load_argument(_FLAGS), *bpf.if_equal(_GET_VERSION, asks)]
    program = [
        bpf.step(bpf.LOAD, bpf.NUMBER),
        *bpf.if_equal(unshare, asks),
        *bpf.if_equal(LANDLOCK_CREATE_RULESET, [*about_version, *bpf.answer(bpf.ALLOW)]),
        *bpf.answer(bpf.ALLOW),
    ]

    def reply(asked: Call) -> int:
        return landlock if asked.number == LANDLOCK_CREATE_RULESET else -errno.EPERM

    asked = run_notified(act, b"".join(program), reply)
    assert {call.number for call in asked} == {unshare, LANDLOCK_CREATE_RULESET}
