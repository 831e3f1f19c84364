"""A client of a text metric: one child serves many blocks, and a new one replaces a failed
child."""

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest

from leaderboard.sandbox import (
    IsolationMissing,
    IsolationReport,
    Sandbox,
    ThreatReport,
    text_settings,
)
from leaderboard.sandbox.host import sandbox as sandboxes
from leaderboard.sandbox.host import text_client as module
from leaderboard.sandbox.host.pipes import REQUEST_BYTES
from leaderboard.sandbox.host.text_client import TextMetricClient
from tests.processes import eventually
from tests.sandbox import cases
from tests.sandbox.asking import LONG_MS, ask, evaluated, failure, row
from tests.sandbox.cases import Case
from tests.sandbox.conftest import SETTINGS
from tests.sandbox.watching import last_forked, processes

ATTACKS, ECHO = "hostile.text.broken:Attacks", "hostile.text.plain:Echo"
MANY = 100_000

linux = pytest.mark.skipif(sys.platform != "linux", reason="the layers need Linux")


def pid_of(line: TextMetricClient) -> float | str | None:
    """Return the process id that the child sees, by sending ATTACKS a harmless block."""
    return evaluated(line.evaluate([row(1, "be good")], timeout_ms=LONG_MS)).score["pid"]


@pytest.fixture
def line(sandbox: Sandbox) -> Iterator[TextMetricClient]:
    """A client of ATTACKS whose child has answered a block."""
    with sandbox.evaluating(ATTACKS, {}) as client:
        pid_of(client)
        yield client


def child_of(line: TextMetricClient) -> object:
    assert line._child is not None
    return line._child


def test_one_child_serves_all_blocks(sandbox: Sandbox) -> None:
    with sandbox.evaluating(ATTACKS, {}) as line:
        pid, child = pid_of(line), child_of(line)
        assert [pid_of(line) for _ in range(5)] == [pid] * 5
        assert child_of(line) is child
    with sandbox.evaluating(ATTACKS, {}) as line:
        pid_of(line)
        assert child_of(line) is not child


def test_blocks_may_be_sent_before_earlier_answers_are_read(sandbox: Sandbox) -> None:
    with sandbox.evaluating("hostile.text.plain:Length", {}) as line:
        line.evaluate([row(1, "a")], timeout_ms=LONG_MS)
        for length in (1, 2, REQUEST_BYTES + 1):
            line.send([row(1, "a" * length)])
        line.send([row(1, "a" * 3), row(2, "a" * 4)])
        results = [evaluated(line.receive(timeout_ms=LONG_MS)).results for _ in range(4)]
    assert results == [[1.0], [2.0], [REQUEST_BYTES + 1.0], [3.0, 4.0]]


@pytest.mark.parametrize("attack", ["deaths:OsExit", "endless:Loop"])
def test_a_new_child_answers_the_blocks_that_were_sent_ahead(
    line: TextMetricClient, attack: str
) -> None:
    child = child_of(line)
    line.send([row(1, attack)])
    line.send([row(1, "be good")])
    line.send([row(1, "be good"), row(2, "be good")])
    assert failure(line.receive(timeout_ms=500)).code in {"crashed", "timeout"}
    for count in (1, 2):
        assert evaluated(line.receive(timeout_ms=LONG_MS)).instances == count
    assert child_of(line) is not child


def test_each_block_has_its_own_time(sandbox: Sandbox) -> None:
    """The time of a block that was sent ahead starts with the answer to the block before."""
    with sandbox.evaluating("hostile.text.plain:Sleeps", {}) as line:
        for _ in range(4):
            line.send([row(1, "1.0")])
        answers = [line.receive(timeout_ms=3500) for _ in range(4)]
    assert [evaluated(answer).results for answer in answers] == [[1.0]] * 4


@linux
def test_a_closed_client_leaves_no_process(sandbox: Sandbox) -> None:
    with sandbox.evaluating(ATTACKS, {}) as line:
        pid_of(line)
    assert len(processes(sandbox)) <= 1, "only the zygote itself may be left"


OTHERWISE = ("vandals:BreaksJson", "intruders:ImportsApplication")
"""Cases left out: the answer of a text metric does not use JSON, and ATTACKS reports no import
error."""


@linux
@pytest.mark.slow
@pytest.mark.parametrize("group", ["endless", "deaths", "intruders", "vandals"])
def test_a_failed_block_does_not_affect_the_next_block(sandbox: Sandbox, group: str) -> None:
    """Each attack of the hostile collection runs in the second of three blocks."""
    for case in cases.GROUPS[group]:
        if case.scorer not in OTHERWISE:
            check_three_blocks(sandbox, case)


