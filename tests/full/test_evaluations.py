"""A worker that is killed in the middle of an evaluation costs what it had not stored yet."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.full.stack import Stack, running_stack
from tests.processes import eventually, family, kill
from tests.slow_texts import BLOCKS, CHALLENGE, check_documents, half_done, submit, write_package

pytestmark = [pytest.mark.once, pytest.mark.redis, pytest.mark.slow]

STORED = """
    SELECT block.id, block.number FROM leaderboard_resultblock block
    JOIN leaderboard_metricrun run ON run.id = block.run_id WHERE run.evaluation_id = %s
"""


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    if not shutil.which("redis-server"):
        pytest.skip("redis-server is not on PATH: apt-get install redis-server")
    # Pytest's own folders are closed to the user that plugins run as.
    with tempfile.TemporaryDirectory(prefix="podium-plugins-") as plugins:
        Path(plugins).chmod(0o755)
        write_package(Path(plugins))
        with running_stack(tmp_path_factory.mktemp("full"), Path(plugins)) as stack:
            stack.site.create_challenge(**CHALLENGE)
            yield stack


def check_computed_once(stack: Stack, attempt_id: str, before: set[tuple[int, ...]]) -> None:
    """What was stored stayed, and no other block was stored twice: a second one would have used
    up a number that is missing now."""
    stored = set(stack.rows(STORED, attempt_id))
    assert before < stored
    numbers = [number for number, _ in stored]
    assert max(numbers) - min(numbers) + 1 == len(stored) == BLOCKS


def test_a_killed_worker(stack: Stack) -> None:
    sent = submit(stack.site, "long-texts", "atlas")
    half_done(stack.site, sent)
    stack.kill("worker")
    before = set(stack.rows(STORED, sent))
    stack.start("worker")
    attempt = stack.site.ended(sent)
    assert (attempt["status"], attempt["metric_values"]["SLOW"]["value"]) == ("scored", 0.75)
    check_computed_once(stack, sent, before)
    check_documents(stack.site, sent)


def test_killed_again_and_again(stack: Stack) -> None:
    """Each time with something stored: that is no worker that is lost for nothing."""
    sent = submit(stack.site, "long-texts", "boreas")
    for _ in range(4):
        done = stack.site.attempt(sent)["progress"]["done"]

        def further(done: int = done) -> bool:
            attempt = stack.site.attempt(sent)
            return attempt["progress"] is None or attempt["progress"]["done"] > done

        eventually(further)
        worker = stack.process("worker").pid
        kill({member for member in family(worker) if member.pid != worker})
    attempt = stack.site.ended(sent)
    assert (attempt["status"], attempt["error"]) == ("scored", None)
    check_documents(stack.site, sent)


def test_several_at_once(stack: Stack) -> None:
    sent = [submit(stack.site, "long-texts", f"p{at}", blocks=6) for at in range(4)]
    for attempt in sent:
        assert stack.site.ended(attempt)["status"] == "scored"
        check_documents(stack.site, attempt, blocks=6)
    for line in stack.manage("verify_standings").splitlines():
        assert line.endswith(": no differences")


def test_a_rescore_goes_on_after_its_worker(stack: Stack) -> None:
    site = stack.site
    change = {"text_metrics": [{"id": "SLOW", "parameters": {"again": 1}}]}
    assert site.ask("PATCH", "/api/v1/challenges/long-texts/", change).status == 200
    answer = site.ask("POST", "/api/v1/challenges/long-texts/rescore/", {})
    assert answer.status == 202, answer
    board = "/challenges/long-texts/leaderboard/"

    def begun() -> bool:
        [(count,)] = stack.rows("SELECT count(*) FROM leaderboard_metricrun WHERE config_id = 2")
        return bool(count)

    eventually(begun)
    stack.kill("worker")
    stack.start("worker")
    eventually(lambda: site.get(board)["scoring_version"] == 2, within=180)
    assert {row["values"]["SLOW"] for row in site.board("long-texts")} == {0.75}
    for line in stack.manage("verify_standings").splitlines():
        assert line.endswith(": no differences")
