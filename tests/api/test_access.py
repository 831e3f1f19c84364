"""Access control: scopes, sessions, tenants, and hidden objects that answer as missing ones."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from leaderboard.api.views.base import CALLED, CALLED_BY_ANYONE
from leaderboard.models import ApiToken, Attempt, Challenge, Membership, Tenant, User
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.errors import ServiceError
from leaderboard.services.tokens import create_token, revoke_token
from tests.api.conftest import ME, Api, refused

WRITES: list[tuple[str, Callable[[Api], Any]]] = [
    ("submit", lambda api: api.post("challenges/sprint/attempts/", ME)),
    ("submit", lambda api: api.lines("challenges/sprint/attempts/bulk/", ME)),
    (
        "organise",
        lambda api: api.post("challenges/", {"name": "N", "scoring_strategy": "first"}),
    ),
    ("organise", lambda api: api.patch("challenges/sprint/", {"name": "N"})),
    ("organise", lambda api: api.delete("challenges/sprint/")),
    ("organise", lambda api: api.post("challenges/sprint/rescore/")),
]


class TestScopes:
    def test_a_request_without_a_token_is_refused(self, anyone: Api, sprint: Challenge) -> None:
        for _, write in WRITES:
            answer = write(anyone)
            refused(answer, 401, "not_authenticated")
            assert answer["WWW-Authenticate"] == "Bearer"

    def test_a_token_with_other_scopes_is_refused(
        self, alice: User, default: Tenant, sprint: Challenge
    ) -> None:
        for scope, write in WRITES:
            other_scopes = [other for other in ("read", "submit", "organise") if other != scope]
            _, text = create_token(user=alice, scopes=other_scopes, tenant=default)
            error = refused(write(Api(text)), 403, "permission_denied")
            assert error["message"].endswith(f" the scope {scope}.")

    @pytest.mark.parametrize(("scope", "write"), WRITES)
    def test_a_token_with_the_scope_is_accepted(
        self,
        alice: User,
        default: Tenant,
        sprint: Challenge,
        scope: str,
        write: Callable[[Api], Any],
    ) -> None:
        _, text = create_token(user=alice, scopes=[scope], tenant=default)
        assert write(Api(text)).status_code in (200, 201, 202, 204)

    def test_a_session_without_a_csrf_token_is_refused(
        self, alice: User, sprint: Challenge
    ) -> None:
        for _, write in WRITES:
            refused(write(Api(user=alice)), 403, "permission_denied")

    @pytest.mark.parametrize(("scope", "write"), WRITES[1:3])
    def test_a_session_with_its_csrf_token_is_accepted(
        self, alice: User, sprint: Challenge, scope: str, write: Callable[[Api], Any]
    ) -> None:
        api = Api(user=alice)
        api.client.cookies["csrftoken"] = "a" * 32
        api.headers["X-CSRFToken"] = "a" * 32
        assert write(api).status_code in (200, 201)

    def test_a_token_of_an_inactive_user_is_refused(
        self, alice: User, default: Tenant, sprint: Challenge
    ) -> None:
        scopes = ["submit", "organise"]
        _, text = create_token(user=alice, scopes=scopes, tenant=default)
        User.objects.update(is_active=False)
        for _, write in WRITES:
            refused(write(Api(text)), 401, "not_authenticated")


ORGANISING = [write for scope, write in WRITES if scope == "organise"][1:]


class TestTenants:
    def check_refused(self, api: Api) -> None:
        for write in ORGANISING:
            refused(write(api), 403, "permission_denied")

    def test_an_organiser_of_another_tenant_is_refused(
        self, stranger: Api, sprint: Challenge
    ) -> None:
        self.check_refused(stranger)

    def test_a_token_of_another_tenant_is_refused(
        self, alice: User, acme: Tenant, sprint: Challenge
    ) -> None:
        """alice organises both tenants, but her token is for one."""
        Membership.objects.create(tenant=acme, user=alice, role="organiser")
        _, text = create_token(user=alice, scopes=["organise"], tenant=acme)
        self.check_refused(Api(text))

    def test_a_former_organiser_is_refused(self, organiser: Api, sprint: Challenge) -> None:
        Membership.objects.update(role="member")
        self.check_refused(organiser)

    def test_a_superusers_token_is_limited_to_its_tenant(
        self, acme: Tenant, sprint: Challenge
    ) -> None:
        root = User.objects.create_superuser("root")
        _, text = create_token(user=root, scopes=["organise"], tenant=acme)
        self.check_refused(Api(text))


def test_a_former_organiser_creates_nothing(organiser: Api) -> None:
    Membership.objects.all().delete()
    answer = organiser.post("challenges/", {"name": "N", "scoring_strategy": "first"})
    refused(answer, 403, "permission_denied")


class TestHidden:
    """A private challenge of another tenant answers as a missing one."""

    @pytest.fixture
    def attempt(self, organiser: Api, secret: Challenge) -> str:
        return str(organiser.post("challenges/secret/attempts/", ME).json()["id"])

    def test_reads_answer_as_for_a_missing_challenge(
        self, anyone: Api, submitter: Api, stranger: Api, attempt: str, secret: Challenge
    ) -> None:
        for api in (anyone, submitter, stranger):
            for path in (
                "",
                "attempts/",
                "leaderboard/",
                "leaderboard.csv",
                "leaderboard.jsonl",
                "standings/atlas/",
            ):
                hidden = refused(api.get(f"challenges/secret/{path}"), 404, "not_found")
                assert hidden == refused(api.get(f"challenges/nothing/{path}"), 404, "not_found")
            hidden = refused(api.get(f"attempts/{attempt}/"), 404, "not_found")
            assert hidden == refused(api.get(f"attempts/{secret.pk}/"), 404, "not_found")
            assert api.get("challenges/").json()["results"] == []
            assert api.get("challenges/?search=secret").json()["results"] == []

    def test_a_cursor_does_not_reveal_hidden_challenges(
        self, stranger: Api, attempt: str, sprint: Challenge, secret: Challenge
    ) -> None:
        refused(stranger.get(f"challenges/sprint/attempts/?cursor={attempt}"), 400, "invalid")
        refused(stranger.get(f"challenges/?cursor={secret.pk}"), 400, "invalid")

    def test_writes_answer_as_for_a_missing_challenge(self, stranger: Api, attempt: str) -> None:
        refused(stranger.post("challenges/secret/attempts/", ME), 404, "not_found")
        refused(stranger.lines("challenges/secret/attempts/bulk/", ME), 404, "not_found")
        refused(stranger.patch("challenges/secret/", {"name": "N"}), 404, "not_found")
        refused(stranger.delete("challenges/secret/"), 404, "not_found")
        refused(stranger.post("challenges/secret/rescore/"), 404, "not_found")
        assert Attempt.objects.count() == 1

    def test_members_see_the_challenge(self, bob: User, default: Tenant, attempt: str) -> None:
        Membership.objects.create(tenant=default, user=bob)
        submitter = Api(create_token(user=bob, scopes=["read", "submit"])[1])
        assert submitter.get(f"attempts/{attempt}/").status_code == 200
        assert submitter.get("challenges/secret/leaderboard/").status_code == 200
        answer = submitter.post("challenges/secret/attempts/", {**ME, "participant": "bobs"})
        assert answer.status_code == 202

    def test_an_unlisted_challenge_is_found_by_its_url_only(
        self, anyone: Api, submitter: Api, secret: Challenge
    ) -> None:
        Challenge.objects.update(visibility="unlisted")
        assert anyone.get("challenges/").json()["results"] == []
        assert anyone.get("challenges/secret/").status_code == 200
        assert submitter.post("challenges/secret/attempts/", ME).status_code == 202


def test_two_tenants_may_have_the_same_handle(
    submitter: Api, stranger: Api, sprint: Challenge, acme: Tenant
) -> None:
    assert submitter.post("challenges/sprint/attempts/", ME).status_code == 202
    stranger.post("challenges/", {"name": "Theirs", "scoring_strategy": "first"})
    assert stranger.post("challenges/theirs/attempts/", ME).status_code == 202
    refused(stranger.get("challenges/theirs/standings/nova/"), 404, "not_found")


class TestTokens:
    def test_a_revoked_token_is_refused(self, bob: User, sprint: Challenge) -> None:
        row, text = create_token(user=bob, scopes=["submit"])
        assert Api(text).post("challenges/sprint/attempts/", ME).status_code == 202
        revoke_token(row)
        refused(Api(text).post("challenges/sprint/attempts/", ME), 401, "not_authenticated")
        refused(Api(text).get("challenges/"), 401, "not_authenticated")

    def test_an_expired_token_is_refused(self, bob: User, sprint: Challenge) -> None:
        _, text = create_token(
            user=bob, scopes=["submit"], expires_at=timezone.now() + timedelta(days=1)
        )
        assert Api(text).get("challenges/").status_code == 200
        ApiToken.objects.update(expiry=timezone.now() - timedelta(seconds=1))
        refused(Api(text).get("challenges/"), 401, "not_authenticated")
        assert ApiToken.objects.exists()

    def test_an_invalid_token_is_refused(self, anyone: Api, sprint: Challenge) -> None:
        for header in ("", " a b", " x", " \xe9", " " + "x" * 5000, " 'or'1'='1"):
            answer = anyone.get("challenges/", Authorization=f"Bearer{header}")
            refused(answer, 401, "not_authenticated")

    def test_another_authentication_scheme_counts_as_anonymous(
        self, bob: User, anyone: Api, sprint: Challenge
    ) -> None:
        _, text = create_token(user=bob, scopes=["submit"])
        for header in (f"Token {text}", f"Basic {text}", text):
            answer = anyone.post("challenges/sprint/attempts/", ME, Authorization=header)
            refused(answer, 401, "not_authenticated")

    def test_a_token_in_the_url_is_ignored(self, bob: User, anyone: Api, sprint: Challenge) -> None:
        _, text = create_token(user=bob, scopes=["submit"])
        answer = anyone.post(f"challenges/sprint/attempts/?token={text}&access_token={text}", ME)
        refused(answer, 401, "not_authenticated")

    def test_only_a_hash_is_stored(self, bob: User) -> None:
        row, text = create_token(user=bob, scopes=["submit"])
        stored = " ".join(str(value) for value in ApiToken.objects.values().get().values())
        assert text not in stored
        assert text.startswith(row.token_key)
        assert len(row.token_key) == 15 < len(text) - 48

    def test_the_last_use_is_stored_once_a_minute(self, bob: User) -> None:
        _, text = create_token(user=bob, scopes=["read"])
        Api(text).get("challenges/")
        first = ApiToken.objects.get().last_used_at
        assert first is not None
        Api(text).get("challenges/")
        assert ApiToken.objects.get().last_used_at == first
        ApiToken.objects.update(last_used_at=first - timedelta(minutes=2))
        Api(text).get("challenges/")
        assert ApiToken.objects.get().last_used_at > first

    def test_a_token_is_found_by_one_query(
        self, submitter: Api, django_assert_num_queries: Any
    ) -> None:
        submitter.get("challenges/")
        with django_assert_num_queries(2):
            submitter.get("challenges/nothing/")

    def test_a_token_needs_a_scope(self, bob: User) -> None:
        for scopes in ([], ["admin"], ["submit", "admin"]):
            with pytest.raises(ServiceError):
                create_token(user=bob, scopes=scopes)

    def test_a_token_needs_a_tenant_of_its_user(self, bob: User, default: Tenant) -> None:
        for tenant in (default, None):
            with pytest.raises(ServiceError):
                create_token(user=bob, scopes=["organise"], tenant=tenant)

    def test_tokens_are_not_logged(
        self, bob: User, sprint: Challenge, caplog: pytest.LogCaptureFixture
    ) -> None:
        _, text = create_token(user=bob, scopes=["read"])
        with caplog.at_level("DEBUG"):
            Api(text).post("challenges/sprint/attempts/", ME)
            Api(text + "x").get("challenges/")
        assert text not in caplog.text


def test_the_fast_lookup_of_a_challenge_equals_the_full_one(
    bob: User, carol: User, acme: Tenant, sprint: Challenge
) -> None:
    """Most requests of programs find their challenge by a statement whose SQL is built once."""
    hidden = create_challenge(
        tenant=acme,
        user=carol,
        fields={"name": "Hidden", "scoring_strategy": "fastest", "visibility": "private"},
    )
    for user in (bob, carol):
        for slug in (sprint.slug, hidden.slug, "nowhere", "it's % “odd”"):
            expected = Challenge.objects.called(slug, user)
            challenge = CALLED.first(slug=slug, user=user.pk)
            assert challenge == expected
            assert challenge is None or challenge.newest == challenge.shown
    for slug in (sprint.slug, hidden.slug, "nowhere"):
        assert CALLED_BY_ANYONE.first(slug=slug) == Challenge.objects.called(slug, None)
