"""Children that the kernel kills because the host has no memory left."""

from itertools import count
from pathlib import Path

import pytest

from leaderboard.sandbox import HostOverfull, Request, Sandbox
from leaderboard.sandbox.contract import CGROUP
from leaderboard.sandbox.host import kernel, pipes

KILLED = "hostile.deaths:KillsItself"


@pytest.mark.parametrize(
    ("status", "layers", "before", "is_overfull"),
    [
        (-9, frozenset(), 3, True),
        (-9, frozenset(), 4, False),
        (-11, frozenset(), 3, False),
        (None, frozenset(), 3, False),
        (-9, frozenset({CGROUP}), 3, False),
    ],
)
def test_a_kill_is_the_hosts_if_the_kernel_counts_it(
    status: int | None,
    layers: frozenset[str],
    before: int,
    is_overfull: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(kernel, "COUNTERS", tmp_path / "vmstat")
    (tmp_path / "vmstat").write_text("nr_free_pages 12\noom_kill 4\n")
    assert kernel.was_host_overfull(status, layers, before) == is_overfull


def test_an_attempt_is_not_blamed_for_an_overfull_host(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It waits for memory, alone and among others."""

    def asked(*, fresh: bool) -> str:
        outcomes = sandbox.score(KILLED, {}, [Request({}, {})], timeout_ms=60_000, fresh=fresh)
        return next(outcomes).error[0]  # type: ignore[index]

    assert asked(fresh=True) == "crashed", "the scorer killed itself"
    kills = count()
    for module in (kernel, pipes):
        monkeypatch.setattr(module, "oom_kills", lambda: next(kills))
    monkeypatch.setattr(pipes, "was_host_overfull", lambda status, *_: status == -9)
    for fresh in (True, False):
        with pytest.raises(HostOverfull):
            asked(fresh=fresh)
