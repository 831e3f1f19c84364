"""Tokens that are bound to one challenge or to one participant."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import URLPattern, reverse

from leaderboard.api.urls import urlpatterns
from leaderboard.models import Attempt, Challenge, Participant, Tenant, User
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.errors import ServiceError
from leaderboard.services.scoring import single
from leaderboard.services.tokens import create_token
from tests.api.conftest import ME, Api, refused
from tests.parquet_files import MAGIC, body_text

ALL = ["read", "submit", "organise"]
VALUES: dict[str, Any] = {
    "annotation": "019a9f0e-7c1e-7d5b-9d0e-2f6a4b8c1d3e",
    "delivery": "019a9f0e-7c1e-7d5b-9d0e-2f6a4b8c1d3f",
    "key": "croissant",
    "number": 1,
    "participant": "atlas",
    "phase": "main",
    "username": "alice",
}
METHODS = ("post", "put", "patch", "delete")


@pytest.fixture
def marathon(default: Tenant, alice: User) -> Challenge:
    fields = {"name": "Marathon", "slug": "marathon", "scoring_strategy": "fastest"}
    return create_challenge(tenant=default, user=alice, fields=fields)


@pytest.fixture
def bound(alice: User, default: Tenant, marathon: Challenge) -> Api:
    """Everything that alice may do, at the marathon only."""
    return Api(create_token(user=alice, scopes=ALL, tenant=default, challenge=marathon)[1])


@pytest.fixture
def attempt(organiser: Api, sprint: Challenge) -> Attempt:
    organiser.post("challenges/sprint/attempts/", ME)
    single.score_waiting()
    return Attempt.objects.get()


def address(pattern: URLPattern, challenge: Challenge, attempt: Attempt) -> str:
    """The address of an operation about the challenge, or about its attempt."""
    text = str(pattern.pattern)
    named = dict(VALUES)
    if "slug:slug" in text:
        named["slug"] = challenge.slug
    if "<int:pk>" in text:
        named["pk"] = 1
    if "<uuid:pk>" in text:
        named["pk"] = attempt.pk
    return reverse(
        f"api:{pattern.name}", kwargs={key: named[key] for key in named if f":{key}>" in text}
    )


def ignores_tokens(pattern: URLPattern) -> bool:
    """Whether an operation is the same with and without a token: those that ask for a new one."""
    view = pattern.callback.view_class  # type: ignore[attr-defined]
    ignored = not view.authentication_classes
    assert ignored == (pattern.name in ("device", "device-token"))
    return ignored


def said_by(answer: Any) -> bytes | str:
    """The body; that of Parquet as text, as the order of its metadata differs from file to file."""
    body: bytes = answer.getvalue()
    return body_text(body) if body.startswith(MAGIC) else body


def test_elsewhere_a_bound_token_reads_like_anyone_and_writes_nothing(
    bound: Api, anyone: Api, sprint: Challenge, marathon: Challenge, attempt: Attempt
) -> None:
    for pattern in urlpatterns:
        path = address(pattern, sprint, attempt)
        if pattern.name not in ("challenges", "me"):
            mine, theirs = bound.get(path), anyone.get(path)
            assert mine.status_code == theirs.status_code, path
            assert mine.headers.get("ETag") == theirs.headers.get("ETag"), path
            assert said_by(mine) == said_by(theirs), path
        for method in METHODS:
            if ignores_tokens(pattern):
                continue
            answer = bound.send(method, path, b"{}")
            assert answer.status_code in (403, 404, 405, 415), (method, path, answer.content)
    assert bound.get("me/").json()["challenge"] == marathon.slug
    assert Challenge.objects.count() == 2
    attempt.refresh_from_db()
    assert attempt.withdrawn_at is None


@pytest.mark.parametrize("visibility", ["private", "unlisted"])
def test_elsewhere_what_is_private_does_not_exist(
    visibility: str, bound: Api, alice: User, default: Tenant, marathon: Challenge
) -> None:
    fields = {"name": "Secret", "scoring_strategy": "first", "visibility": visibility}
    secret = create_challenge(tenant=default, user=alice, fields=fields)
    expected = 404 if visibility == "private" else 200
    assert bound.get(f"challenges/{secret.slug}/").status_code == expected
    refused(bound.post(f"challenges/{secret.slug}/attempts/", ME), 404, "not_found")
    listed = [challenge["slug"] for challenge in bound.get("challenges/").json()["results"]]
    assert listed == ["marathon"]


def test_its_own_challenge_answers_as_to_any_token(
    bound: Api, organiser: Api, marathon: Challenge
) -> None:
    marathon.visibility = "private"
    marathon.config_visibility = "organiser"
    marathon.save()
    expected = organiser.get("challenges/marathon/").json()
    assert bound.get("challenges/marathon/").json() == expected
    assert bound.get("challenges/").json()["results"] == [expected]
    made = bound.post("challenges/marathon/attempts/", ME)
    assert made.status_code == 202
    assert bound.get(made.json()["url"]).status_code == 200
    assert bound.post(f"{made.json()['url']}cancel/", {}).status_code == 200
    assert bound.patch("challenges/marathon/", {"name": "Run"}).status_code == 200
    assert bound.get("challenges/marathon/registrations/").status_code == 200


def test_the_settings_of_other_challenges_stay_hidden_in_the_list(
    bound: Api, organiser: Api, sprint: Challenge, marathon: Challenge
) -> None:
    Challenge.objects.update(config_visibility="organiser")
    mine, all_of_them = (
        {challenge["slug"]: challenge for challenge in api.get("challenges/").json()["results"]}
        for api in (bound, organiser)
    )
    anyones = Api().get("challenges/sprint/").json()
    assert mine["sprint"] == anyones
    assert mine["marathon"] == all_of_them["marathon"]


def test_a_bound_token_creates_no_challenge(bound: Api) -> None:
    answer = bound.post("challenges/", {"name": "N", "scoring_strategy": "first"})
    refused(answer, 403, "permission_denied")


def test_a_slug_that_several_challenges_have_means_the_bound_one(
    alice: User, default: Tenant, acme: Tenant, carol: User
) -> None:
    fields = {"name": "Race", "slug": "race", "scoring_strategy": "first"}
    create_challenge(tenant=default, user=alice, fields=fields | {"visibility": "private"})
    public = create_challenge(tenant=acme, user=carol, fields=fields)
    _, text = create_token(user=alice, scopes=["submit"], challenge=public)
    assert Api(text).post("challenges/race/attempts/", ME).status_code == 202
    assert Attempt.objects.get().challenge == public


class TestBoundToAParticipant:
    @pytest.fixture
    def atlas(self, submitter: Api, sprint: Challenge) -> Participant:
        for name in ("atlas", "borea"):
            submitter.post("challenges/sprint/attempts/", {**ME, "participant": name})
        return Participant.objects.get(handle="atlas")

    @pytest.fixture
    def as_atlas(self, bob: User, atlas: Participant) -> Api:
        return Api(create_token(user=bob, scopes=["submit"], participant=atlas)[1])

    def test_a_bound_token_submits_as_no_other_participant(self, as_atlas: Api) -> None:
        path = "challenges/sprint/attempts/"
        for name in ("borea", "somebody new", "Atlas 2"):
            body, before = {**ME, "participant": name}, Attempt.objects.count()
            refused(as_atlas.post(path, body), 403, "permission_denied", "participant")
            (rejected,) = as_atlas.lines(f"{path}bulk/", ME, body).json()["rejected"]
            assert (rejected["line"], rejected["error"]["code"]) == (2, "permission_denied")
            table = f"participant,elapsed_ms\n{name},5\n".encode()
            sent = as_atlas.upload("challenges/sprint/imports/", table, "t.csv")
            assert sent.status_code in (400, 403), sent.content
            assert "participant" in sent.json()["error"]["message"]
            assert Attempt.objects.count() == before + 1

    def test_a_bound_token_submits_as_its_participant(self, as_atlas: Api) -> None:
        made = as_atlas.post("challenges/sprint/attempts/", {**ME, "participant": "ATLAS"})
        assert made.status_code == 202
        assert as_atlas.post(f"{made.json()['url']}cancel/", {}).status_code == 200

    def test_a_bound_token_changes_no_attempt_of_others(self, as_atlas: Api) -> None:
        other = Attempt.objects.get(participant__handle="borea")
        refused(as_atlas.post(f"attempts/{other.pk}/cancel/", {}), 403, "permission_denied")

    def test_a_bound_token_has_no_other_write_access(
        self, as_atlas: Api, sprint: Challenge
    ) -> None:
        attempt = Attempt.objects.get(participant__handle="borea")
        for pattern in urlpatterns:
            if ignores_tokens(pattern):
                continue
            path = address(pattern, sprint, attempt)
            for method in METHODS:
                answer = as_atlas.send(method, path, b"{}")
                assert answer.status_code >= 400, (method, path, answer.content)

    def test_a_bound_token_is_deleted_with_its_participant(
        self, as_atlas: Api, atlas: Participant
    ) -> None:
        Attempt.objects.all().delete()
        atlas.registrations.all().delete()
        atlas.delete()
        refused(as_atlas.get("challenges/"), 401, "not_authenticated")


class TestMaking:
    def test_the_tenant_is_that_of_the_challenge(self, alice: User, sprint: Challenge) -> None:
        token, _ = create_token(user=alice, scopes=["organise"], challenge=sprint)
        assert (token.tenant, token.challenge) == (sprint.tenant, sprint)

    def test_a_hidden_challenge_is_refused(self, bob: User, secret: Challenge) -> None:
        with pytest.raises(ServiceError, match=r"challenge: .* bob may see"):
            create_token(user=bob, scopes=["submit"], challenge=secret)

    def test_a_challenge_of_another_tenant_is_refused(
        self, carol: User, acme: Tenant, sprint: Challenge
    ) -> None:
        with pytest.raises(ServiceError, match=r"challenge: .* Acme"):
            create_token(user=carol, scopes=["organise"], tenant=acme, challenge=sprint)

    def test_a_participant_is_for_submitting(
        self, alice: User, default: Tenant, attempt: Attempt
    ) -> None:
        for scopes in (["read"], ["submit", "organise"], ["organise"]):
            with pytest.raises(ServiceError, match=r"participant: .* unless .* submit"):
                create_token(
                    user=alice, scopes=scopes, tenant=default, participant=attempt.participant
                )

    def test_a_participant_of_others_is_refused(self, bob: User, attempt: Attempt) -> None:
        with pytest.raises(ServiceError, match=r"participant: .* bob may"):
            create_token(user=bob, scopes=["submit"], participant=attempt.participant)

    def test_a_participant_of_another_tenant_is_refused(
        self, bob: User, acme: Tenant, sprint: Challenge
    ) -> None:
        theirs = Participant.objects.create(
            tenant=acme, handle="b", handle_key="b", slug="b", owner=bob
        )
        with pytest.raises(ServiceError, match=r"participant: .* of the chall"):
            create_token(user=bob, scopes=["submit"], challenge=sprint, participant=theirs)
