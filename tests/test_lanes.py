"""Health checks and trials of plugins have threads of their own."""

from __future__ import annotations

import pytest
from django.conf import LazySettings
from django.urls import reverse

from leaderboard.http.lanes import Lane, lane_of

HEALTH, TRIALS, MAIN = Lane.HEALTH, Lane.TRIALS, Lane.MAIN


@pytest.mark.parametrize(
    ("method", "name", "args", "lane"),
    [
        ("GET", "healthz", (), HEALTH),
        ("HEAD", "readyz", (), HEALTH),
        ("POST", "plugin", ("scorers.weighted:Weighted",), TRIALS),
        ("GET", "plugin", ("scorers.weighted:Weighted",), MAIN),
        ("POST", "admin:leaderboard_challenge_add", (), TRIALS),
        ("POST", "admin:leaderboard_challenge_change", (1,), TRIALS),
        ("GET", "admin:leaderboard_challenge_add", (), MAIN),
        ("POST", "manage-script", ("sprint",), TRIALS),
        ("POST", "manage-plugins", ("sprint",), TRIALS),
        ("POST", "api:challenge-plugins", ("sprint",), TRIALS),
        ("POST", "api:gate", ("sprint",), Lane.IMPORTS),
        ("GET", "api:gate", ("sprint",), MAIN),
        ("POST", "challenges", (), MAIN),
        ("GET", "status", (), MAIN),
    ],
)
def test_each_request_has_a_lane(
    method: str, name: str, args: tuple[object, ...], lane: Lane, settings: LazySettings
) -> None:
    path = reverse(name, args=args)
    assert lane_of(method, path) is lane
    assert lane_of(method, f"{path}?from=somewhere") is lane
    settings.PREFIX = "/podium"
    assert lane_of(method, f"/podium{path}") is lane
