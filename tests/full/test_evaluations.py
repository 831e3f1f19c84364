"""When a worker is killed during an evaluation, only unstored blocks are computed again."""

import pytest

from tests.full.stack import Stack
from tests.helpers.slow_texts import BLOCKS, CHALLENGE, check_documents, half_done, submit
from tests.processes import eventually

pytestmark = [pytest.mark.once, pytest.mark.redis, pytest.mark.slow]

LAST_ID = "SELECT last_value FROM leaderboard_resultblock_id_seq"
STORED = """
    SELECT block.id, block.number FROM leaderboard_resultblock block
    JOIN leaderboard_metricrun run ON run.id = block.run_id WHERE run.evaluation_id = %s
"""
RESCORED = """
    SELECT count(*) FROM leaderboard_metricrun run
    JOIN leaderboard_scoringconfig config ON config.id = run.config_id WHERE config.number = 2
"""


@pytest.fixture(scope="module", autouse=True)
def _long_texts(stack: Stack) -> None:
    stack.site.create_challenge(**CHALLENGE)


def check_computed_once(
    stack: Stack, attempt_id: str, before: set[tuple[int, ...]], last: int
) -> None:
    """Check that stored blocks were kept and no block was stored twice: a second copy would have
    used an id, which would be missing in the sequence.

    last: the last id when the worker was killed, which may have used some for blocks that were not
    committed.
    """
    stored = set(stack.rows(STORED, attempt_id))
    assert before < stored
    assert len(stored) == BLOCKS
    later = sorted(number for number, _ in stored - before)
    assert later == [*range(last + 1, last + 1 + len(later))]


def test_an_evaluation_continues_after_a_killed_worker(stack: Stack) -> None:
    sent = submit(stack.site, "long-texts", "atlas")
    half_done(stack.site, sent)
    stack.kill("worker")
    before = set(stack.rows(STORED, sent))
    [(last,)] = stack.rows(LAST_ID)
    stack.start("worker")
    attempt = stack.site.ended(sent)
    assert (attempt["status"], attempt["metric_values"]["SLOW"]["value"]) == ("scored", 0.75)
    check_computed_once(stack, sent, before, last)
    check_documents(stack.site, sent)


def test_an_evaluation_continues_after_many_killed_workers(stack: Stack) -> None:
    """Some blocks are stored each time, so these are not useless deliveries."""
    sent = submit(stack.site, "long-texts", "boreas", blocks=2 * BLOCKS)
    for _ in range(4):
        done = stack.site.attempt(sent)["progress"]["done"]

        def further(done: int = done) -> bool:
            attempt = stack.site.attempt(sent)
            return attempt["progress"] is None or attempt["progress"]["done"] > done

        eventually(further)
        stack.kill_children("worker")
        stack.expire("attempt")
    attempt = stack.site.ended(sent)
    assert (attempt["status"], attempt["error"]) == ("scored", None)
    check_documents(stack.site, sent, blocks=2 * BLOCKS)


def test_several_evaluations_run_at_once(stack: Stack) -> None:
    sent = [submit(stack.site, "long-texts", f"p{at}", blocks=6) for at in range(4)]
    for attempt in sent:
        assert stack.site.ended(attempt)["status"] == "scored"
        check_documents(stack.site, attempt, blocks=6)
    stack.check_standings()


def test_a_rescore_continues_after_a_killed_worker(stack: Stack) -> None:
    site = stack.site
    again = site.create_challenge(**CHALLENGE | {"name": "Texts again"})
    for attempt in [submit(site, again, f"p{at}", blocks=6) for at in range(2)]:
        assert site.ended(attempt)["status"] == "scored"
    change = {"text_metrics": [{"id": "SLOW", "parameters": {"again": 1}}]}
    assert site.ask("PATCH", f"/api/v1/challenges/{again}/", change).status == 200
    answer = site.ask("POST", f"/api/v1/challenges/{again}/rescore/", {})
    assert answer.status == 202, answer
    board = f"/challenges/{again}/leaderboard/"
    eventually(lambda: stack.rows(RESCORED) != [(0,)])
    assert site.get(board)["scoring_version"] == 1
    stack.kill("worker")
    stack.expire("rescoreslice")
    stack.start("worker")
    eventually(lambda: site.get(board)["scoring_version"] == 2)
    assert {row["values"]["SLOW"] for row in site.board(again)} == {0.75}
    stack.check_standings()
