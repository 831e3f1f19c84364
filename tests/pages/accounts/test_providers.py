"""Signing in with OpenID Connect, against a provider that runs beside the tests."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.test import Client

from leaderboard.models import User
from tests.helpers.openid import OTHER_KEY, Provider
from tests.pages.accounts.coming import START, Come, back_at, come, connected, provider, server
from tests.pages.reading import get, words

__all__ = ["come", "provider", "server"]

pytestmark = pytest.mark.django_db


def test_without_providers_there_are_no_buttons(client: Client) -> None:
    assert "Continue with" not in get(client, "/sign-in/")
    assert client.post(START).status_code == 404
    assert client.get(f"{START}back/").status_code == 404


class TestSignIn:
    def test_a_connected_user_signs_in(
        self, client: Client, come: Come, ben: User, provider: Provider
    ) -> None:
        connected(ben)
        assert "Continue with University" in words(get(client, "/sign-in/"))
        answer = come(client, next="/plugins/")
        assert answer.headers["Location"] == "/plugins/"
        assert "Signed in as ben" in words(get(client, "/account/"))
        (asked,) = provider.asked
        assert asked["redirect_uri"] == "http://testserver/sign-in/with/uni/back/"
        assert set(asked["scope"].split()) == {"openid", "profile", "email"}

    def test_the_public_url_is_where_the_provider_sends_people(
        self, client: Client, provider: Provider, settings: Any
    ) -> None:
        settings.PUBLIC_URL = "https://board.example.org"
        assert back_at(client).startswith("https://board.example.org/sign-in/with/uni/back/?")

    def test_signing_in_never_leads_to_another_site(
        self, client: Client, come: Come, ben: User
    ) -> None:
        connected(ben)
        assert come(client, next="https://example.com/").headers["Location"] == "/account/"

    def test_a_link_of_another_site_starts_nothing(self, client: Client, come: Come) -> None:
        assert client.get(START).status_code == 405
        assert Client(enforce_csrf_checks=True).post(START).status_code == 403

    def test_the_second_factor_is_asked_for(self, client: Client, come: Come, ben: User) -> None:
        connected(ben)
        TOTP.activate(ben, generate_totp_secret())
        codes = RecoveryCodes.activate(ben)
        assert come(client).headers["Location"] == "/sign-in/code/"
        assert client.get("/account/").status_code == 302
        client.post("/sign-in/code/", {"code": codes.get_unused_codes()[0]})
        assert "Signed in as ben" in words(get(client, "/account/"))

    def test_a_closed_account_stays_closed(self, client: Client, come: Come, ben: User) -> None:
        connected(ben)
        User.objects.filter(pk=ben.pk).update(is_active=False)
        assert come(client).headers["Location"] == "/account/inactive/"
        assert client.get("/account/").status_code == 302

    def test_attempts_are_limited(self, client: Client, provider: Provider, settings: Any) -> None:
        settings.THROTTLE_SIGN_IN = "2/day"
        codes = [client.post(START).status_code for _ in range(3)]
        assert codes == [200, 200, 429]


@pytest.mark.usefixtures("is_open")
class TestTrust:
    """Nobody comes in by an answer that is not the provider's, for this site, about this person."""

    @pytest.fixture(autouse=True)
    def _nobody(self, client: Client, caplog: pytest.LogCaptureFixture) -> Iterator[None]:
        caplog.set_level(logging.WARNING)
        yield
        assert not User.objects.exists()
        assert client.get("/account/").status_code == 302

    def refused(self, answer: Any, caplog: pytest.LogCaptureFixture, reason: str) -> None:
        assert answer.status_code == 502
        assert reason in caplog.text
        assert "a secret" not in caplog.text

    def test_a_token_with_another_claim_is_refused(
        self, client: Client, come: Come, provider: Provider, caplog: Any
    ) -> None:
        for claims, reason in (
            ({"aud": "another site"}, "Audience"),
            ({"iss": "https://example.com"}, "issuer"),
            ({"exp": 1_000_000_000}, "expired"),
            ({"sub": "somebody else"}, "than the id_token"),
            ({"sub": "x" * 192}, "1 to 191"),
            ({"sub": ""}, "1 to 191"),
            ({"sub": 4711}, "Subject"),
        ):
            caplog.clear()
            provider.token = claims
            self.refused(come(client), caplog, reason)

    def test_a_token_signed_with_another_key_is_refused(
        self, client: Client, come: Come, provider: Provider, caplog: Any
    ) -> None:
        provider.key = OTHER_KEY
        self.refused(come(client), caplog, "Signature verification failed")

    def test_a_wrong_description_of_the_provider_is_refused(
        self, client: Client, provider: Provider, caplog: Any
    ) -> None:
        described = provider.metadata
        for metadata, reason in (
            ({"issuer": "https://example.com"}, "server_url"),
            ({"token_endpoint": None}, "has no token_endpoint"),
            ({"jwks_uri": "http://127.0.0.1:9/"}, "no answer"),
        ):
            caplog.clear()
            provider.metadata = described
            address = back_at(client)
            provider.metadata = metadata
            self.refused(client.get(address), caplog, reason)

    def test_a_provider_that_does_not_answer_or_answers_nonsense_is_refused(
        self, client: Client, provider: Provider, settings: Any, caplog: Any
    ) -> None:
        for address in ("http://127.0.0.1:9/realm", f"{provider.server_url}/keys"):
            caplog.clear()
            settings.OPENID_CONNECT = (provider.configured(server_url=address),)
            self.refused(client.post(START), caplog, "no answer")

    def test_a_code_works_once_and_in_one_browser(self, client: Client, provider: Provider) -> None:
        address = back_at(client)
        answer = Client().get(address)
        assert answer.status_code == 400
        query = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        assert client.get(f"{START}back/", {"code": query["code"]}).status_code == 400
        assert client.get(f"{START}back/", query | {"code": "guessed"}).status_code == 502
        assert client.get(address).status_code == 400  # the state is used up

    def test_a_person_who_does_not_agree_is_not_signed_in(
        self, client: Client, come: Come, provider: Provider
    ) -> None:
        provider.agrees = False
        assert come(client).headers["Location"] == "/sign-in/"
        assert "have stopped" in get(client, "/sign-in/")
