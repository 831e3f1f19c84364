"""Users and tenants: alice organises `default`, bob submits, carol organises `acme`."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart

from leaderboard.models import Challenge, Tenant, User
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.scoring import single
from leaderboard.services.tokens import create_token
from tests.notifications import notifications
from tests.people import bob, organiser_of

__all__ = ["bob", "notifications"]

Run = Callable[..., dict[str, Any]]
"""What the fixture `run` is."""

METRICS = {"succeeded": True, "elapsed_ms": 1200, "tokens_total": 300, "rating": 8}
ME = {"participant": "atlas", "metrics": METRICS}


WITHOUT_SENT = (
    "No metric registered under ",
    "The scorer could not be loaded",
    "must not have the NUL",
)
"""How texts about a field begin that do not end with what was sent."""


class Untouched(io.BytesIO):
    """A body that must not be read."""

    def read(self, *_: Any) -> bytes:
        raise AssertionError("the body was read")


class Api:
    """A client that sends JSON, with a token or with a signed-in user's session."""

    def __init__(self, token: str = "", user: User | None = None) -> None:
        self.headers = {"Authorization": f"Bearer {token}"} if token else {}
        self.client = Client(enforce_csrf_checks=True, raise_request_exception=False)
        if user is not None:
            self.client.force_login(user)

    def get(self, path: str, **headers: str) -> Any:
        return self.client.get(url(path), headers=self.headers | headers)

    def post(self, path: str, body: Any = None, **headers: str) -> Any:
        return self.send("post", path, json.dumps(body).encode(), headers=headers)

    def put(self, path: str, body: Any = None, **headers: str) -> Any:
        return self.send("put", path, json.dumps(body).encode(), headers=headers)

    def patch(self, path: str, body: Any, **headers: str) -> Any:
        return self.send("patch", path, json.dumps(body).encode(), headers=headers)

    def delete(self, path: str) -> Any:
        return self.client.delete(url(path), headers=self.headers)

    def upload(
        self,
        path: str,
        content: bytes,
        name: str = "upload",
        *,
        method: str = "post",
        headers: dict[str, str] | None = None,
        **fields: Any,
    ) -> Any:
        """Send a form with a file and other fields."""
        form = encode_multipart(BOUNDARY, {"file": SimpleUploadedFile(name, content), **fields})
        return self.send(method, path, form, MULTIPART_CONTENT, headers)

    def text(self, path: str, **headers: str) -> str:
        """The content of a file that the API answers with."""
        content: bytes = self.get(path, **headers).getvalue()
        return content.decode()

    def table(self, path: str) -> list[dict[str, str]]:
        """The rows of a CSV."""
        return [*csv.DictReader(io.StringIO(self.text(path)))]

    def json_lines(self, path: str) -> list[Any]:
        return [json.loads(line) for line in self.text(path).splitlines()]

    def declare(self, path: str, length: int, content_type: str = "application/json") -> Any:
        """Send a request whose header declares a length, with a body that must not be read."""
        declared = {"CONTENT_TYPE": content_type, "CONTENT_LENGTH": str(length)}
        environ: Any = {**declared, "wsgi.input": Untouched()}
        return self.client.generic("POST", url(path), headers=self.headers, **environ)

    def lines(self, path: str, *lines: Any) -> Any:
        body = b"\n".join(
            line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines
        )
        return self.send("post", path, body, "application/x-ndjson")

    def send(
        self,
        method: str,
        path: str,
        body: bytes,
        content_type: str = "application/json",
        headers: dict[str, str] | None = None,
    ) -> Any:
        return self.client.generic(
            method.upper(), url(path), body, content_type, headers=self.headers | (headers or {})
        )


def ranked_by(metric: str, name: str, **fields: Any) -> dict[str, Any]:
    """The fields of a challenge that computes a metric and ranks by it."""
    metrics = {"metrics": [metric], "rank_by": [{"key": metric}]}
    return {"name": name, "scoring_strategy": "metric", **metrics, **fields}


def url(path: str) -> str:
    return path if path.startswith("/") else f"/api/v1/{path}"


def refused(response: Any, status: int, code: str, *fields: str) -> dict[str, Any]:
    """Check the form of an error answer; return its error."""
    assert response.status_code == status, response.content
    body = response.json()
    assert set(body) == {"error"}
    error: dict[str, Any] = body["error"]
    assert set(error) == {"code", "message", "fields"}
    assert error["code"] == code, error
    assert error["message"]
    assert set(fields) <= set(error["fields"]), error
    assert all(messages and isinstance(messages, list) for messages in error["fields"].values())
    if code == "invalid":
        texts = [text for messages in error["fields"].values() for text in messages]
        assert all("got " in text or text.startswith(WITHOUT_SENT) for text in texts), texts
    return error


@pytest.fixture
def default(db: None) -> Tenant:
    return Tenant.objects.create(slug="default", name="Default")


@pytest.fixture
def acme(db: None) -> Tenant:
    return Tenant.objects.create(slug="acme", name="Acme")


@pytest.fixture
def alice(default: Tenant) -> User:
    return organiser_of(default, "alice")


@pytest.fixture
def carol(acme: Tenant) -> User:
    return organiser_of(acme, "carol")


@pytest.fixture
def anyone(db: None) -> Api:
    return Api()


@pytest.fixture
def organiser(alice: User, default: Tenant) -> Api:
    return Api(create_token(user=alice, scopes=["submit", "organise"], tenant=default)[1])


@pytest.fixture
def submitter(bob: User) -> Api:
    return Api(create_token(user=bob, scopes=["submit"])[1])


@pytest.fixture
def stranger(carol: User, acme: Tenant) -> Api:
    return Api(create_token(user=carol, scopes=["submit", "organise"], tenant=acme)[1])


@pytest.fixture
def sprint(default: Tenant, alice: User) -> Challenge:
    fields = {"name": "Sprint", "slug": "sprint", "scoring_strategy": "fastest"}
    return create_challenge(tenant=default, user=alice, fields=fields)


@pytest.fixture
def secret(default: Tenant, alice: User) -> Challenge:
    fields = {"name": "Secret", "scoring_strategy": "first", "visibility": "private"}
    return create_challenge(tenant=default, user=alice, fields=fields)


@pytest.fixture
def run(submitter: Api, sprint: Challenge) -> Run:
    """Submit as bob and score: `run("atlas", elapsed_ms=5)` returns the attempt as the API reads
    it."""

    def ran(participant: str, **metrics: Any) -> dict[str, Any]:
        body = {"participant": participant, "metrics": {**METRICS, **metrics}}
        answer = submitter.post("challenges/sprint/attempts/", body)
        assert answer.status_code == 202, answer.content
        single.score_waiting()
        read: dict[str, Any] = submitter.get(answer.json()["url"]).json()
        return read

    return ran
