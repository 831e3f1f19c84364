"""The OpenAPI schema says what the API does: checked by reading it and by trying it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from typing import Any

import pytest
import schemathesis
from django.core.management import call_command
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from django.test import Client
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiJsonRenderer
from hypothesis import HealthCheck, settings
from rest_framework.settings import api_settings
from schemathesis.checks import CHECKS as REGISTERED
from schemathesis.checks import load_all_checks

from leaderboard.models import Challenge
from leaderboard.services import scoring
from leaderboard.wsgi import application
from tests.api.conftest import METRICS, Api


def test_no_warnings() -> None:
    out, err = StringIO(), StringIO()
    call_command("spectacular", "--validate", "--fail-on-warn", stdout=out, stderr=err)
    assert "openapi: 3" in out.getvalue()
    assert not re.search("warning|error", err.getvalue(), re.IGNORECASE)


def test_every_operation_documents_its_errors() -> None:
    shape = {"$ref": "#/components/schemas/ErrorBody"}
    operations = [
        (path, method, operation)
        for path, methods in written()["paths"].items()
        for method, operation in methods.items()
    ]
    assert len(operations) >= 15
    for path, method, operation in operations:
        wanted = {"400", "401", "406", "429"}
        wanted |= {"403", "413", "415"} if "requestBody" in operation else set()
        wanted |= {"404"} if "{" in path else set()
        answers = operation["responses"]
        assert wanted <= set(answers), (method, path)
        for status in wanted:
            assert answers[status]["content"]["application/json"]["schema"] == shape


@pytest.mark.django_db
def test_it_is_served() -> None:
    answer = Client().get("/api/schema/", headers={"Accept": "application/json"})
    assert answer.json() == written()


@pytest.mark.django_db
def test_the_docs_ask_no_third_party() -> None:
    client = Client()
    page = client.get("/api/docs/")
    assert page.status_code == 200
    text = page.content.decode()
    addresses = re.findall(r'(?:src|href)="([^"]+)"', text)
    assert len(addresses) >= 4
    assert all(address.startswith("/") for address in addresses)
    assert not re.search(r"<script(?![^>]*src=)|<style|style=|https?://", text)
    script = client.get("/api/docs/?script=")
    assert script["Content-Type"].startswith("application/javascript")
    assert not re.search(r"https?://(?!www\.w3\.org)", script.content.decode())
    for address in addresses:
        if address.startswith("/static/"):
            assert client.get(address).status_code == 200, address


def written() -> dict[str, Any]:
    """The schema as it is served."""
    generator = SchemaGenerator()  # type: ignore[no-untyped-call]
    generated = generator.get_schema(public=True)  # type: ignore[no-untyped-call]
    read: dict[str, Any] = json.loads(OpenApiJsonRenderer().render(generated))
    return read


NOT_CHECKED = {
    "positive_data_acceptance": "no schema says which keys, columns and cursors a challenge has;"
    " what is refused for them names its field",
    "ignored_auth": "the token stays while the cookie is taken away, and either is enough;"
    " tests/api/test_access.py has the doors without both",
}
NOT_OF_ALL = {"negative_data_rejection"}
"""A wrong attempt among many is answered by 200, and its line is among the `rejected`."""

load_all_checks()
CHECKS = [check for check in REGISTERED.get_all() if check.__name__ not in NOT_CHECKED]


def test_every_check_is_made_or_has_a_reason() -> None:
    for name, reason in NOT_CHECKED.items():
        print(f"{name}: {reason}")
    assert NOT_CHECKED.keys() <= {check.__name__ for check in REGISTERED.get_all()}
    assert len(CHECKS) >= 10


@contextmanager
def open_database() -> Iterator[None]:
    """Without this, a request's start closes the connection that the test's transaction is on."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.fixture
def headers(
    organiser: Api,
    sprint: Challenge,
    secret: Challenge,
    monkeypatch: pytest.MonkeyPatch,
) -> dict[str, str]:
    """Those of alice, on a server with a few attempts."""
    for at in range(3):
        body = {"participant": f"p{at}", "metrics": {**METRICS, "elapsed_ms": at}}
        organiser.post("challenges/sprint/attempts/", body)
    scoring.score_waiting()
    monkeypatch.setattr(api_settings, "DEFAULT_THROTTLE_RATES", {"read": None, "submit": None})
    # The client reads what comes as it is.
    return {**organiser.headers, "Accept-Encoding": "identity"}


@schemathesis.serializer("application/x-ndjson")
def as_lines(context: schemathesis.SerializationContext, value: Any) -> bytes:
    return (json.dumps(value) + "\n").encode() * 2


doors = schemathesis.openapi.from_dict(written())
doors.app = application


@pytest.mark.once
@pytest.mark.slow
@doors.parametrize()
@settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
def test_answers_as_documented(case: schemathesis.Case[Any], headers: dict[str, str]) -> None:
    """Whatever is sent: no fault of ours, and only answers that the schema has."""
    if "slug" in case.path_parameters:
        case.path_parameters["slug"] = "sprint"
    with open_database():
        response = case.call(headers=headers)
    # An empty parameter of a query is none, which a schema of numbers cannot say.
    lenient = case.operation.path.endswith("/bulk/") or "" in (case.query or {}).values()
    checks: Any = [each for each in CHECKS if not (lenient and each.__name__ in NOT_OF_ALL)]
    case.validate_response(response, checks=checks)