def check_three_blocks(sandbox: Sandbox, case: Case) -> None:
    with sandbox.evaluating(ATTACKS, case.config or {}) as line:
        pid_of(line)
        child = child_of(line)
        answer = line.evaluate([row(1, case.scorer)], timeout_ms=case.timeout_ms)
        if isinstance(case.expected, tuple):
            assert failure(answer).code in case.expected, str(case)
            assert "scorer" not in failure(answer).message, str(case)
        else:
            assert evaluated(answer).score == {"done": case.expected}, str(case)
        if case.expected in (("timeout",), ("crashed",), ("out_of_memory",)):
            assert line._child is None, str(case)
            assert len(processes(sandbox)) <= 1, f"{case} left more than the zygote"
        pid_of(line)
        if case.expected == ("exception",):
            assert child_of(line) is child, str(case)


def test_attacks_harm_no_further_block_without_the_linux_layers(bare: Sandbox) -> None:
    for case in (*cases.ENDLESS[:2], *cases.DEATHS):
        with bare.evaluating(ATTACKS, {}) as line:
            answer = line.evaluate([row(1, case.scorer)], timeout_ms=case.timeout_ms)
            if isinstance(case.expected, tuple):
                assert failure(answer).code in case.expected, str(case)
            pid_of(line)


def test_a_metric_may_give_a_public_reason_for_no_score(sandbox: Sandbox) -> None:
    error = failure(ask(sandbox, "broken:Explains", [row(1, "secret")]))
    assert error.code == "exception"
    assert error.message.startswith("no\ufffd score: so so ")
    assert len(error.message.encode()) <= 500
    error = failure(ask(sandbox, "broken:Explains", [row(1, "secret")], unreadable=True))
    assert "Unreadable" in error.message


def test_the_public_message_names_only_the_class_of_an_exception(sandbox: Sandbox) -> None:
    error = failure(ask(sandbox, "broken:Prints", [row(1, "secret")], fail=True))
    assert error.code == "exception"
    assert "ValueError" in error.message
    assert "secret" not in error.message
    assert "the text is secret" in error.detail
    assert "printed:" in error.detail
    assert len(error.detail.encode()) <= 16 * 1024


def test_printed_text_is_not_taken_as_an_answer(sandbox: Sandbox) -> None:
    with sandbox.evaluating("hostile.text.broken:Prints", {}) as line:
        for count in (2, 3):
            rows = [row(key, "out") for key in range(count)]
            assert evaluated(line.evaluate(rows, timeout_ms=LONG_MS)).score == {"n": count}
    assert line.printed.startswith('0 token {"score"')
    assert len(line.printed.encode()) <= 64 * 1024
    error = failure(ask(sandbox, "broken:Prints", forge=True))
    assert (error.code, "the channel" in error.message) == ("crashed", True)


@pytest.fixture(scope="module")
def roomy() -> Iterator[Sandbox]:
    with Sandbox(text_settings(SETTINGS)) as sandbox:
        yield sandbox


@linux
def test_a_metric_that_needs_eight_gigabytes_is_out_of_memory(roomy: Sandbox) -> None:
    what = "{'score': {'v': sum(len(bytearray(%d << 20)) for _ in x) >> 20}}"
    with roomy.evaluating("hostile.text.broken:Returns", {"what": what % 8192}) as line:
        error = failure(line.evaluate([row(1, "out")], timeout_ms=LONG_MS))
    assert error.code == "out_of_memory"
    assert evaluated(ask(roomy, "broken:Returns", what=what % 1500)).score == {"v": 1500.0}


def test_one_block_may_hold_all_instances(roomy: Sandbox) -> None:
    rows = [row(key, f"output {key}", refs=["one" * 30, "two" * 30]) for key in range(MANY)]
    evaluation = evaluated(ask(roomy, "plain:Total", rows, timeout_ms=60_000))
    assert evaluation.results is not None
    assert [evaluation.results[key] for key in (0, MANY - 1)] == [8.0, 12.0]
    assert len(evaluation.results) == MANY
    assert evaluation.statistics["seen"][-1] == f"output {MANY - 1}"
    with roomy.evaluating("hostile.text.plain:Total", {}) as line:
        assert line.combine([evaluation.statistics] * 4, timeout_ms=60_000) == {
            "total": 4 * evaluation.statistics["total"],
            "blocks": 4.0,
        }


def test_too_deeply_nested_statistics_are_an_invalid_result(sandbox: Sandbox) -> None:
    deep: list[object] = []
    for _ in range(5000):
        deep = [deep]
    with sandbox.evaluating("hostile.text.plain:Total", {}) as line:
        error = failure(line.combine([deep], timeout_ms=LONG_MS))
    assert error.code == "invalid_result"


