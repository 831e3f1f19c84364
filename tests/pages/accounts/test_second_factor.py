"""A second factor is required on every way to sign in, and can be neither guessed nor bypassed."""

from __future__ import annotations

from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.test import Client

from leaderboard.models import ApiToken, OneTimeLink, User
from leaderboard.pages.accounts.second_factor import SecondFactorAdapter
from leaderboard.services.accounts.one_time_links import make_link
from tests.helpers.app_codes import code_of
from tests.pages.accounts.conftest import NEW, is_in
from tests.pages.conftest import PASSWORD
from tests.pages.reading import get, words

pytestmark = pytest.mark.django_db


@pytest.fixture
def secret(ann: User) -> str:
    """The secret of ann's app."""
    secret: str = generate_totp_secret()
    TOTP.activate(ann, secret)
    return secret


def password_given(client: Client, path: str = "/sign-in/", name: str = "ann") -> Any:
    return client.post(path, {"username": name, "password": PASSWORD})


class TestEveryDoor:
    @pytest.mark.parametrize("path", ["/sign-in/", "/admin/login/?next=/admin/"])
    def test_a_password_is_not_enough_to_sign_in(
        self, client: Client, ann: User, secret: str, path: str
    ) -> None:
        assert password_given(client, path).headers["Location"] == "/sign-in/code/"
        assert not is_in(client)
        assert client.get("/admin/").status_code == 302
        given = client.post("/sign-in/code/", {"code": code_of(secret)})
        assert given.headers["Location"] == ("/account/" if path == "/sign-in/" else "/admin/")
        assert is_in(client)

    @pytest.mark.parametrize("purpose", [OneTimeLink.Purpose.SIGN_IN, OneTimeLink.Purpose.PASSWORD])
    def test_a_link_is_not_enough_to_sign_in(
        self, client: Client, ann: User, secret: str, purpose: Any
    ) -> None:
        _link, code = make_link(purpose, by=None, user=ann)
        form = {"code": code, "new_password1": NEW, "new_password2": NEW}
        assert client.post("/link/", form).headers["Location"] == "/sign-in/code/"
        assert not is_in(client)

    def test_the_api_refuses_a_session_without_the_second_factor(
        self, client: Client, ann: User, secret: str
    ) -> None:
        password_given(client)
        assert client.post("/api/v1/challenges/", {}, "application/json").status_code == 401

    def test_without_a_second_factor_the_admin_needs_only_a_password(
        self, client: Client, ann: User
    ) -> None:
        assert password_given(client, "/admin/login/?next=/admin/").headers["Location"] == "/admin/"

    def test_a_user_without_staff_rights_cannot_sign_in_to_the_admin(
        self, client: Client, ben: User
    ) -> None:
        assert password_given(client, "/admin/login/", "ben").status_code == 200
        assert not is_in(client)


class TestCodes:
    @pytest.mark.parametrize("kind", ["of the app", "for recovery"])
    def test_a_code_works_once(self, ann: User, secret: str, kind: str) -> None:
        recovery = RecoveryCodes.activate(ann).get_unused_codes()[0]
        code = code_of(secret) if kind == "of the app" else recovery
        for expected in (True, False):
            client = Client()
            password_given(client)
            client.post("/sign-in/code/", {"code": code})
            assert is_in(client) is expected

    def test_guesses_of_codes_are_limited(self, client: Client, ann: User, secret: str) -> None:
        for number in range(6):
            fresh = Client()
            password_given(fresh)
            fresh.post("/sign-in/code/", {"code": f"00000{number}"})
        password_given(client)
        client.post("/sign-in/code/", {"code": code_of(secret)})
        assert not is_in(client)

    def test_codes_of_another_user_do_not_work(
        self, client: Client, ann: User, ben: User, secret: str
    ) -> None:
        TOTP.activate(ben, generate_totp_secret())
        password_given(client, name="ben")
        client.post("/sign-in/code/", {"code": code_of(secret)})
        assert not is_in(client)

    def test_codes_do_not_work_without_a_password(self, client: Client, secret: str) -> None:
        answer = client.post("/sign-in/code/", {"code": code_of(secret)})
        assert answer.headers["Location"] == "/sign-in/"


class TestSecrets:
    def test_secrets_are_stored_encrypted(self, ann: User, secret: str) -> None:
        RecoveryCodes.activate(ann)
        for authenticator in Authenticator.objects.all():
            assert secret not in str(authenticator.data)
        assert SecondFactorAdapter().decrypt(SecondFactorAdapter().encrypt("x")) == "x"

    def test_secrets_of_a_former_key_can_be_read(self, settings: Any) -> None:
        kept = SecondFactorAdapter().encrypt("x")
        settings.SECRET_KEY_FALLBACKS, settings.SECRET_KEY = [settings.SECRET_KEY], "another" * 9
        assert SecondFactorAdapter().decrypt(kept) == "x"

    def test_secrets_of_a_lost_key_accept_no_code(
        self, client: Client, ann: User, secret: str, settings: Any
    ) -> None:
        settings.SECRET_KEY = "another" * 9
        assert SecondFactorAdapter().decrypt("nonsense") != SecondFactorAdapter().decrypt("")
        for code in (code_of(secret), code_of("")):
            password_given(client)
            client.post("/sign-in/code/", {"code": code})
            assert not is_in(client)


class TestChanging:
    def test_a_change_is_confirmed_by_password(self, as_ben: Client) -> None:
        asked = as_ben.get("/account/security/app/")
        assert asked.headers["Location"].startswith("/account/confirm/")
        to = as_ben.post(asked.headers["Location"], {"password": PASSWORD}).headers["Location"]
        assert to == "/account/security/app/"
        assert get(as_ben, to)

    def test_a_session_is_not_enough_to_turn_the_second_factor_off(
        self, client: Client, ann: User, secret: str
    ) -> None:
        client.force_login(ann)
        answer = client.post("/account/security/app/off/")
        assert answer.headers["Location"].startswith("/account/confirm/")
        assert Authenticator.objects.filter(type="totp").exists()

    def test_a_token_is_made_only_after_confirming(
        self, client: Client, ann: User, secret: str
    ) -> None:
        client.force_login(ann)
        wanted = {"name": "n", "scopes": ["submit"], "lifetime": "30"}
        asked = client.post("/account/", wanted)
        assert asked.headers["Location"].startswith("/account/confirm/")
        assert not ApiToken.objects.exists()
        made = client.post(asked.headers["Location"], {"password": PASSWORD})
        assert 'id="token"' in made.content.decode()

    def test_keys_of_other_users_are_not_found(self, client: Client, ann: User, ben: User) -> None:
        key = Authenticator.objects.create(user=ann, type="webauthn", data={})
        client.force_login(ben)
        client.get("/account/security/keys/")
        asked = client.get(f"/account/security/keys/{key.pk}/remove/")
        client.post(asked.headers["Location"], {"password": PASSWORD})
        for action in ("remove", "edit"):
            path = f"/account/security/keys/{key.pk}/{action}/"
            assert client.get(path).status_code == 404
            assert client.post(path).status_code == 404


def test_keys_are_offered_if_browsers_can_make_them(client: Client, ann: User) -> None:
    hosts = ("localhost:8000", "127.0.0.1:8000", "[::1]:8000")
    offered = [
        "passkey" in client.get("/sign-in/", headers={"host": host}).content.decode()
        for host in hosts
    ]
    assert offered == [True, False, False]
    client.force_login(ann)
    for host in hosts:
        page = client.get("/account/security/", headers={"host": host}).content.decode()
        assert ("Add a key" in words(page)) is (host == "localhost:8000"), host
