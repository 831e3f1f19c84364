"""Parameters and fields that an operation does not declare are refused in the whole API."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import Client, RequestFactory
from django.urls import URLPattern

from leaderboard.api.operations import AcceptedParameters, accepted_by, operation
from leaderboard.api.urls import urlpatterns
from leaderboard.api.views.base import ApiView
from leaderboard.models import Attempt, Challenge, Tenant, User
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.scoring import single
from leaderboard.services.tokens import create_token
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
each_operation = pytest.mark.parametrize("door", OPERATIONS, ids=str)
without_body = pytest.mark.parametrize(
    "door", [each for each in OPERATIONS if not each.takes.body], ids=str
)
with_json = pytest.mark.parametrize(
    "door",
    [
        each
        for each in OPERATIONS
        if each.takes.body and "bulk" not in each.path and "references" not in each.path
        if any(parser.media_type == "application/json" for parser in each.view.parser_classes)
    ],
    ids=str,
)


@pytest.fixture(scope="module")
def default(module_rows: None) -> Tenant:
    return Tenant.objects.create(slug="default", name="Default")


@pytest.fixture(scope="module")
def alice(default: Tenant) -> User:
    return organiser_of(default, "alice")


@pytest.fixture(scope="module")
def organiser(alice: User, default: Tenant) -> Api:
    return Api(create_token(user=alice, scopes=["submit", "organise"], tenant=default)[1])


@pytest.fixture(scope="module")
def sprint(default: Tenant, alice: User) -> Challenge:
    fields = {"name": "Sprint", "slug": "sprint", "scoring_strategy": "fastest"}
    return create_challenge(tenant=default, user=alice, fields=fields)


@pytest.fixture(scope="module")
def address(organiser: Api, sprint: Challenge) -> Callable[[str], str]:
    """Return a function that gives the URL for an operation's path, on a challenge with one
    attempt, one announcement and one annotation."""
    assert organiser.post("challenges/sprint/attempts/", ME).status_code == 202
    single.score_waiting()
    names = {
        "slug": "sprint",
        "participant": "atlas",
        "phase": "main",
        "pk": str(Attempt.objects.get().pk),
        "username": "alice",
    }
    text = {"title": "News", "text": "There is some."}
    announced = organiser.post("challenges/sprint/announcements/", text).json()["id"]

    note = organiser.post(f"attempts/{names['pk']}/annotations/", {"text": "Run twice."}).json()
    names["annotation"] = note["id"]

    def made(path: str) -> str:
        own = {"pk": announced} if "announcements" in path else {}
        return "/api/v1/" + path.format(**names | ({"pk": "1"} if path in NUMBERED else own))

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
    assert len({each.path for each in OPERATIONS}) == len(urlpatterns)


def test_the_schema_has_the_same_parameters() -> None:
    """A new route, or a parameter that only the schema or only the server has, fails here."""
    documented = {
        (path.removeprefix("/api/v1/").replace("{id}", "{pk}"), method): (
            {each["name"] for each in said.get("parameters", ()) if each["in"] == "query"},
            "requestBody" in said,
        )
        for path, methods in written()["paths"].items()
        for method, said in methods.items()
    }
    declared = {
        (each.path, each.method): (set(each.takes.query), each.takes.body) for each in OPERATIONS
    }
    assert documented == declared


def test_an_undeclared_operation_does_not_run() -> None:
    class Undeclared(ApiView):
        permission_classes = []
        throttle_classes = []

        def get(self, request: Any) -> None:
            raise AssertionError("this must not run")

    with pytest.raises(ImproperlyConfigured, match=r"get needs the decorator @operation"):
        Undeclared.as_view()(RequestFactory().get("/"))


def test_a_declaration_belongs_to_its_handler() -> None:
    @operation(operation_id="x", summary="x", responses={})
    def handler() -> None: ...

    assert accepted_by(handler) == AcceptedParameters(frozenset(), body=False)


@pytest.mark.django_db
@each_operation
def test_an_unknown_parameter_is_refused(
    door: Operation, organiser: Api, address: Callable[[str], str]
) -> None:
    before = state()
    answer = organiser.send(door.method, f"{address(door.path)}?at=2026-01-01&kind=person", b"")
    error = refused(answer, 400, "invalid", "at", "kind")
    assert "got at=2026-01-01" in error["fields"]["at"][0]
    assert all(name in error["fields"]["at"][0] for name in door.takes.query)
    assert state() == before


@pytest.mark.django_db
@each_operation
def test_a_repeated_parameter_is_refused(
    door: Operation, organiser: Api, address: Callable[[str], str]
) -> None:
    for name in door.takes.query - door.takes.repeated:
        answer = organiser.send(door.method, f"{address(door.path)}?{name}=1&{name}=2", b"")
        error = refused(answer, 400, "invalid", name)
        assert error["fields"][name] == ["must be given once; got 2 values: 1, 2"]


@pytest.mark.django_db
@without_body
@pytest.mark.parametrize(
    ("body", "content_type", "fields"),
    [
        (b'{"dry_run": true}', "application/json", ["dry_run"]),
        (b'{"a": 1, "b": 2}', "application/json; charset=utf-8", ["a", "b"]),
        (b"[1]", "application/json", ["body"]),
        (b"{", "application/json", ["body"]),
        (b"dry_run=1", "application/x-www-form-urlencoded", ["body"]),
        (b"x", "application/octet-stream", ["body"]),
        (b"x", "", ["body"]),
    ],
)
def test_an_unexpected_body_is_refused(
    door: Operation,
    organiser: Api,
    address: Callable[[str], str],
    body: bytes,
    content_type: str,
    fields: list[str],
) -> None:
    before = state()
    answer = organiser.send(door.method, address(door.path), body, content_type)
    assert list(refused(answer, 400, "invalid")["fields"]) == fields
    assert state() == before


@pytest.mark.django_db
@without_body
@pytest.mark.parametrize("body", [b"", b"{}", b" {} \n", b"null"])
def test_an_empty_body_is_accepted(
    door: Operation, organiser: Api, address: Callable[[str], str], body: bytes
) -> None:
    answer = organiser.send(door.method, address(door.path), body)
    assert answer.status_code != 400, answer.content


@pytest.mark.django_db
@with_json
def test_an_unknown_field_of_a_body_is_refused(
    door: Operation, organiser: Api, address: Callable[[str], str]
) -> None:
    before = state()
    answer = organiser.send(door.method, address(door.path), json.dumps({"dry_run": True}).encode())
    refused(answer, 400, "invalid", "file" if door.path == "registries/" else "dry_run")
    assert state() == before


@pytest.mark.django_db
@pytest.mark.parametrize("door", [each for each in OPERATIONS if each.takes.body], ids=str)
def test_another_content_type_is_refused(
    door: Operation, organiser: Api, address: Callable[[str], str]
) -> None:
    for content_type in ("text/html", "application/x-www-form-urlencoded", ""):
        answer = organiser.send(door.method, address(door.path), b"a=1", content_type)
        error = refused(answer, 415, "invalid")
        for parser in door.view.parser_classes:
            assert parser.media_type in error["message"]


@pytest.mark.django_db
@each_operation
def test_a_body_of_unknown_length_is_refused(
    door: Operation, organiser: Api, address: Callable[[str], str]
) -> None:
    """Django does not read such a body, so a `dry_run` in it would be silently ignored."""
    answer = organiser.client.generic(
        door.method.upper(),
        address(door.path),
        headers={**organiser.headers, "Transfer-Encoding": "chunked"},
    )
    refused(answer, 411, "invalid")


@pytest.mark.django_db
def test_a_compressed_body_is_refused(organiser: Api, sprint: Challenge) -> None:
    """It would be read as it is, and the error would be about the syntax of JSON."""
    path, body = "/api/v1/challenges/sprint/attempts/", gzip.compress(b'{"participant": "atlas"}')
    headers = {**organiser.headers, "Content-Encoding": "gzip"}
    answer = organiser.client.post(path, body, "application/json", headers=headers)
    error = refused(answer, 415, "invalid")
    assert error["message"] == 'Content-Encoding: must be identity; got "gzip"'
    headers["Content-Encoding"] = "identity"
    answer = organiser.client.post(path, b"{}", "application/json", headers=headers)
    assert answer.status_code == 400


@pytest.mark.django_db
def test_access_is_checked_first(anyone: Api, submitter: Api, sprint: Challenge) -> None:
    path = "challenges/sprint/rescore/?dry_run=1"
    refused(anyone.send("post", path, b"{}"), 401, "not_authenticated")
    refused(submitter.send("post", path, b"{}"), 403, "permission_denied")


@pytest.mark.django_db
def test_errors_do_not_reveal_hidden_challenges(anyone: Api, secret: Challenge) -> None:
    there, nowhere = (anyone.get(f"challenges/{slug}/?at=1") for slug in ("secret", "nowhere"))
    assert there.json() == nowhere.json()
    assert there.status_code == nowhere.status_code == 400


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