def test_a_child_is_kept_while_its_host_is_busy(line: TextMetricClient) -> None:
    """The child is kept for longer than a scorer's child would be."""
    child = child_of(line)
    time.sleep(2.5)
    pid_of(line)
    assert child_of(line) is child


def test_an_idle_child_is_replaced_without_an_error(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Long enough for one answer on a busy machine.
    monkeypatch.setattr(module, "LEASE_MS", 1000)
    with sandbox.evaluating(ATTACKS, {}) as line:
        pid_of(line)
        child = child_of(line)
        eventually(lambda: len(processes(sandbox)) <= 1)
        pid_of(line)
        assert child_of(line) is not child


def test_an_old_child_is_replaced_without_an_error(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_LIFE_SECONDS", 0)
    with sandbox.evaluating(ATTACKS, {}) as line:
        pid_of(line)
        child = child_of(line)
        pid_of(line)
        assert child_of(line) is not child


@linux
def test_a_killed_zygote_is_replaced(sandbox: Sandbox) -> None:
    with sandbox.evaluating(ATTACKS, {}) as line:
        pid_of(line)
        assert sandbox._zygotes.current is not None
        sandbox._zygotes.current.kill()
        pid_of(line)
    assert evaluated(ask(sandbox, "plain:Length")).results == [3.0]


@linux
def test_a_child_that_is_killed_while_it_works_has_crashed(
    sandbox: Sandbox, line: TextMetricClient
) -> None:
    before = last_forked(sandbox)
    answers = []
    asking = threading.Thread(
        target=lambda: answers.append(line.evaluate([row(1, "endless:Sleeps")], timeout_ms=60_000))
    )
    asking.start()
    for pid in sorted(before)[-1:]:
        os.kill(pid, signal.SIGKILL)
    asking.join()
    assert "SIGKILL" in failure(answers[0]).message
    pid_of(line)


@pytest.fixture
def other() -> Iterator[Sandbox]:
    with Sandbox(SETTINGS) as sandbox:
        yield sandbox


def wait_for_line(sandbox: Sandbox) -> TextMetricClient:
    while (line := sandbox._line) is None or line._child is None:
        time.sleep(0.01)
    return line


def test_two_sandboxes_work_in_parallel(sandbox: Sandbox, other: Sandbox) -> None:
    """One sandbox answers blocks while the other one hangs, until that is interrupted."""
    answers = []
    rows = [row(1, "endless:Loop")]
    hanging = threading.Thread(
        target=lambda: answers.append(ask(other, "broken:Attacks", rows, timeout_ms=600_000))
    )
    hanging.start()
    line = wait_for_line(other)
    with sandbox.evaluating(ATTACKS, {}) as free:
        for _ in range(20):
            pid_of(free)
    assert not answers
    line.interrupt()
    hanging.join()
    error = failure(answers[0])
    assert (error.code, "from outside" in error.message, error.detail) == ("crashed", True, "")
    assert evaluated(ask(other, "plain:Length")).results == [3.0]


def test_an_interrupted_client_computes_nothing_more(line: TextMetricClient) -> None:
    line.interrupt()
    for _ in range(2):
        assert failure(line.evaluate([row(1, "be good")], timeout_ms=LONG_MS)).code == "crashed"
    assert line._child is None


def test_closing_does_not_wait_for_a_metric(other: Sandbox) -> None:
    answers: list[object] = []

    def work() -> None:
        with other.evaluating(ATTACKS, {}) as line:
            rows = [row(1, "endless:Sleeps")]
            answers.extend(line.evaluate(rows, timeout_ms=600_000) for _ in range(3))

    hanging = threading.Thread(target=work)
    hanging.start()
    wait_for_line(other)
    other.close()
    hanging.join()
    assert [failure(answer).code for answer in answers] == ["crashed"] * 3


def test_the_timeout_starts_with_each_block(line: TextMetricClient) -> None:
    assert line._child is not None
    line._child.heard -= LONG_MS / 1000 + 1  # as if that had been long ago
    assert evaluated(line.evaluate([row(1, "be good")], timeout_ms=LONG_MS))


def test_nothing_is_evaluated_without_the_required_isolation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    weak = IsolationReport("require", [ThreatReport("tcp", False)], (), ("tcp: open",))
    monkeypatch.setattr(sandboxes, "attack_everything", lambda settings: weak)
    with Sandbox(replace(SETTINGS, isolation="require")) as strict:
        with pytest.raises(IsolationMissing):
            ask(strict, "plain:Length")
        assert strict._line is None


def test_a_forked_process_opens_its_own_clients(sandbox: Sandbox, line: TextMetricClient) -> None:
    pid = os.fork()
    if pid == 0:
        os._exit(0 if evaluated(ask(sandbox, "plain:Length")).results == [3.0] else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    child = child_of(line)
    pid_of(line)
    assert child_of(line) is child
