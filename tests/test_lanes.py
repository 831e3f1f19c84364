"""Health checks and trials of plugins have threads of their own."""

from __future__ import annotations

import pytest
from django.conf import LazySettings
from django.urls import reverse

from leaderboard.http import crowds
from leaderboard.http.crowds import Crowded, Crowds
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


def test_changes_of_one_challenge_leave_threads_to_others(
    monkeypatch: pytest.MonkeyPatch, settings: LazySettings
) -> None:
    now = 100.0
    monkeypatch.setattr(crowds, "monotonic", lambda: now)
    settings.PREFIX = "/podium"
    some, path = Crowds(), f"/podium{reverse('api:attempts', args=['sprint'])}?a=b"
    pages = [f"/podium{reverse(name, args=['sprint'])}" for name in ("submit", "register")]
    begun = [some.begin("POST", target) for target in (path, *pages, path, path, path)]
    assert len({*begun} - {None}) == crowds.MOST
    for method, other in (("POST", "api:attempts"), ("PATCH", "api:challenge")):
        with pytest.raises(Crowded):
            some.begin(method, f"/podium{reverse(other, args=['sprint'])}")
        assert some.begin(method, f"/podium{reverse(other, args=['marathon'])}") is not None
    assert some.begin("GET", path) is None
    assert some.begin("POST", f"/podium{reverse('login')}") is None
    for change in begun[1:]:
        assert change is not None
        some.end(change)
    assert len([some.begin("POST", path) for _ in range(2)]) == 2
    now += crowds.LONG_SECONDS + 1
    with pytest.raises(Crowded):
        some.begin("POST", path)
