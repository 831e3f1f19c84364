"""Evaluations of model outputs with one worker in one process."""

from pathlib import Path

import pytest

from tests.embedded.server import Embedded
from tests.helpers.slow_texts import CHALLENGE, check_documents, half_done, submit, write_package
from tests.processes import alive, eventually, family, kill

pytestmark = [pytest.mark.embedded, pytest.mark.once, pytest.mark.slow]

STORED = "SELECT id FROM leaderboard_resultblock"


@pytest.fixture
def embedded(plugins: Path, tmp_path: Path) -> Embedded:
    write_package(plugins)
    return Embedded(tmp_path, SCORER_PATH=str(plugins), SCORER_PACKAGES="scorers,ours")


@pytest.mark.journey
def test_a_killed_server_continues_an_evaluation(embedded: Embedded) -> None:
    with embedded.up("--no-demo") as (process, site):
        organiser = embedded.organiser(site)
        challenge = organiser.create_challenge(**CHALLENGE)
        sent = submit(organiser, challenge, "atlas")
        half_done(organiser, sent)
        members = family(process.pid)
        kill({member for member in members if member.pid == process.pid})
        eventually(lambda: not alive(members))
        before = set(embedded.rows(STORED))
    assert before
    embedded.expire("attempt")
    with embedded.up("--no-demo") as (_, site):
        assert site.ended(sent)["metric_values"]["SLOW"]["value"] == 0.75
        assert before < set(embedded.rows(STORED))
        check_documents(site, sent)
    assert embedded.manage("verify_standings") == "long-texts: no differences\n"


def test_short_attempts_do_not_wait_for_a_long_one(embedded: Embedded) -> None:
    """They do not wait even for a metric that needs all instances at once."""
    whole = {"text_metrics": ["WHOLE"], "rank_by": [{"key": "WHOLE"}]}
    with embedded.up("--no-demo") as (_, site):
        organiser = embedded.organiser(site)
        challenge = organiser.create_challenge(**CHALLENGE | whole)
        sprint = organiser.create_challenge(name="Sprint", scoring_strategy="fastest")
        long = submit(organiser, challenge, "atlas", blocks=1)
        eventually(lambda: site.attempt(long)["status"] == "scoring")
        for at in range(3):
            short = organiser.submit(sprint, f"p{at}", succeeded=True, elapsed_ms=5)
            assert site.ended(short)["status"] == "scored"
        assert site.attempt(long)["status"] == "scoring"
