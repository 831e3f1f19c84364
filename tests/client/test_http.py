"""Requests of the client, to a server that is a function."""

from __future__ import annotations

import gzip
import hashlib
import json
from pathlib import Path

import httpx2 as httpx
import pytest
from podium import challenges, http, uploads
from podium.challenges import Challenge
from podium.errors import Refused, Unreachable, WrongUse
from podium.http import Session
from podium.submissions import submission_of
from podium.waiting import Waiting

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
    for module in (http, uploads):
        monkeypatch.setattr(module, "sleep", waited.append)
    return waited


def test_requests_that_change_nothing_are_repeated(pauses: list[float]) -> None:
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
        (error(404), Refused),
        (httpx.Response(302, headers={"Location": "https://other.example/"}), Unreachable),
        (httpx.Response(200, html="<h1>Sign in to the network</h1>"), Unreachable),
        (httpx.Response(200, text="not JSON"), Unreachable),
    ):
        lab, requests = session(refusal)
        with pytest.raises(kind) as raised:
            lab.json("POST", "attempts/", {})
        assert ("/api/v1/attempts/" in str(raised.value)) or refusal.status_code != 404
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


def test_a_large_file_goes_in_pieces_and_on_after_errors(
    pauses: list[float], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(uploads, "PIECE", 10)
    monkeypatch.setattr(challenges, "LARGE", 20)
    content = bytes(range(35))
    (tmp_path / "p.csv").write_bytes(content)
    here, wrongs, sent = bytearray(), ["damaged", "arrived", "lost"], []

    def answer(request: httpx.Request) -> httpx.Response:
        path, state = request.url.path, {"id": "u1", "size": 35}
        if path.endswith("/attempts/"):
            sent.append(json.loads(request.content))
            return httpx.Response(202, json={"id": "a1"})
        if request.method == "PATCH":
            wrong = wrongs.pop() if here and wrongs else ""
            if wrong == "lost":
                raise httpx.ConnectError("gone")
            if wrong == "damaged":
                error = {"code": "invalid", "message": "m", "fields": {"Content-Digest": ["t"]}}
                return httpx.Response(400, json={"error": error})
            assert request.headers["Upload-Offset"] == str(len(here))
            here.extend(request.content)
            if wrong == "arrived":
                return httpx.Response(502)
        elif request.method == "POST":
            assert json.loads(request.content)["sha256"] == hashlib.sha256(content).hexdigest()
        return httpx.Response(200, json={**state, "offset": len(here)})

    lab = Challenge(Session(URL, "secret", httpx.MockTransport(answer)), "houses")
    submission = submission_of(tmp_path / "p.csv", {"participant": "atlas"}, "predictions")
    assert lab._sent(submission, {}, False, lambda *_: None, Waiting(0)) == ["a1"]
    assert (bytes(here), wrongs) == (content, [])
    assert sent == [{"participant": "atlas", "file": "u1"}]
    del here[10:]
    wrongs[:] = ["lost"] * 99
    with pytest.raises(Unreachable):
        lab._sent(submission, {}, False, lambda *_: None, Waiting(0))
