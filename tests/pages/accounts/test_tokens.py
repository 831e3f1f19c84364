"""Accounts: signing in and out, tokens, the user's own attempts."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from leaderboard.models import ApiToken, User
from leaderboard.services.tokens import create_token, token_of
from tests.pages.conftest import PASSWORD, Make, Submit
from tests.pages.reading import get, words

pytestmark = pytest.mark.django_db


def shown_token(html: str) -> str:
    element = re.search(r'<code id="token">(.+?)</code>', html)
    assert element is not None
    return element[1]


class TestSigningIn:
    def test_signing_in_leads_to_the_requested_page_of_this_site(self, ben: User) -> None:
        for asked, to in (
            ("/plugins/", "/plugins/"),
            ("", "/account/"),
            ("https://example.org/", "/account/"),
        ):
            given = {"username": "ben", "password": PASSWORD, "next": asked}
            assert Client().post("/sign-in/", given).headers["Location"] == to

    def test_signing_in_is_blocked_after_many_wrong_passwords(
        self, client: Client, ben: User, settings: Settings
    ) -> None:
        settings.AXES_ENABLED = True
        for _ in range(10):
            response = client.post("/sign-in/", {"username": "ben", "password": "wrong"})
        assert response.status_code == 429
        right = {"username": "ben", "password": PASSWORD}
        assert client.post("/sign-in/", right).status_code == 429

    def test_signing_out_needs_a_form(self, as_ben: Client) -> None:
        assert as_ben.get("/sign-out/").status_code == 405
        assert as_ben.post("/sign-out/").headers["Location"] == "/"
        assert as_ben.get("/account/").status_code == 302

    def test_the_password_can_be_changed(self, as_ben: Client, ben: User) -> None:
        new = "a longer walk home"
        given = {"old_password": PASSWORD, "new_password1": new, "new_password2": new}
        assert as_ben.post("/account/password/", given).headers["Location"] == "/account/"
        ben.refresh_from_db()
        assert ben.check_password(new)

    @pytest.mark.parametrize(("answer", "left"), [("keep", 1), ("end", 0)])
    def test_a_new_password_asks_what_becomes_of_tokens(
        self, as_ben: Client, ben: User, answer: str, left: int
    ) -> None:
        ApiToken.objects.create(user=ben)
        new = "a longer walk home"
        given = {"old_password": PASSWORD, "new_password1": new, "new_password2": new}
        assert as_ben.post("/account/password/", given).status_code in (200, 422)
        assert as_ben.post("/account/password/", given | {"tokens": answer}).status_code == 302
        assert ApiToken.objects.count() == left


class TestTokens:
    def test_a_token_is_shown_once_and_works(self, as_ben: Client, ben: User) -> None:
        response = as_ben.post(
            "/account/", {"name": "nightly", "scopes": ["submit"], "lifetime": "30"}
        )
        text = shown_token(response.content.decode())
        token = token_of(text)
        assert token is not None
        assert (token.user, token.name, token.scopes) == (ben, "nightly", ["submit"])
        assert token.expiry is not None
        assert timedelta(days=29) < token.expiry - timezone.now() <= timedelta(days=30)
        later = get(as_ben, "/account/")
        assert text not in later
        assert "nightly" in later
        assert "no-store" in response.headers["Cache-Control"]

    def test_a_token_may_be_valid_until_it_is_revoked(self, as_ben: Client) -> None:
        as_ben.post("/account/", {"name": "ever", "scopes": ["read"], "lifetime": ""})
        assert ApiToken.objects.get().expiry is None

    def test_only_organisers_get_tokens_that_organise(self, as_ben: Client, as_ann: Client) -> None:
        wanted = {"name": "n", "scopes": ["organise"], "lifetime": "30"}
        assert as_ben.post("/account/", wanted).status_code == 422
        assert "organise" not in get(as_ben, "/account/")
        assert not ApiToken.objects.exists()
        page = get(as_ann, "/account/")
        tenant = re.search(r'<option value="(\d+)"[^>]*>Default', page)
        assert tenant is not None
        as_ann.post("/account/", wanted | {"tenant": tenant[1]})
        token = ApiToken.objects.get()
        assert token.scopes == ["organise"]
        assert token.tenant is not None
        assert token.tenant.slug == "default"

    def test_a_token_needs_a_scope(self, as_ben: Client) -> None:
        response = as_ben.post("/account/", {"name": "n", "lifetime": "30"})
        assert response.status_code == 422
        assert not ApiToken.objects.exists()

    def test_a_token_is_bound_to_a_challenge_and_a_participant(
        self, as_ben: Client, ben: User, make: Make, submit: Submit
    ) -> None:
        sprint, secret = make("Sprint"), make("Secret", visibility="private")
        atlas = submit(sprint, "atlas", elapsed_ms=1).participant
        wanted = {"name": "ci", "scopes": ["submit"], "lifetime": "30", "participant": atlas.pk}
        refused = as_ben.post("/account/", wanted | {"challenge": secret.slug})
        assert refused.status_code == 422
        assert 'id="id_challenge_error"' in refused.content.decode()
        shown_token(as_ben.post("/account/", wanted | {"challenge": "sprint"}).content.decode())
        token = ApiToken.objects.get()
        assert (token.challenge, token.participant) == (sprint, atlas)
        page = words(get(as_ben, "/account/"))
        assert "only at Sprint" in page
        assert "only as atlas" in page

    def test_the_participants_of_others_are_not_offered(
        self, as_ben: Client, as_zoe: Client, make: Make, submit: Submit
    ) -> None:
        atlas = submit(make("Sprint"), "atlas", elapsed_ms=1).participant
        assert "atlas" not in get(as_zoe, "/account/")
        wanted = {"name": "ci", "scopes": ["submit"], "participant": atlas.pk}
        assert as_zoe.post("/account/", wanted).status_code == 422
        assert not ApiToken.objects.exists()

    def test_only_its_owner_can_revoke_a_token(
        self, as_ben: Client, as_zoe: Client, ben: User
    ) -> None:
        token, text = create_token(user=ben, name="old", scopes=["submit"])
        path = f"/account/tokens/{token.token_key}/revoke/"
        assert as_zoe.post(path).status_code == 404
        assert as_ben.get(path).status_code == 405
        assert as_ben.post(path).status_code == 302
        assert token_of(text) is None


def test_the_account_shows_its_participants_and_attempts(
    as_ben: Client, as_zoe: Client, make: Make, submit: Submit
) -> None:
    attempt = submit(make("Sprint"), "atlas", elapsed_ms=1)
    html = get(as_ben, "/account/")
    assert f'href="/attempts/{attempt.pk}/"' in html
    assert "My participants atlas" in words(html)
    assert "atlas" not in get(as_zoe, "/account/")


def test_the_account_needs_a_signed_in_user(client: Client) -> None:
    assert client.get("/account/").headers["Location"] == "/sign-in/?next=/account/"


def test_the_sign_in_page_shows_the_name_of_the_site(client: Client, settings: Settings) -> None:
    settings.SITE_NAME = "Agents of Coimbra"
    html = get(client, "/sign-in/")
    assert "Agents of Coimbra</title>" in html
    assert "testserver" not in html
