"""A rescore in the embedded server that is killed while it runs."""

import json
from pathlib import Path

import pytest

from tests.embedded.server import Embedded
from tests.processes import eventually, family, kill

pytestmark = [pytest.mark.embedded, pytest.mark.once, pytest.mark.slow]

SLOW_SCORER = """
import time

class Slow:
    def score(self, metrics, config, ctx):
        time.sleep(0.04)
        return {"score": metrics["elapsed_ms"] / 1000}
"""
ATTEMPTS = 150
SCORED = "SELECT count(*) FROM leaderboard_attempt WHERE status = 'scored'"
CLAIMED = "SELECT count(*) FROM leaderboard_rescoreslice WHERE lease_token IS NOT NULL"


def test_an_interrupted_rescore_continues_after_a_restart(plugins: Path, tmp_path: Path) -> None:
    (plugins / "ours.py").write_text(SLOW_SCORER)
    embedded = Embedded(tmp_path, SCORER_PATH=str(plugins), SCORER_PACKAGES="scorers,ours")
    with embedded.up("--no-demo") as (process, site):
        organiser = embedded.organiser(site)
        sprint = organiser.create_challenge(name="Sprint", scoring_strategy="fastest")
        lines = [
            json.dumps({"participant": f"p{number % 9}", "metrics": {"elapsed_ms": number}})
            for number in range(ATTEMPTS)
        ]
        organiser.submit_lines(sprint, lines)
        eventually(lambda: embedded.rows(SCORED) == [(ATTEMPTS,)])
        scorer = {"scoring_strategy": "custom", "scoring_entrypoint": "ours:Slow"}
        assert organiser.ask("PATCH", f"/api/v1/challenges/{sprint}/", scorer).status == 200
        assert organiser.ask("POST", f"/api/v1/challenges/{sprint}/rescore/", {}).status == 202
        eventually(lambda: embedded.rows(CLAIMED) != [(0,)])
        assert organiser.get(f"/challenges/{sprint}/leaderboard/")["scoring_version"] == 1
        kill(family(process.pid))

    embedded.expire("rescoreslice")
    with embedded.up("--no-demo") as (_, site):
        board = f"/challenges/{sprint}/leaderboard/"
        eventually(lambda: site.get(board)["scoring_version"] == 2)
        best = [(ATTEMPTS - 1 - behind) / 1000 for behind in range(9)]
        assert [row["score"] for row in site.get(board)["rows"]] == best
    counts = embedded.rows("SELECT count(*) FROM leaderboard_score GROUP BY config_id")
    assert counts == [(ATTEMPTS,), (ATTEMPTS,)]
    assert embedded.manage("verify_standings") == "sprint: no differences\n"
