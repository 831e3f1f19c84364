"""Whatever is killed at whatever moment: each acknowledged attempt is scored exactly once."""

import random
import threading
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
