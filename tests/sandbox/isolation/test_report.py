"""The report is made by real attacks: it must report an opening that exists."""

import sys
from collections.abc import Iterator
from dataclasses import replace

import pytest

from leaderboard.sandbox import (
    IsolationMissing,
    IsolationReport,
    Request,
    Sandbox,
    SandboxSettings,
    ThreatReport,
)
from leaderboard.sandbox.child.attacks import ATTACKS
from leaderboard.sandbox.host import sandbox as module
from leaderboard.sandbox.host.attacks.programs import PROGRAM_ATTACKS
from leaderboard.sandbox.host.attacks.submissions import APART, CLOCK, SUBMISSION_ATTACKS
from leaderboard.sandbox.server.confinement import Confinement
from leaderboard.sandbox.server.layers.linux import LayerRefused
from tests.sandbox.conftest import SETTINGS
from tests.sandbox.watching import score

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the attacks need Linux")


@pytest.fixture(scope="module")
def bare() -> Iterator[IsolationReport]:
    with Sandbox(replace(SETTINGS, isolation="off")) as sandbox:
        yield sandbox.report()


def test_every_attack_is_in_the_report_once(sandbox: Sandbox) -> None:
    names = [threat.name for threat in sandbox.report().threats]
    assert names == [*ATTACKS, *PROGRAM_ATTACKS, *SUBMISSION_ATTACKS]


def test_with_the_layers_every_attack_is_stopped(sandbox: Sandbox) -> None:
    report = sandbox.report()
    if not {"landlock", "seccomp"} <= set(report.layers):
        pytest.skip(f"this host refuses: {report.missing}")
    assert {threat.name: threat.note for threat in report.threats if not threat.enforced} == {}
    assert report.complete
    assert all(threat.by for threat in report.threats)


def test_without_the_layers_the_same_attacks_get_through(bare: IsolationReport) -> None:
    """The attacks must be able to succeed, or a blocked attack would prove nothing."""
    enforced = {threat.name: threat.enforced for threat in bare.threats}
    by = {threat.name: threat.by for threat in bare.threats}
    for name in (
        *("tcp", "udp", "unix sockets", "abstract sockets", "writing files", "reading files"),
        *("worker's environment", "killing processes", "programs"),
        *("signals by descriptors", "changing files", "emptying files", "memory files"),
        *("descriptor tables", "disk use", "stalling disks", "others' plugins"),
        *PROGRAM_ATTACKS,
        *(name for name in SUBMISSION_ATTACKS if not {APART, CLOCK} & set(by[name])),
    ):
        assert enforced[name] is False, name
    for name in (
        *("memory", "page tables", "file size", "daemons", "inherited descriptors", "time"),
    ):
        assert enforced[name] is True
    assert not bare.complete
    assert bare.missing[0] == "isolation is turned off"
    assert any(line.startswith("tcp: open") for line in bare.missing)


def test_the_report_is_cached(sandbox: Sandbox) -> None:
    assert sandbox.report() is sandbox.report()


def test_a_layer_that_the_host_refuses_is_reported() -> None:
    confinement = Confinement(SandboxSettings().limits, [], hard=True)

    def refuse() -> None:
        raise LayerRefused("not here")

    assert not confinement.attempt("landlock", refuse)
    assert confinement.refused == {"landlock": "not here"}
    assert "landlock" not in confinement.layers


def test_required_isolation_refuses_to_score(monkeypatch: pytest.MonkeyPatch) -> None:
    weak = IsolationReport(
        "require", [ThreatReport("tcp", False, (), "connected")], (), ("tcp: open, connected",)
    )
    monkeypatch.setattr(module, "attack_everything", lambda settings: weak)
    with Sandbox(replace(SETTINGS, isolation="require")) as sandbox:
        with pytest.raises(IsolationMissing, match="tcp: open") as caught:
            score(sandbox, "hostile.good:Good")
        assert caught.value.missing == weak.missing
        with pytest.raises(IsolationMissing):
            sandbox.describe("hostile.good:Good")


def test_required_isolation_scores_where_it_is_complete() -> None:
    with Sandbox(replace(SETTINGS, isolation="require")) as sandbox:
        report = sandbox.report()
        if not report.complete:
            pytest.skip(f"this host lacks: {report.missing}")
        requests = [Request({"rating": 8}, {})]
        outcomes = sandbox.score("hostile.good:Good", {}, requests, timeout_ms=60_000, fresh=True)
        assert [outcome.value for outcome in outcomes] == [80]
