"""Find out what the isolation enforces, by attacking it.

A fresh child tries each threat of `attacks.py` against something real: a listening socket, a
readable file, a process that may be killed. A protection is enforced if the attack had no effect;
the error code of a call proves nothing.
"""

import json
import sys
from contextlib import ExitStack

from leaderboard.sandbox.contract import (
    CAPABILITIES,
    CGROUP,
    DESCRIPTORS,
    ENVIRONMENT,
    LANDLOCK,
    NETWORK,
    NO_NEW_PRIVILEGES,
    PROCESSES,
    RLIMITS,
    ROOT,
    SECCOMP,
    SUBREAPER,
    USER,
    USERS,
    IsolationReport,
    SandboxError,
    SandboxSettings,
    ThreatReport,
)
from leaderboard.sandbox.host.attacks.programs import attack_as_program
from leaderboard.sandbox.host.attacks.submissions import CLOCK, attack_as_submission
from leaderboard.sandbox.host.outcomes import NoAnswer, parse
from leaderboard.sandbox.host.pipes import Child, ChildExited, DeadlineExceeded, ZygoteDied
from leaderboard.sandbox.host.targets import Target
from leaderboard.sandbox.host.zygote import ZygoteClient
from leaderboard.sandbox.jobs import AttackJob

_SECONDS = 10.0
_SHORT_SECONDS = 0.1
_WATCH = "fork server's watch"

_NETWORK = (NETWORK, SECCOMP)
_FILES = (ROOT, LANDLOCK)
_OTHERS = (PROCESSES, SECCOMP)
_STOPPED_BY: dict[str, tuple[str, ...]] = {
    "tcp": (*_NETWORK, LANDLOCK),
    "udp": _NETWORK,
    "unix sockets": (ROOT, SECCOMP),
    "abstract sockets": (*_NETWORK, LANDLOCK),
    "writing files": _FILES,
    "shared memory": _FILES,
    "reading files": _FILES,
    "others' plugins": _FILES,
    "worker's environment": (*_FILES, USER),
    "looking into processes": (*_OTHERS, USER, NO_NEW_PRIVILEGES),
    "killing processes": (*_OTHERS, USER, LANDLOCK),
    "memory": (CGROUP, RLIMITS),
    "file size": (RLIMITS,),
    "processes": (SECCOMP, RLIMITS),
    "daemons": (*_OTHERS, SUBREAPER),
    "programs": (SECCOMP, LANDLOCK),
    "user namespaces": (SECCOMP,),
    "io_uring": (SECCOMP,),
    "secrets in the environment": (ENVIRONMENT,),
    "inherited descriptors": (DESCRIPTORS,),
    "root": (USER, CAPABILITIES, USERS),
    "signals by descriptors": (*_OTHERS, USER),
    "changing files": (ROOT, SECCOMP, USER),
    "emptying files": (*_FILES, SECCOMP),
    "memory files": (SECCOMP,),
    "page tables": (CGROUP, _WATCH),
    "descriptor tables": (SECCOMP,),
    "disk use": (ROOT,),
    "stalling disks": (SECCOMP,),
    "time": (CLOCK,),
}
"""Threats, in the order of the report, and the layers that protect against each."""


_LINUX_ONLY = (
    *("abstract sockets", "shared memory", "user namespaces", "io_uring"),
    *("signals by descriptors", "memory files", "page tables", "descriptor tables"),
    "stalling disks",
)


def attack_everything(settings: SandboxSettings) -> IsolationReport:
    """Try every threat, in some tenths of a second. Raises SandboxError.

    The attackers have a zygote of their own, and may read the files that are made for the attack.
    """
    with ExitStack() as stack:
        target = Target(stack, settings)
        zygote = ZygoteClient(target.settings, target.view)
        stack.callback(zygote.close)
        try:
            threats = [_attack(name, target, zygote) for name in _STOPPED_BY]
            hidden = target.attack_target["files"][1]
            threats += attack_as_program(target.settings, hidden, target.layers)
            threats += attack_as_submission(target.settings, target.layers)
        except ZygoteDied:
            raise SandboxError("the scorer process ended while it was attacked") from None
    missing = [f"{name}: {why}" for name, why in sorted(target.refused.items())]
    missing += [
        f"{threat.name}: open, {threat.note}" for threat in threats if threat.enforced is False
    ]
    if settings.isolation == "off":
        missing.insert(0, "isolation is turned off")
    return IsolationReport(
        settings.isolation, threats, tuple(sorted(target.layers)), tuple(missing)
    )


def _attack(name: str, target: Target, zygote: ZygoteClient) -> ThreatReport:
    if name in _LINUX_ONLY and sys.platform != "linux":
        return ThreatReport(name, None, (), "there is nothing of the kind on this system")
    job: AttackJob = {"verb": "attack", "attack": name, "target": target.attack_target}
    child = zygote.spawn(json.dumps(job).encode() + b"\n", int(_SECONDS))
    try:
        is_open, note = _answer(name, child)
    finally:
        child.end()
    target.layers, target.refused = child.layers, child.refused
    if name == "daemons":  # starting a daemon does no harm; surviving its child does
        is_open, note = child.survived, note if child.survived else "nothing was left behind"
    if (harm := target.harm_of(name)) is not None:
        is_open, note = harm, note if harm else "nothing has changed"
    if is_open:
        return ThreatReport(name, False, (), note)
    in_force = {*child.layers, CLOCK, _WATCH}
    by = tuple(layer for layer in _STOPPED_BY[name] if layer in in_force)
    return ThreatReport(name, True, by, note)


def _answer(name: str, child: Child) -> tuple[bool, str]:
    try:
        answer = parse(child.next_line(_SHORT_SECONDS if name == "time" else _SECONDS))
        return bool(answer["open"]), str(answer["note"])
    except DeadlineExceeded:
        return False, "stopped at its deadline"
    except ChildExited:
        if name == "programs":
            return True, "another program ran in its place, or it crashed"
        return False, "its process was ended"
    except (NoAnswer, TypeError, KeyError) as error:
        raise SandboxError(f"the attack {name} gave no answer: {error}") from None
