"""Removing working folders that a plugin has made hard to remove."""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from leaderboard.sandbox.server.folders import remove_tree
from tests.sandbox.forked import in_child

NOBODY = 65534


def unreadable() -> None:
    os.mkdir("closed", 0o300)
    with open("closed/file", "xb"):
        pass
    os.mkdir("closed/empty", 0)


def deep() -> None:
    """Deeper than a recursion, than the descriptors of a process, and than a path may be."""
    for _ in range(3000):
        os.mkdir("x")
        os.chdir("x")
    with open("file", "xb"):
        pass


def several() -> None:
    for name in ("a", "b"):
        os.makedirs(f"{name}/same/same")
        os.symlink("/etc", f"{name}/link")
        os.mkfifo(f"{name}/same/pipe")
    os.chmod(".", 0)


@pytest.mark.parametrize("fill", [unreadable, deep, several])
def test_nothing_of_a_working_folder_is_left(fill: Callable[[], None]) -> None:
    def act() -> None:
        if os.geteuid() == 0:
            os.setgroups([])
            os.setresgid(NOBODY, NOBODY, NOBODY)
            os.setresuid(NOBODY, NOBODY, NOBODY)
        folder = tempfile.mkdtemp()
        os.chdir(folder)
        fill()
        os.chdir("/")
        remove_tree(folder)
        assert not os.path.exists(folder)

    assert in_child(act) == 0
    assert os.path.isdir("/etc")


def test_a_large_folder_is_removed_in_pieces(tmp_path: Path) -> None:
    """The end of a child does not wait until the last of a hundred thousand folders is gone."""
    for number in range(300):
        (tmp_path / "work" / str(number) / "inside").mkdir(parents=True)
    pieces = 0
    while not remove_tree(str(tmp_path / "work"), 0.001):
        pieces += 1
    assert pieces > 0
    assert not (tmp_path / "work").exists()


def test_a_folder_that_is_gone_is_no_error() -> None:
    remove_tree(tempfile.gettempdir() + "/podium-there-is-none")
