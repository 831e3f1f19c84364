"""The rehearsal: what a fork server runs before its first child, and what children share by it."""

import subprocess
import sys
import textwrap
from dataclasses import replace
from pathlib import Path

from leaderboard.sandbox import Sandbox, SandboxSettings
from leaderboard.sandbox.child.rehearsal import TIMES
from leaderboard.sandbox.host import fork_servers
from tests.sandbox.conftest import SETTINGS
from tests.sandbox.watching import score

DRAWS = """
import random
import threading


class Draws:
    def score(self, metrics, config, ctx):
        drawn = []
        thread = threading.Thread(target=lambda: drawn.append(random.random()))
        thread.start()
        thread.join()
        assert threading.active_count() == 1
        return {"score": drawn[0]}
"""


def within_a_fork_server(code: str) -> list[str]:
    """Run code in a clean interpreter that started as a fork server does; return its printed
    lines."""
    begun, _, _ = fork_servers._START.rpartition("main(")
    command = [
        sys.executable,
        "-I",
        "-B",
        "-c",
        begun + textwrap.dedent(code),
        fork_servers.PROJECT,
    ]
    ended = subprocess.run(
        command, env=fork_servers.ENVIRONMENT, capture_output=True, text=True, check=True
    )
    return ended.stdout.splitlines()


def test_each_shipped_scorer_is_rehearsed_until_it_scores() -> None:
    settings = SandboxSettings()
    lines = within_a_fork_server(f"""
        from leaderboard.sandbox.server.preload import preload
        from leaderboard.sandbox.child.rehearsal import rehearse
        preload({settings.preload!r})
        for line in rehearse():
            print(line.split()[3] != "-")
    """)
    assert lines == ["True"] * 2 * TIMES


def test_a_fork_server_without_scorers_imports_none() -> None:
    lines = within_a_fork_server("""
        from leaderboard.sandbox.child.rehearsal import rehearse
        print(rehearse(), "scorers" in sys.modules)
    """)
    assert lines == ["[] False"]


def test_only_hooks_of_libraries_run_after_a_fork() -> None:
    lines = within_a_fork_server("""
        import threading
        os.register_at_fork(after_in_child=lambda: print("a library's"))
        threading._active_limbo_lock = mark = object()
        pid = os.fork()
        if pid == 0:
            print(threading._active_limbo_lock is mark, flush=True)
            os._exit(0)
        os.waitpid(pid, 0)
    """)
    assert lines == ["a library's", "True"]


def test_children_draw_random_numbers_of_their_own_and_may_start_threads(public_tmp: Path) -> None:
    (public_tmp / "draws.py").write_text(DRAWS)
    settings = replace(SETTINGS, packages=("draws",), path=(str(public_tmp),))
    with Sandbox(settings) as sandbox:
        drawn = [score(sandbox, "draws:Draws") for _ in range(3)]
    assert all(outcome.error is None for outcome in drawn), drawn
    assert len({outcome.raw_value for outcome in drawn}) == len(drawn)
