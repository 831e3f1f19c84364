"""Parameters and fields that an operation does not declare are refused in the whole API."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import transaction
from django.test import Client, RequestFactory
from django.urls import URLPattern

from leaderboard.api.operations import AcceptedParameters, accepted_by, operation
from leaderboard.api.urls import urlpatterns
from leaderboard.api.views.base import ApiView
from leaderboard.models import Attempt, Challenge, Tenant, User, Webhook
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.scoring import single
from leaderboard.services.tokens import create_token
from leaderboard.services.webhooks.endpoints import ping
from tests.api.conftest import ME, Api, refused
from tests.api.test_schema import written
from tests.people import organiser_of

METHODS = ("get", "post", "put", "patch", "delete")


class Operation(NamedTuple):
    path: str
    method: str
    takes: AcceptedParameters
    view: type[ApiView]

    def __str__(self) -> str:
        return f"{self.method.upper()} {self.path}"


def view_of(pattern: URLPattern) -> type[ApiView]:
    view: type[ApiView] = pattern.callback.view_class  # type: ignore[attr-defined]
    assert issubclass(view, ApiView), f"{pattern} is no ApiView, and nothing checks its requests"
    return view


def path_of(pattern: URLPattern) -> str:
    return re.sub(r"<\w+:(\w+)>", r"{\1}", str(pattern.pattern))


OPERATIONS = [
    Operation(
        path_of(pattern),
        method,
        accepted_by(getattr(view_of(pattern), method)),
        view_of(pattern),
    )
    for pattern in urlpatterns
    for method in METHODS
    if hasattr(view_of(pattern), method)
]
NUMBERED = {path_of(pattern) for pattern in urlpatterns if "<int:pk>" in str(pattern.pattern)}
"""The paths of objects that have a number instead of a UUID."""
UNEXPECTED = [
    (b'{"dry_run": true}', "application/json", ["dry_run"]),
    (b'{"a": 1, "b": 2}', "application/json; charset=utf-8", ["a", "b"]),
    (b"[1]", "application/json", ["body"]),
    (b"{", "application/json", ["body"]),
    (b"dry_run=1", "application/x-www-form-urlencoded", ["body"]),
    (b"x", "application/octet-stream", ["body"]),
    (b"x", "", ["body"]),
]
"""Bodies that an operation without a body refuses, each with the fields that the error names."""
EMPTY = (b"", b"{}", b" {} \n", b"null")


@pytest.fixture(scope="module")
def default(module_rows: None) -> Tenant:
    return Tenant.objects.create(slug="default", name="Default")


@pytest.fixture(scope="module")
def alice(default: Tenant) -> User:
    return organiser_of(default, "alice")


@pytest.fixture(scope="module")
def organiser(alice: User, default: Tenant) -> Api:
    return Api(create_token(user=alice, scopes=["read", "submit", "organise"], tenant=default)[1])


@pytest.fixture(scope="module")
def sprint(default: Tenant, alice: User) -> Challenge:
    fields = {"name": "Sprint", "slug": "sprint", "scoring_strategy": "fastest"}
    return create_challenge(tenant=default, user=alice, fields=fields)


@pytest.fixture(scope="module")
def address(organiser: Api, sprint: Challenge) -> Callable[[str], str]:
    """Return a function that gives the URL for an operation's path, on a challenge with one
    attempt, one announcement, one annotation and one webhook."""
    assert organiser.post("challenges/sprint/attempts/", ME).status_code == 202
    single.score_waiting()
    names = {
        "slug": "sprint",
        "participant": "atlas",
        "phase": "main",
        "pk": str(Attempt.objects.get().pk),
        "username": "alice",
        "key": "croissant",
        "number": "1",
    }
    text = {"title": "News", "text": "There is some."}
    announced = organiser.post("challenges/sprint/announcements/", text).json()["id"]

    note = organiser.post(f"attempts/{names['pk']}/annotations/", {"text": "Run twice."}).json()
    names["annotation"] = note["id"]

    webhook = Webhook.objects.create(challenge=sprint, view="public", format="standard")
    names["delivery"] = str(ping(webhook).pk)
    file = {"name": "a.csv", "size": 1, "sha256": "0" * 64}
    begun = organiser.post("uploads/", file).json()["id"]
    own = {"announcements": announced, "webhooks": str(webhook.pk), "uploads": begun}

    def made(path: str) -> str:
        pk = next((own[name] for name in own if f"{name}/{{pk}}" in path), names["pk"])
        return "/api/v1/" + path.format(**names | {"pk": "1" if path in NUMBERED else pk})

    return made


def state() -> tuple[Any, ...]:
    return (
        Challenge.objects.count(),
        Attempt.objects.count(),
        Challenge.objects.get().newest.number,
        Challenge.objects.get().board_version,
    )


def test_every_route_is_tested() -> None:
    assert len(OPERATIONS) >= 22
    assert len({door.path for door in OPERATIONS}) == len(urlpatterns)


def test_the_schema_has_the_same_parameters() -> None:
    """A new route, or a parameter that only the schema or only the server has, fails here."""
    documented = {
        (path.removeprefix("/api/v1/").replace("{id}", "{pk}"), method): (
            {
                parameter["name"]
                for parameter in described.get("parameters", ())
                if parameter["in"] == "query"
            },
            "requestBody" in described,
        )
        for path, methods in written()["paths"].items()
        for method, described in methods.items()
    }
    declared = {
        (door.path, door.method): (set(door.takes.query), door.takes.body) for door in OPERATIONS
    }
    assert documented == declared


def test_an_undeclared_operation_does_not_run() -> None:
    class Undeclared(ApiView):
        permission_classes = []
        throttle_classes = []

        def get(self, request: Any) -> None:
            raise AssertionError("this must not run")

    with pytest.raises(ImproperlyConfigured, match="@operation"):
        Undeclared.as_view()(RequestFactory().get("/"))


def test_a_declaration_belongs_to_its_handler() -> None:
    @operation(operation_id="x", summary="x", responses={})
    def handler() -> None: ...

    assert accepted_by(handler) == AcceptedParameters(frozenset(), body=False)


@pytest.mark.django_db
@pytest.mark.parametrize("door", OPERATIONS, ids=str)
def test_an_operation_refuses_what_it_does_not_declare(
    door: Operation, organiser: Api, address: Callable[[str], str]
) -> None:
    before = state()
    refuses_parameters(door, organiser, address(door.path))
    refuses_unknown_length(door, organiser, address(door.path))
    if door.takes.body:
        refuses_other_types(door, organiser, address(door.path))
        refuses_unknown_fields(door, organiser, address(door.path))
    else:
        refuses_a_body(door, organiser, address(door.path))
    assert state() == before


def refuses_parameters(door: Operation, api: Api, path: str) -> None:
    error = refused(
        api.send(door.method, f"{path}?at=2026-01-01&kind=person", b""), 400, "invalid", "kind"
    )
    (text,) = error["fields"]["at"]
    assert "got at=2026-01-01" in text
    assert all(name in text for name in door.takes.query)
    for name in door.takes.query - door.takes.repeated:
        error = refused(
            api.send(door.method, f"{path}?{name}=1&{name}=2", b""), 400, "invalid", name
        )
        assert "got 2 values: 1, 2" in error["fields"][name][0]


def refuses_unknown_length(door: Operation, api: Api, path: str) -> None:
    """Django does not read such a body, so a `dry_run` in it would be silently ignored."""
    headers = {**api.headers, "Transfer-Encoding": "chunked"}
    refused(api.client.generic(door.method.upper(), path, headers=headers), 411, "invalid")


def refuses_other_types(door: Operation, api: Api, path: str) -> None:
    for content_type in ("text/html", "application/x-www-form-urlencoded", ""):
        error = refused(api.send(door.method, path, b"a=1", content_type), 415, "invalid")
        for parser in door.view.parser_classes:
            assert parser.media_type in error["message"], content_type


def refuses_unknown_fields(door: Operation, api: Api, path: str) -> None:
    takes_json = any(parser.media_type == "application/json" for parser in door.view.parser_classes)
    if takes_json and "bulk" not in door.path and "references" not in door.path:
        answer = api.send(door.method, path, json.dumps({"dry_run": True}).encode())
        refused(answer, 400, "invalid", "file" if door.path == "registries/" else "dry_run")


def refuses_a_body(door: Operation, api: Api, path: str) -> None:
    for body, content_type, fields in UNEXPECTED:
        error = refused(api.send(door.method, path, body, content_type), 400, "invalid")
        assert list(error["fields"]) == fields, (body, content_type)


@pytest.mark.django_db
@pytest.mark.parametrize("body", EMPTY)
def test_an_empty_body_is_accepted(
    organiser: Api, address: Callable[[str], str], body: bytes
) -> None:
    for door in OPERATIONS:
        if not door.takes.body and "compare" not in door.path:  # which needs two attempts
            with transaction.atomic():
                answer = organiser.send(door.method, address(door.path), body)
                transaction.set_rollback(True)
            assert answer.status_code != 400, (str(door), answer.content)


@pytest.mark.django_db
def test_a_body_in_another_encoding_is_refused(organiser: Api, sprint: Challenge) -> None:
    """It would be read as it is, and the error would be about the syntax of JSON."""
    path, body = "/api/v1/challenges/sprint/attempts/", b'{"participant": "atlas"}'
    headers = {**organiser.headers, "Content-Encoding": "br"}
    answer = organiser.client.post(path, body, "application/json", headers=headers)
    assert 'got "br"' in refused(answer, 415, "invalid")["message"]
    headers["Content-Encoding"] = "identity"
    answer = organiser.client.post(path, b"{}", "application/json", headers=headers)
    assert answer.status_code == 400


@pytest.mark.django_db
def test_access_is_checked_first(anyone: Api, submitter: Api, sprint: Challenge) -> None:
    path = "challenges/sprint/rescore/?at=1"
    refused(anyone.send("post", path, b"{}"), 401, "not_authenticated")
    refused(submitter.send("post", path, b"{}"), 403, "permission_denied")


@pytest.mark.django_db
def test_errors_do_not_reveal_hidden_challenges(anyone: Api, secret: Challenge) -> None:
    hidden, nowhere = (anyone.get(f"challenges/{slug}/?at=1") for slug in ("secret", "nowhere"))
    assert hidden.json() == nowhere.json()
    assert hidden.status_code == nowhere.status_code == 400


@pytest.mark.django_db
def test_head_is_checked_and_options_is_not(anyone: Api, sprint: Challenge) -> None:
    refused(anyone.send("patch", "challenges/sprint/?at=1", b""), 401, "not_authenticated")
    assert anyone.send("head", "challenges/sprint/", b"").status_code == 200
    assert anyone.send("head", "challenges/sprint/?at=1", b"").status_code == 400
    assert anyone.send("options", "challenges/sprint/?at=1", b"").status_code == 200


@pytest.mark.django_db
def test_errors_list_a_limited_number_of_parameters(anyone: Api, sprint: Challenge) -> None:
    query = "&".join(f"p{at}={'x' * 200}" for at in range(50))
    answer = anyone.get(f"challenges/sprint/leaderboard/?{query}")
    assert len(refused(answer, 400, "invalid")["fields"]) == 20
    assert len(answer.content) < 6000


@pytest.mark.django_db
def test_pages_ignore_unknown_parameters(sprint: Challenge) -> None:
    """Links may have tracking parameters of newsletters; a page does not claim to filter by
    them."""
    page = Client().get("/c/sprint/?utm_source=news&fbclid=1")
    assert page.status_code == 200
