"""The control group of children, in a folder tree that imitates the kernel's.

Not every machine has the kernel's tree of version 2; `fake_tree` has its files, which only keep
what is written to them.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from leaderboard.sandbox import Sandbox
from leaderboard.sandbox.contract import CGROUP, Limits
from leaderboard.sandbox.server.confinement import Confinement
from leaderboard.sandbox.server.layers import cgroups
from leaderboard.sandbox.server.layers.linux import LayerRefused

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the layers need Linux")

MEMORY, PROCESSES = 1 << 30, 64
OF_A_GROUP = ("memory.max", "memory.swap.max", "memory.oom.group", "pids.max", "cgroup.procs")


class Tree:
    """A mounted tree with a unit, the worker's group in it, and the file that imitates /proc's."""

    def __init__(self, folder: Path) -> None:
        self.mount, self.own = folder / "mount", folder / "own"
        self.unit = self.mount / "system.slice" / "podium-worker.service"
        (self.unit / "worker").mkdir(parents=True)
        self.own.write_text("0::/system.slice/podium-worker.service/worker\n")
        (self.mount / "cgroup.controllers").write_text("cpu memory pids\n")
        (self.unit / "cgroup.controllers").write_text("cpu memory pids\n")
        (self.unit / "cgroup.procs").write_text("")
        (self.unit / "cgroup.subtree_control").write_text("")
        self.group = self.unit / f"podium-plugins-{os.getpid()}"
        self.make(self.group)

    def make(self, group: Path) -> None:
        """Make a folder with the files that the kernel puts into each new group."""
        group.mkdir()
        for name in OF_A_GROUP:
            (group / name).touch()

    def prepare(self) -> int:
        return cgroups.prepare(MEMORY, PROCESSES, mount=self.mount, own=self.own)

    def content_of(self, name: str) -> str:
        return (self.group / name).read_text()


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


def test_children_are_put_into_a_group_with_limits(tree: Tree) -> None:
    group = tree.prepare()
    assert group >= 200
    assert not os.get_inheritable(group)
    assert (tree.unit / "cgroup.subtree_control").read_text() in ("+memory", "+pids")
    assert tree.content_of("memory.max") == str(MEMORY)
    assert tree.content_of("memory.swap.max") == "0"
    assert tree.content_of("memory.oom.group") == "1"
    assert tree.content_of("pids.max") == str(PROCESSES)
    assert tree.content_of("cgroup.procs") == ""
    cgroups.join(group)
    assert tree.content_of("cgroup.procs") == "0"
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(group)


def test_a_limit_that_the_kernel_lacks_is_left_out(tree: Tree) -> None:
    for name in ("memory.swap.max", "memory.oom.group", "pids.max"):
        (tree.group / name).unlink()
    os.close(tree.prepare())
    assert tree.content_of("memory.max") == str(MEMORY)
    assert not (tree.group / "pids.max").exists()


def test_a_kernel_without_a_memory_limit_refuses_the_group(tree: Tree) -> None:
    (tree.group / "memory.max").unlink()
    with pytest.raises(LayerRefused, match=r"memory\.max"):
        tree.prepare()


def test_the_group_of_an_ended_fork_server_is_removed(tree: Tree) -> None:
    ended, alive = tree.unit / "podium-plugins-999999999", tree.unit / "podium-plugins-1"
    ended.mkdir()
    alive.mkdir()
    os.close(tree.prepare())
    assert not ended.exists()
    assert alive.exists()


def wrong(tree: Tree, fault: str) -> None:
    match fault:
        case "version 1":
            tree.own.write_text("4:memory:/user\n1:name=systemd:/user\n")
        case "nothing mounted":
            (tree.mount / "cgroup.controllers").unlink()
        case "the root":
            tree.own.write_text("0::/\n")
        case "another controller":
            (tree.unit / "cgroup.controllers").write_text("cpu pids\n")
        case "processes beside":
            (tree.unit / "cgroup.procs").write_text("17\n")
        case "no such folder":
            tree.own.write_text("0::/elsewhere/worker\n")
        case "no file":
            tree.own.unlink()


WRONG = [
    *("version 1", "nothing mounted", "the root", "another controller", "processes beside"),
    *("no such folder", "no file"),
]


@pytest.mark.parametrize("fault", WRONG)
def test_a_tree_that_is_not_delegated_stays_unchanged(tree: Tree, fault: str) -> None:
    wrong(tree, fault)
    with pytest.raises(LayerRefused, match="cgroup: "):
        tree.prepare()
    assert (tree.unit / "cgroup.subtree_control").read_text() == ""
    assert all(tree.content_of(name) == "" for name in OF_A_GROUP)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_the_group_of_another_user_stays_unchanged(tree: Tree) -> None:
    (tree.unit / "cgroup.procs").chmod(0o444)
    with pytest.raises(LayerRefused, match="somebody else"):
        tree.prepare()


@pytest.fixture
def tree_in_use(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> Tree:
    """A tree that a confinement takes for the kernel's."""
    monkeypatch.setattr(cgroups.prepare, "__kwdefaults__", {"mount": tree.mount, "own": tree.own})
    return tree


def confinement() -> Confinement:
    return Confinement(Limits(), [], hard=True)


def test_a_host_without_groups_lacks_no_required_layer(tree_in_use: Tree) -> None:
    wrong(tree_in_use, "version 1")
    without = confinement()
    without._make_group()
    without.join_group()
    assert without.group is None
    assert CGROUP not in without.layers
    assert without.refused == {}


def test_the_group_allows_more_memory_than_one_process(tree_in_use: Tree) -> None:
    held = confinement()
    held._make_group()
    assert CGROUP in held.layers
    limits = Limits()
    assert int(tree_in_use.content_of("memory.max")) > limits.memory_bytes + limits.file_bytes
    held.join_group()
    assert tree_in_use.content_of("cgroup.procs") == "0"
    assert CGROUP in held.layers


def test_a_child_that_cannot_join_does_not_report_the_layer(tree_in_use: Tree) -> None:
    held = confinement()
    held._make_group()
    assert held.group is not None
    os.close(held.group)
    read, write = os.pipe()
    os.close(read)
    held.group = write  # a pipe without a reader refuses writes
    held.join_group()
    assert CGROUP not in held.layers


def test_the_report_lists_the_group_as_a_memory_limit(sandbox: Sandbox) -> None:
    report = sandbox.report()
    (memory,) = [threat for threat in report.threats if threat.name == "memory"]
    assert memory.enforced
    assert (CGROUP in memory.by) == (CGROUP in report.layers)
    assert not any("cgroup" in line for line in report.missing)
