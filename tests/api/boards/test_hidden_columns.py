"""Nobody can order a board by a value that it hides."""

from __future__ import annotations

import pytest

from leaderboard.models import Challenge
from leaderboard.services.scoring import single
from tests.api.conftest import Api


@pytest.mark.parametrize("key", ["cost_usd", "energy"])
def test_a_hidden_value_orders_nothing(
    organiser: Api, submitter: Api, anyone: Api, sprint: Challenge, key: str
) -> None:
    changes = {"columns": [{"key": key, "hidden": True}]}
    facts = {"succeeded": True, "elapsed_ms": 5, "cost_usd": 2.0}
    body = {"participant": "atlas", "metrics": facts, "values": {"energy": 3.0}}
    assert submitter.post("challenges/sprint/attempts/", body).status_code == 202
    single.score_waiting()
    path = f"challenges/sprint/leaderboard/?sort={key}"
    assert organiser.patch("challenges/sprint/", changes).status_code == 200
    assert anyone.get(path).status_code == 400
    assert organiser.patch("challenges/sprint/", {"columns": []}).status_code == 200
    if key == "energy":
        assert anyone.get(path).status_code == 200
