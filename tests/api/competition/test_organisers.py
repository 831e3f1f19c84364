"""Co-organisers and reviewers of one challenge through the API."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import URLPattern

from leaderboard.api.urls import urlpatterns
from leaderboard.models import Attempt, Challenge, ChallengeRole, Tenant, User
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.competition.organisers.appointing import give_role
from leaderboard.services.tokens import create_token
from tests.api.conftest import ME, Api, refused
from tests.api.test_bound_tokens import METHODS, address, attempt
from tests.parquet_files import body_text

__all__ = ["attempt"]

LIST = "challenges/sprint/organisers/"
REVIEWER, ORGANISER = {"role": "reviewer"}, {"role": "organiser"}
ONLY_READ = "You review this challenge: only its organisers may change something."


def with_role(challenge: Challenge, name: str, role: str) -> Api:
    """A token of a new user with a role, for everything that they may do in the challenge."""
    user = User.objects.create_user(name)
    give_role(challenge, name, {"role": role}, by=None)
    scopes = ["submit", "read", "organise"]
    return Api(create_token(user=user, scopes=scopes, challenge=challenge)[1])


@pytest.fixture
def reviewer(sprint: Challenge) -> Api:
    return with_role(sprint, "rita", "reviewer")


@pytest.fixture
def co_organiser(sprint: Challenge) -> Api:
    return with_role(sprint, "cody", "organiser")


def put(api: Api, user: str, body: Any) -> Any:
    return api.put(f"{LIST}{user}/", body)


@pytest.mark.usefixtures("bob")
def test_roles_are_given_changed_and_ended(organiser: Api, sprint: Challenge) -> None:
    given = put(organiser, "bob", REVIEWER)
    assert given.status_code == 200
    row = given.json()
    assert row | {"added_at": ""} == {
        "username": "bob",
        "name": "",
        "role": "reviewer",
        "of_tenant": False,
        "added_by": "alice",
        "added_at": "",
    }
    assert put(organiser, "bob", ORGANISER).json() == row | {"role": "organiser"}
    first, second = organiser.get(LIST).json()["results"]
    assert (first["username"], first["of_tenant"], first["added_at"]) == ("alice", True, None)
    assert second == row | {"role": "organiser"}
    assert organiser.delete(f"{LIST}bob/").status_code == 204
    refused(organiser.delete(f"{LIST}bob/"), 404, "not_found")
    refused(organiser.delete(f"{LIST}alice/"), 404, "not_found")
    assert not sprint.roles.exists()


@pytest.mark.usefixtures("bob")
def test_wrong_roles_and_users_are_named(organiser: Api, sprint: Challenge) -> None:
    refused(put(organiser, "bob", {"role": "owner"}), 400, "invalid", "role")
    refused(put(organiser, "nobody", {}), 400, "invalid", "role")
    refused(put(organiser, "nobody", REVIEWER), 404, "not_found", "user")
    refused(put(organiser, "alice", REVIEWER), 409, "conflict")
    assert not sprint.roles.exists()


def test_only_organisers_give_roles(
    sprint: Challenge,
    submitter: Api,
    stranger: Api,
    anyone: Api,
    reviewer: Api,
    co_organiser: Api,
) -> None:
    refused(anyone.get(LIST), 403, "permission_denied")
    refused(put(anyone, "bob", REVIEWER), 401, "not_authenticated")
    for api in (submitter, stranger):
        refused(api.get(LIST), 403, "permission_denied")
        refused(put(api, "bob", REVIEWER), 403, "permission_denied")
        refused(api.delete(f"{LIST}rita/"), 403, "permission_denied")
    assert len(reviewer.get(LIST).json()["results"]) == 3
    assert refused(put(reviewer, "rita", ORGANISER), 403, "permission_denied")["message"] == (
        ONLY_READ
    )
    refused(reviewer.delete(f"{LIST}cody/"), 403, "permission_denied")
    assert put(co_organiser, "bob", ORGANISER).status_code == 200
    assert co_organiser.delete(f"{LIST}rita/").status_code == 204
    refused(reviewer.get(LIST), 403, "permission_denied")
    assert sprint.roles.count() == 2


def test_co_organisers_do_what_organisers_do_here_and_nothing_elsewhere(
    co_organiser: Api, sprint: Challenge, default: Tenant, alice: User
) -> None:
    other_challenge = create_challenge(
        tenant=default, user=alice, fields={"name": "Plan", "scoring_strategy": "first"}
    )
    assert co_organiser.patch("challenges/sprint/", {"summary": "Run"}).status_code == 200
    body = {"title": "Hello", "text": ""}
    assert co_organiser.post("challenges/sprint/announcements/", body).status_code == 201
    assert co_organiser.get("challenges/sprint/registrations/").status_code == 200
    phases = [{"slug": "main", "total": 1}]
    assert co_organiser.patch("challenges/sprint/", {"phases": phases}).status_code == 200
    for _ in range(2):  # Attempts of organisers are free.
        assert co_organiser.post("challenges/sprint/attempts/", ME).status_code == 202
    refused(
        co_organiser.patch(f"challenges/{other_challenge.slug}/", {"summary": "x"}),
        404,
        "not_found",
    )
    new = {"name": "New", "scoring_strategy": "first"}
    refused(co_organiser.post("challenges/", new), 403, "permission_denied")
    user = User.objects.get(username="cody")
    session = Api(user=user)
    assert session.get("challenges/plan/announcements/").status_code == 200
    refused(session.get("challenges/plan/registrations/"), 403, "permission_denied")


DECIDED_BY_REVIEWERS = {("review", "post")}
"""What reviewers do unless the challenge has `reviewers_decide` off."""


def of_organisers(pattern: URLPattern) -> bool:
    view = getattr(pattern.callback, "view_class", None)
    return "<" in str(pattern.pattern) and getattr(view, "scope", "") == "organise"


def test_reviewers_read_like_organisers_and_change_nothing(
    organiser: Api, reviewer: Api, sprint: Challenge, attempt: Attempt
) -> None:
    for pattern in filter(of_organisers, urlpatterns):
        path = address(pattern, sprint, attempt)
        mine, theirs = reviewer.get(path), organiser.get(path)
        assert mine.status_code == theirs.status_code, path
        if pattern.name not in ("quota", "example"):  # They are about the reader's names.
            assert body_text(mine.getvalue()) == body_text(theirs.getvalue()), path
        for method in METHODS:
            answer = reviewer.send(method, path, b"{}")
            if (pattern.name, method) in DECIDED_BY_REVIEWERS:
                refused(answer, 400, "invalid")
            elif answer.status_code == 404:
                assert pattern.name == "challenge-file", path  # There is none to delete.
                assert organiser.send(method, path, b"{}").status_code == 404
            elif answer.status_code not in (405, 415):
                message = refused(answer, 403, "permission_denied")["message"]
                is_about_the_state = pattern.name in ("attempt-restore", "attempt-retry")
                assert message == ONLY_READ or is_about_the_state, path


@pytest.mark.parametrize("action", ["cancel", "withdraw"])
def test_reviewers_do_nothing_with_attempts_of_others(
    reviewer: Api, attempt: Attempt, action: str
) -> None:
    answer = reviewer.post(f"attempts/{attempt.pk}/{action}/", {})
    refused(answer, 403, "permission_denied")


def test_reviewers_read_what_only_organisers_see(
    organiser: Api, reviewer: Api, submitter: Api, attempt: Attempt
) -> None:
    organiser.post(f"attempts/{attempt.pk}/annotations/", {"text": "Odd."})
    path = f"attempts/{attempt.pk}/annotations/"
    assert [note["text"] for note in reviewer.get(path).json()["results"]] == ["Odd."]
    assert submitter.get(path).json()["results"] == []


def test_without_the_scope_a_token_of_a_reviewer_reads_like_anyone(
    reviewer: Api, sprint: Challenge
) -> None:
    user = User.objects.get(username="rita")
    plain = Api(create_token(user=user, scopes=["read"])[1])
    refused(plain.get(LIST), 403, "permission_denied")
    assert ChallengeRole.objects.get(challenge=sprint).user == user
