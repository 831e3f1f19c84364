"""The sandbox under a seccomp profile like Docker's: the default one, and as ops/docker
widens it."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from leaderboard.sandbox.host.fork_servers import PROJECT
from leaderboard.sandbox.server.layers import linux, namespaces, syscalls
from tests.sandbox.docker_profile import Rule, applies, libseccomp
from tests.sandbox.isolation.refused import REFUSED
from tests.sandbox.ordinary import copied_home, interpreter_for

DOCKER = Path(PROJECT, "ops/docker")
UNDER_A_PROFILE = (sys.executable, "-m", "tests.sandbox.docker_profile")
NOBODY = 65534
CLONE_NEW = 0x7E02_0000
ONLY_WITH_ADMIN = {"mount", "mount_setattr", "setns", "umount2", "unshare"}
"""Calls that the default profile refuses without CAP_SYS_ADMIN."""
NOT_AT_ALL = {"pivot_root", "chroot", "kexec_load", "keyctl", "add_key", "userfaultfd", "bpf"}
STARTING = (
    *("execve", "fork", "vfork", "wait4", "waitid", "socket", "connect", "bind", "listen"),
    *("setresuid", "setresgid", "setuid", "setgid", "setgroups", "setsid", "setpgid", "capget"),
    *("capset", "seccomp", "set_tid_address", "sendmsg", "recvmsg", "setsockopt", "accept4"),
    *("symlink", "link", "truncate", "ptrace", "inotify_init1", "timer_create", "splice", "tee"),
)
"""Calls that starting interpreters and the report's attacks need in addition to those of
plugins."""


def default_like() -> Rule:
    """Return a profile in the shape of Docker's default, with the rules that matter here.

    Docker's own default changes from version to version.
    """
    ours = {*syscalls.ALLOWED, *syscalls.RULED, *syscalls.PRETENDED, *syscalls.MISSING}
    plain = sorted({*ours, *syscalls.UNSUPPORTED, *STARTING} - {"clone", "clone3", "userfaultfd"})
    admin = {"caps": ["CAP_SYS_ADMIN"]}
    threads = [{"index": 0, "value": CLONE_NEW, "op": "SCMP_CMP_MASKED_EQ"}]
    return {
        "defaultAction": "SCMP_ACT_ERRNO",
        "defaultErrnoRet": 1,
        "archMap": [{"architecture": "SCMP_ARCH_X86_64", "subArchitectures": None}],
        "syscalls": [
            {"names": plain, "action": "SCMP_ACT_ALLOW"},
            {"names": sorted(ONLY_WITH_ADMIN), "action": "SCMP_ACT_ALLOW", "includes": admin},
            {"names": ["clone"], "action": "SCMP_ACT_ALLOW", "args": threads, "excludes": admin},
            {"names": ["clone3"], "action": "SCMP_ACT_ERRNO", "errnoRet": 38, "excludes": admin},
        ],
    }


def widen(text: str) -> subprocess.CompletedProcess[str]:
    """Run the command that widens a profile, as an operator does."""
    command = [sys.executable, str(DOCKER / "widen_seccomp.py")]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def wide() -> Rule:
    done = widen(json.dumps(default_like()))
    assert done.returncode == 0, done.stderr
    rule: Rule = json.loads(done.stdout)
    return rule


def module() -> Any:
    spec = importlib.util.spec_from_file_location("widen", DOCKER / "widen_seccomp.py")
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def allowed(profile: Rule) -> set[str]:
    """Return the names that a profile allows, in some form, in a container without capabilities."""
    rules = [rule for rule in profile["syscalls"] if applies(rule, (), "amd64")]
    return {name for rule in rules if rule["action"] == "SCMP_ACT_ALLOW" for name in rule["names"]}


def test_only_what_the_sandbox_needs_is_added(wide: Rule) -> None:
    default = default_like()
    added = {"chroot", "mount", "mount_setattr", "pivot_root", "umount2", "unshare"}
    assert allowed(wide) - allowed(default) == added
    assert wide["syscalls"][: len(default["syscalls"])] == default["syscalls"]
    assert {key: wide[key] for key in default if key != "syscalls"} == {
        key: default[key] for key in default if key != "syscalls"
    }
    assert not allowed(wide) & (NOT_AT_ALL | {"setns"}) - added


def test_every_call_of_the_confinement_is_allowed(wide: Rule) -> None:
    """The list has every call that creates namespaces and the private root."""
    needed = {"unshare", "mount", "mount_setattr", "pivot_root", "umount2", "chroot"}
    sources = [Path(code.__file__ or "").read_text() for code in (namespaces, linux)]
    sources.append(Path(PROJECT, "leaderboard/sandbox/server/layers/root.py").read_text())
    named = {name for name in REFUSED for text in sources if f'"{name}"' in text}
    assert needed - {"chroot"} <= named <= needed | allowed(default_like())
    assert needed <= allowed(wide)


def test_unshare_is_allowed_for_namespaces_only() -> None:
    (compared,) = module().ADDED[0]["args"]
    assert compared["valueTwo"] == 0
    flags = [
        *(linux.CLONE_NEWNS, linux.CLONE_NEWUTS, linux.CLONE_NEWIPC),
        *(linux.CLONE_NEWUSER, linux.CLONE_NEWPID, linux.CLONE_NEWNET),
    ]
    assert all(flag & compared["value"] == 0 for flag in flags)
    other_flags = {1 << bit for bit in range(64)} - set(flags)
    assert all(flag & compared["value"] for flag in other_flags)


def test_a_text_that_is_no_profile_is_refused() -> None:
    cases: list[str] = ["", "[]", "{}", '{"defaultAction": "SCMP_ACT_ALLOW"}']
    for text in cases:
        done = widen(text)
        assert (done.returncode, done.stdout) == (1, ""), text
        assert "no default profile" in done.stderr, text
        listed = json.dumps({"defaultAction": "SCMP_ACT_ALLOW", "syscalls": []})
        assert "SCMP_ACT_ERRNO" in widen(listed).stderr, text


def test_the_override_names_existing_services_only() -> None:
    base = yaml.safe_load(Path(PROJECT, "docker-compose.yml").read_text())["services"]
    over = yaml.safe_load((DOCKER / "namespaces.yml").read_text())["services"]
    assert set(over) == {"worker"}
    assert set(over["worker"]) <= set(base["worker"]) | {"security_opt"}
    assert "no-new-privileges:true" in over["worker"]["security_opt"]


# Tests in the kernel.


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    with copied_home() as home:
        yield home


def report_under(profile: Rule, home: Path, uid: int, capabilities: str) -> list[str]:
    """Return the lines of the sandbox's report made by a process under a profile."""
    python = interpreter_for(NOBODY)
    if (
        libseccomp() is None
        or python is None
        or os.geteuid() != 0
        or os.uname().machine != "x86_64"
    ):
        pytest.skip("needs root, libseccomp, x86_64 and a Python that another user can run")
    shell = f"cd {home} && exec {python} -m leaderboard.sandbox report"
    ran = subprocess.run(
        [*UNDER_A_PROFILE, str(uid), capabilities, "/bin/sh", "-c", shell],
        cwd=PROJECT,
        input=json.dumps(profile),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.stdout, ran.stderr
    return ran.stdout.splitlines()


def test_under_the_default_profile_only_disk_use_is_open(home: Path) -> None:
    lines = report_under(default_like(), home, NOBODY, "-")
    assert any(line.startswith("missing: user namespace") for line in lines)
    disk = ("disk use", "submissions: filling the disk")
    assert [line for line in lines if "OPEN" in line and not line.startswith(disk)] == []


def test_under_the_wider_profile_nothing_is_open(home: Path, wide: Rule) -> None:
    lines = report_under(wide, home, NOBODY, "-")
    if any("unshare" in line for line in lines if line.startswith("missing")):
        pytest.skip(f"this host refuses namespaces to ordinary users: {lines[-7:]}")
    assert [line for line in lines if "blocked" not in line] == []
    assert any(line.startswith("tcp: blocked (network namespace") for line in lines)


def test_root_without_the_right_capability_keeps_its_second_user(home: Path, wide: Rule) -> None:
    """In a user namespace that does not map its own id, root could not switch to another user."""
    lines = report_under(wide, home, 0, "SETUID,SETGID,KILL")
    why = "root needs CAP_SETFCAP to keep its id in a user namespace"
    assert f"missing: user namespace: {why}" in lines
    assert not any(line.startswith("missing: unprivileged user") for line in lines)
    assert any(line.startswith("root: blocked (unprivileged user") for line in lines), lines
