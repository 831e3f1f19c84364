"""In the worker: finds out what the isolation enforces, by attacking it.

Each threat of `attacks.py` is tried by a fresh child against something real: a listening socket,
a readable file, a process that may be killed. What was stopped is enforced; that a call returned
with an error or without one proves nothing.
"""

import json
from contextlib import ExitStack

from leaderboard.sandbox import confinement as layers
from leaderboard.sandbox.contract import (
    IsolationReport,
    SandboxError,
    SandboxSettings,
    ThreatReport,
)
from leaderboard.sandbox.layers import namespaces
from leaderboard.sandbox.layers.linux import is_linux
from leaderboard.sandbox.link import Zygote
from leaderboard.sandbox.outcomes import NoAnswer, parse
from leaderboard.sandbox.pipes import Child, Gone, Late, ZygoteDied
from leaderboard.sandbox.targets import Target

_SECONDS = 10.0
_SHORT_SECONDS = 0.1
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
    "others' plugins": _FILES,
    "worker's environment": (*_FILES, layers.USER),
    "looking into processes": (*_OTHERS, layers.USER, layers.NO_NEW_PRIVILEGES),
    "killing processes": (*_OTHERS, layers.USER, layers.LANDLOCK),
    "memory": (layers.CGROUP, layers.RLIMITS),
    "file size": (layers.RLIMITS,),
    "processes": (layers.SECCOMP, layers.RLIMITS),
    "daemons": (*_OTHERS, layers.SUBREAPER),
    "programs": (layers.SECCOMP, layers.LANDLOCK),
    "user namespaces": (layers.SECCOMP,),
    "io_uring": (layers.SECCOMP,),
    "secrets in the environment": (layers.ENVIRONMENT,),
    "inherited descriptors": (layers.DESCRIPTORS,),
    "root": (layers.USER, layers.CAPABILITIES, namespaces.USERS),
    "signals by descriptors": (*_OTHERS, layers.USER),
    "changing files": (layers.ROOT, layers.SECCOMP, layers.USER),
    "emptying files": (*_FILES, layers.SECCOMP),
    "memory files": (layers.SECCOMP,),
    "disk use": (layers.ROOT,),
    "stalling disks": (layers.SECCOMP,),
    "time": (_CLOCK,),
}
"""Threats, in the order of the report, and the layers that stand against each."""


_LINUX_ONLY = (
    *("abstract sockets", "shared memory", "user namespaces", "io_uring"),
    *("signals by descriptors", "memory files", "stalling disks"),
)


def attack_everything(settings: SandboxSettings) -> IsolationReport:
    """Try every threat, in a zygote of its own whose children may read one file more, that is there
    to be attacked. Takes some tenths of a second. Raises SandboxError."""
    with ExitStack() as stack:
        target = Target(stack, settings)
        zygote = Zygote(target.settings, target.view)
        stack.callback(zygote.close)
        try:
            threats = [_attack(name, target, zygote) for name in _STOPPED_BY]
        except ZygoteDied:
            raise SandboxError("the scorer process ended while it was attacked") from None
    missing = [f"{name}: {why}" for name, why in sorted(target.refused.items())]
    missing += [f"{each.name}: open, {each.note}" for each in threats if each.enforced is False]
    if settings.isolation == "off":
        missing.insert(0, "isolation is turned off")
    return IsolationReport(
        settings.isolation, threats, tuple(sorted(target.layers)), tuple(missing)
    )


def _attack(name: str, target: Target, zygote: Zygote) -> ThreatReport:
    if name in _LINUX_ONLY and not is_linux():
        return ThreatReport(name, None, (), "there is nothing of the kind on this system")
    job = {"verb": "attack", "attack": name, "target": target.shown}
    child = zygote.spawn(json.dumps(job).encode() + b"\n", int(_SECONDS))
    try:
        is_open, note = _answer(name, child)
    finally:
        child.end()
    target.layers, target.refused = child.layers, child.refused
    if name == "daemons":  # starting one is no harm; what counts is whether it lived on
        is_open, note = child.survived, note if child.survived else "nothing was left behind"
    if (harm := target.harm_of(name)) is not None:
        is_open, note = harm, note if harm else "nothing has changed"
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
