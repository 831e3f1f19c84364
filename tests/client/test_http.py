"""Requests of the client, to a server that is a function."""

from __future__ import annotations

import gzip
import json
import time

import httpx2 as httpx
import pytest
from podium.challenges import Challenge
from podium.errors import Refused, Unreachable, WrongUse
from podium.http import Session

URL = "https://lab.example/sub"


def session(*answers: httpx.Response | Exception) -> tuple[Session, list[httpx.Request]]:
    """A session whose requests get these answers, one after the other, and the requests."""
    requests: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        this = answers[len(requests) - 1]
        if isinstance(this, Exception):
            raise this
        return this

    return Session(URL, "secret", httpx.MockTransport(answer)), requests


def error(status: int, **headers: str) -> httpx.Response:
    body = {"error": {"code": "c", "message": "m", "fields": {"f": ["t"]}}}
    return httpx.Response(status, json=body, headers=headers)


@pytest.fixture(autouse=True)
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that the client has waited; it does not really wait."""
    waited: list[float] = []
    monkeypatch.setattr(time, "sleep", waited.append)
    return waited


def test_what_is_safe_is_repeated(pauses: list[float]) -> None:
    busy = error(503, **{"Retry-After": "7"})
    lab, requests = session(busy, httpx.ConnectError("gone"), httpx.Response(200, json=[]))
    assert lab.json("GET", "plugins/") == []
    assert [str(request.url) for request in requests] == [f"{URL}/api/v1/plugins/"] * 3
    assert requests[0].headers["Authorization"] == "Bearer secret"
    assert pauses[0] == 7
    for refusal, kind in (
        (busy, Unreachable),
        (error(429, **{"Retry-After": "900"}), Refused),
        (error(500), Unreachable),
        (error(400), Refused),
        (httpx.Response(302, headers={"Location": "https://other.example/"}), Unreachable),
    ):
        lab, requests = session(refusal)
        with pytest.raises(kind):
            lab.json("POST", "attempts/", {})
        assert len(requests) == 1


def test_a_token_stays_at_its_server() -> None:
    lab, requests = session(httpx.Response(200, json={}), httpx.Response(200, json={}))
    lab.json("GET", "/sub/api/v1/attempts/7/")
    assert str(requests[0].url) == "https://lab.example/sub/api/v1/attempts/7/"
    with pytest.raises(WrongUse):
        lab.json("GET", "//other.example/x")


def test_large_bodies_are_compressed_and_pages_followed() -> None:
    rows = [{"results": [1, 2], "next": "a"}, {"results": [3], "next": None}]
    answers = [httpx.Response(200, json=row) for row in rows]
    lab, requests = session(httpx.Response(200, json={}), *answers)
    lab.json("POST", "x/", ["text" * 9999])
    assert json.loads(gzip.decompress(requests[0].content)) == ["text" * 9999]
    assert list(lab.pages("list/", {})) == [1, 2, 3]
    assert requests[2].url.params["cursor"] == "a"


def test_events_go_on_after_a_number() -> None:
    page = {"results": [{"seq": 8}], "after": 8}
    lab, requests = session(httpx.Response(200, json=page))
    assert Challenge(lab, "cup").events(7) == ([{"seq": 8}], 8)
    assert requests[0].url.params["after"] == "7"
