"""Each layer tested alone, in a child that gives up the right under test."""

import os
import signal
import socket
import sys
import threading
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from leaderboard.sandbox import Sandbox
from leaderboard.sandbox.child import quiet_attacks
from leaderboard.sandbox.contract import HOST_NAME, USER
from leaderboard.sandbox.server.confinement import Confinement
from leaderboard.sandbox.server.layers import family, landlock, privileges, root
from leaderboard.sandbox.server.layers.linux import CLONE_NEWNS, LayerRefused, call, machine
from leaderboard.sandbox.server.zygote import MAX_PAGE_TABLE_BYTES
from tests.processes import eventually
from tests.sandbox import cases
from tests.sandbox.conftest import SETTINGS
from tests.sandbox.forked import in_child
from tests.sandbox.isolation.old_hosts import on_an_old_host
from tests.sandbox.watching import RATING, score, verdict

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the layers need Linux")


def test_landlock_allows_only_the_listed_files(tmp_path: Path) -> None:
    readable, work = tmp_path / "seen", tmp_path / "work"
    for folder in (readable, work):
        folder.mkdir()
    (readable / "text").write_text("read me")
    (tmp_path / "secret").write_text("not me")

    def act() -> None:
        privileges.forbid_new_privileges()
        landlock.restrict_files([str(readable), "/nowhere"], [str(work)])
        assert (readable / "text").read_text() == "read me"
        (work / "new").write_text("written")
        (work / "new").unlink()
        for attempt in (
            lambda: (tmp_path / "secret").read_text(),
            lambda: (readable / "text").write_text("changed"),
            lambda: os.listdir(tmp_path),
            lambda: (readable / "text").unlink(),
            lambda: os.mkfifo(work / "fifo"),
            lambda: os.symlink("/", work / "link"),
        ):
            with pytest.raises(PermissionError):
                attempt()

    try:
        landlock.abi()
    except LayerRefused as refused:
        pytest.skip(f"this kernel has no Landlock: {refused}")
    assert in_child(act) == 0


@pytest.mark.parametrize("leads", [True, False], ids=["first thread", "another thread"])
def test_the_page_tables_of_children_are_counted(leads: bool) -> None:
    """The report's attack makes them, in a child that no zygote watches."""
    proc, child = os.open("/proc", os.O_RDONLY), os.fork()
    if child == 0:
        try:
            quiet_attacks._LINGER = 30.0
            hold = partial(quiet_attacks.hold_page_tables, {})  # type: ignore[typeddict-item]
            if leads:
                hold()
            threading.Thread(target=hold).start()
            call("exit", 93 if machine() == "aarch64" else 60, 0)  # ends this thread alone
        finally:
            os._exit(0)
    try:
        eventually(lambda: family.page_table_bytes(proc) > 2 * MAX_PAGE_TABLE_BYTES)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    assert family.page_table_bytes(proc) < MAX_PAGE_TABLE_BYTES
    os.close(proc)


@pytest.mark.parametrize("landlock_version", [2, 4])
def test_on_an_old_host_the_other_layers_hold(landlock_version: int) -> None:
    """Such a host has no private root and no pid namespace, and its Landlock controls neither
    truncation nor signals. Children may have to share the worker's user, even root, here: no other
    user can read a Python in root's home."""

    def act() -> None:
        with Sandbox(SETTINGS) as sandbox:
            for case in (*cases.DEATHS, *cases.INTRUDERS, *cases.VANDALS, cases.ENDLESS[0]):
                outcome = score(sandbox, case.entrypoint, case.config, case.timeout_ms)
                assert not verdict(outcome, case.expected), case
                assert score(sandbox, "hostile.good:Good").value == RATING * 10
            report = sandbox.report()
        assert any(line.startswith("mount namespace: unshare") for line in report.missing)
        still_open = {threat.name for threat in report.threats if not threat.enforced}
        assert still_open <= {"root", "disk use", "submissions: filling the disk"}

    on_an_old_host(act, landlock_version)


def test_a_work_folder_on_disk_starts_empty_and_is_removed() -> None:
    with Sandbox(replace(SETTINGS, isolation="off")) as sandbox:
        details = [score(sandbox, "hostile.good:UsesItsRights").details for _ in range(2)]
    for detail in details:
        assert detail is not None
        assert detail["files"] == ["kept"]
        assert not Path(str(detail["cwd"])).exists()


def enter_mounts() -> None:
    call("unshare", "unshare", CLONE_NEWNS)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may become another user")
def test_another_user_must_be_able_to_make_working_folders(tmp_path: Path) -> None:
    """Otherwise children stay the worker's user, and the report says why."""
    tmp_path.chmod(0o700)

    def act() -> None:
        chosen = Confinement(SETTINGS.limits, [], hard=True, work_parent=str(tmp_path))
        chosen._choose_user(privileges.uid_for(1))
        assert chosen.uid is None
        assert "SCORER_WORK" in chosen.refused[USER]
        os.rmdir(chosen.make_work())

    assert in_child(act) == 0


def test_a_small_file_system_bounds_working_folders_without_a_private_root(tmp_path: Path) -> None:
    """It closes what the report finds open without it."""
    size = SETTINGS.limits.file_bytes

    def act() -> None:
        enter_mounts()
        root._mount("none", "/", None, root._RECURSIVE | root._PRIVATE)
        root._mount("tmpfs", str(tmp_path), "tmpfs", 0, f"size={size},mode=711")

        def report() -> None:
            with Sandbox(replace(SETTINGS, work=str(tmp_path))) as sandbox:
                enforced = {threat.name: threat.enforced for threat in sandbox.report().threats}
            assert enforced["disk use"] is True
            assert os.listdir(tmp_path) == []

        on_an_old_host(report, 4)

    if in_child(enter_mounts):
        pytest.skip("this host lets this user mount nothing")
    assert in_child(act) == 0


def test_the_name_of_the_host_is_hidden(sandbox: Sandbox) -> None:
    """On a host that refuses the namespace, children see its name, and the report says so."""
    outcome = score(sandbox, "hostile.intruders:ReadsHostName")
    is_hidden = HOST_NAME in sandbox.report().layers
    assert outcome.details == {"name": "plugins" if is_hidden else socket.gethostname()}
    assert socket.gethostname() != "plugins"
