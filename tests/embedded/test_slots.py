"""An embedded server that scores several attempts at a time."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.embedded.server import Embedded
from tests.embedded.test_up import ATTEMPT, HANGING, WEIGHTED
from tests.processes import eventually

pytestmark = [pytest.mark.embedded, pytest.mark.once, pytest.mark.slow]


def with_hanging_scorer(tmp_path: Path, slots: int) -> Embedded:
    plugins = tmp_path / "plugins"
    plugins.mkdir()
    (plugins / "ours.py").write_text(HANGING)
    return Embedded(
        tmp_path,
        SCORER_PATH=str(plugins),
        SCORER_PACKAGES="scorers,ours",
        SCORING_SLOTS=str(slots),
    )


@pytest.mark.parametrize("slots", [2, 3])
def test_a_hanging_scorer_blocks_one_slot_only(tmp_path: Path, slots: int) -> None:
    embedded = with_hanging_scorer(tmp_path, slots)
    hanging = {"scoring_strategy": "custom", "scoring_entrypoint": "ours:Hanging"}
    with embedded.up("--no-demo") as (_, site):
        organiser = embedded.organiser(site)
        slow = organiser.create_challenge(name="Slow", timeout_ms=600_000, **hanging)
        quick = organiser.create_challenge(**WEIGHTED)

        def is_now(attempt: str, status: str) -> Callable[[], bool]:
            return lambda: organiser.attempt(attempt)["status"] == status

        stuck = []
        for number in range(slots - 1):
            stuck.append(organiser.submit(slow, f"atlas{number}", **ATTEMPT))
            eventually(is_now(stuck[-1], "scoring"))
        for number in range(5):
            eventually(is_now(organiser.submit(quick, f"boreas{number}", **ATTEMPT), "scored"))
        assert {organiser.attempt(attempt)["status"] for attempt in stuck} == {"scoring"}
    assert "Traceback" not in embedded.errors.read_text()


def test_many_concurrent_attempts_are_scored_once_each(tmp_path: Path) -> None:
    embedded = Embedded(tmp_path, SCORING_SLOTS="3")
    with embedded.up("--no-demo") as (_, site):
        organiser = embedded.organiser(site)
        challenge = organiser.create_challenge(**WEIGHTED, timeout_ms=60_000)
        with ThreadPoolExecutor(4) as pool:
            sent = list(
                pool.map(
                    lambda number: organiser.submit(challenge, f"p{number % 7}", **ATTEMPT),
                    range(60),
                )
            )
        for attempt in sent:
            assert organiser.ended(attempt)["status"] == "scored"
    assert embedded.manage("verify_standings") == f"{challenge}: no differences\n"
    counted = "SELECT COUNT(*), COUNT(DISTINCT attempt_id) FROM leaderboard_score"
    assert embedded.rows(counted) == [(60, 60)]
    assert embedded.rows("SELECT MAX(deliveries) FROM leaderboard_attempt") == [(1,)]
    assert "Traceback" not in embedded.errors.read_text()
