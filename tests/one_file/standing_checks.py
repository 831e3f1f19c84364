"""Reads the new stored value of standings in all places; see `checks`."""

from typing import Any

from django.test import Client

from leaderboard.models import Challenge, Standing
from leaderboard.services.board.boards import board_at
from leaderboard.services.board.reading.ranking import page_after
from leaderboard.services.board.standings.counting import rebuild_standings, verify_standings
from leaderboard.services.scoring.single import score_next

API = "/api/v1/challenges"
NAME: Any = "took_ms"


def standings(client: Client) -> dict[str, Any]:
    client.post(f"{API}/", {"name": "Dash", "scoring_strategy": "fastest"}, "application/json")
    for handle, elapsed_ms in (("hare", 900), ("hare", 700), ("hare", 800), ("snail", None)):
        metrics = {"succeeded": True, "elapsed_ms": elapsed_ms}
        body = {"participant": handle, "metrics": metrics}
        client.post(f"{API}/dash/attempts/", body, "application/json")
    while score_next():
        pass
    challenge = Challenge.objects.select_related("shown_config").get(slug="dash")
    counted = _stored(challenge)
    Standing.objects.filter(participant__handle="hare").update(**{NAME: 1})
    differences = verify_standings(challenge)
    rebuild_standings(challenge)
    return {
        "counted": counted,
        "differences": differences,
        "rebuilt": _stored(challenge),
        "verified": verify_standings(challenge),
        "rows": [
            [row.participant.handle, row.stored] for row in page_after(board_at(challenge)).rows
        ],
    }


def _stored(challenge: Challenge) -> list[Any]:
    rows = Standing.objects.of(board_at(challenge)).values_list("participant__handle", NAME)
    return [list(row) for row in rows]
