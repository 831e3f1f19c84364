"""The demo as a new user sees it: loaded once, and scored by the server's own worker."""

import html

import pytest

from tests.embedded.server import Embedded
from tests.processes import eventually

pytestmark = [pytest.mark.embedded, pytest.mark.once, pytest.mark.slow]

COUNTS = "SELECT status, count(*) FROM leaderboard_attempt GROUP BY status"


def test_the_demo_is_loaded_once_and_scored(uninstalled: Embedded) -> None:
    with uninstalled.up() as (_, site):
        eventually(lambda: [status for status, _ in uninstalled.rows(COUNTS)] == ["scored"])
        [(_, attempts)] = uninstalled.rows(COUNTS)
        assert 250 <= attempts <= 500
        listed = site.get("/challenges/")["results"]
        assert len(listed) >= 4
        for challenge in listed:
            board = site.get(f"/challenges/{challenge['slug']}/leaderboard/?kinds=ranked")
            rows = board["rows"]
            ranks = [row["rank"] for row in rows if row["rank"]]
            assert len(ranks) > 4
            assert ranks[0] == 1
            assert ranks == sorted(ranks)
            assert [row["rank"] for row in rows[len(ranks) :]] == [None] * (len(rows) - len(ranks))
            page = site.page(f"/c/{challenge['slug']}/")
            assert rows[0]["participant"]["name"] in html.unescape(page)
        scores = uninstalled.rows("SELECT DISTINCT value FROM leaderboard_score WHERE value > 0")
        assert len(scores) > 50
        assert uninstalled.manage("verify_standings").count("no differences") == len(listed)

    challenges = uninstalled.rows("SELECT id, slug FROM leaderboard_challenge")
    with uninstalled.up():
        assert uninstalled.rows(COUNTS) == [("scored", attempts)]
        assert uninstalled.rows("SELECT id, slug FROM leaderboard_challenge") == challenges
