"""Whatever is killed at whatever moment: each acknowledged attempt is scored exactly once."""

import json
import random
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.embedded.server import Embedded
from tests.processes import Site, alive, eventually, family, kill

pytestmark = [pytest.mark.embedded, pytest.mark.once, pytest.mark.slow]

CLIENTS = 4
KILLS = 2
CHALLENGES: list[dict[str, Any]] = [
    {"name": "Sprint", "scoring_strategy": "fastest"},
    {
        "name": "Ring toss",
        "scoring_strategy": "custom",
        "scoring_entrypoint": "scorers.weighted:WeightedScorer",
        "scoring_config": {"success_bonus": 100.0, "rating_weight": 0.0, "time_penalty": 0.0},
        # A claim that the killed process held runs out soon.
        "timeout_ms": 1000,
    },
]


class Clients:
    """Some people who submit as fast as they can, until the server goes away."""

    def __init__(self, site: Site, challenges: list[str]) -> None:
        self.site = site
        self.challenges = challenges
        self.acknowledged: list[str] = []
        self.threads = [
            threading.Thread(target=self.submit, args=(number,)) for number in range(CLIENTS)
        ]
        for thread in self.threads:
            thread.start()

    def submit(self, number: int) -> None:
        dice = random.Random(number)
        try:
            while True:
                facts = {"succeeded": dice.random() < 0.8, "elapsed_ms": dice.randint(1, 9) * 1000}
                participant = f"p{dice.randint(1, 9)}"
                sent = self.site.submit(dice.choice(self.challenges), participant, **facts)
                self.acknowledged.append(sent)
        except OSError:
            pass

    def join(self) -> None:
        for thread in self.threads:
            thread.join()


SLOW_SCORER = """
import time

class Slow:
    def score(self, metrics, config, ctx):
        time.sleep(0.02)
        return {"score": metrics["elapsed_ms"] / 1000}
"""
ATTEMPTS = 150
SCORED = "SELECT count(*) FROM leaderboard_attempt WHERE status = 'scored'"
CLAIMED = "SELECT count(*) FROM leaderboard_rescoreslice WHERE lease_token IS NOT NULL"


def test_killed_under_load(embedded: Embedded) -> None:
    acknowledged: list[str] = []
    with embedded.up("--no-demo") as (_, site):
        organiser = embedded.organiser(site)
        challenges = [organiser.create_challenge(**fields) for fields in CHALLENGES]
    for _ in range(KILLS):
        with embedded.up("--no-demo") as (process, site):
            clients = Clients(Site(site.port, organiser.token), challenges)
            enough = random.randint(15, 60)
            eventually(lambda: len(clients.acknowledged) >= enough)  # noqa: B023
            members = family(process.pid)
            kill({member for member in members if member.pid == process.pid})
            clients.join()
            eventually(lambda: not alive(members))  # noqa: B023
            acknowledged += clients.acknowledged

    with embedded.up("--no-demo"):
        waiting = "SELECT count(*) FROM leaderboard_attempt WHERE status IN ('queued', 'scoring')"
        eventually(lambda: embedded.rows(waiting) == [(0,)])
    scores = embedded.rows(
        "SELECT replace(attempt.id, '-', ''), attempt.status, count(score.id), max(score.value)"
        " FROM leaderboard_attempt attempt"
        " LEFT JOIN leaderboard_score score ON score.attempt_id = attempt.id GROUP BY attempt.id"
    )
    print(len(acknowledged), len(scores))
    assert {(status, count) for _, status, count, _ in scores} == {("scored", 1)}
    assert {value for *_, value in scores} == {None, 0.0, 100.0}
    assert {sent.replace("-", "") for sent in acknowledged} <= {attempt for attempt, *_ in scores}
    assert len(set(acknowledged)) == len(acknowledged)
    assert embedded.manage("verify_standings").splitlines() == [
        "ring-toss: no differences",
        "sprint: no differences",
    ]


def test_a_rescore_that_was_cut_short_goes_on(plugins: Path, tmp_path: Path) -> None:
    (plugins / "ours.py").write_text(SLOW_SCORER)
    embedded = Embedded(tmp_path, SCORER_PATH=str(plugins), SCORER_PACKAGES="scorers,ours")
    with embedded.up("--no-demo") as (process, site):
        organiser = embedded.organiser(site)
        sprint = organiser.create_challenge(**CHALLENGES[0])
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
