"""The accounts of people who come from an OpenID Connect provider."""

from __future__ import annotations

from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount
from django.core import mail
from django.test import Client

from leaderboard.models import Membership, OneTimeLink, Tenant, User
from leaderboard.services.accounts.one_time_links import make_link, open_link
from leaderboard.services.accounts.own_data import own_data
from tests.helpers.openid import Provider
from tests.pages.accounts.coming import Come, come, connected, provider, server
from tests.pages.conftest import PASSWORD
from tests.pages.reading import get, words

__all__ = ["come", "provider", "server"]

pytestmark = pytest.mark.django_db


class TestSignUp:
    @pytest.mark.usefixtures("is_open")
    def test_a_new_account_has_the_names_of_the_provider(
        self, client: Client, come: Come, sends_mail: None
    ) -> None:
        assert come(client).headers["Location"] == "/account/"
        user = User.objects.get()
        assert (user.username, user.get_full_name()) == ("eve", "Eve Example")
        assert not user.has_usable_password()
        address = EmailAddress.objects.get()
        assert (address.email, address.verified) == ("eve@example.org", True)
        assert not mail.outbox
        assert SocialAccount.objects.get().extra_data == {"shown": "eve@example.org"}

    def test_strangers_come_in_only_if_it_is_open(
        self, client: Client, come: Come, settings: Any
    ) -> None:
        for mode in ("invited", "off"):
            settings.SIGN_UP = mode
            assert "by invitation" in come(client).content.decode(), mode
            assert not User.objects.exists()

    @pytest.mark.parametrize("username", ["eve", ""])
    def test_an_invitation_is_used_up(
        self, client: Client, come: Come, provider: Provider, tenant: Tenant, username: str
    ) -> None:
        """Also when the form asks for a username."""
        provider.person["preferred_username"] = username
        _link, code = make_link(OneTimeLink.Purpose.INVITATION, by=None, tenant=tenant)
        client.post("/link/", {"code": code})
        assert "Continue with University" in words(get(client, "/sign-up/"))
        answer = come(client)
        if not username:
            answer = client.post(answer.headers["Location"], {"username": "eve"})
        assert answer.headers["Location"] == "/account/"
        assert Membership.objects.get().user.username == "eve"
        assert open_link(code) is None

        other = Client()
        provider.person["sub"] = "4712"
        assert "by invitation" in come(other).content.decode()

    @pytest.mark.usefixtures("is_open")
    def test_the_form_asks_for_a_username_that_can_be_used(
        self, client: Client, come: Come, ben: User, provider: Provider
    ) -> None:
        for username in ("ben", "ＢEN", "eve@example.org", "a b", "", None):
            provider.person["preferred_username"] = username
            assert come(client).headers["Location"] == "/sign-up/name/", username
        page = get(client, "/sign-up/name/")
        assert "University" in page
        assert 'name="email"' not in page
        assert client.post("/sign-up/name/", {"username": "ｂen"}).status_code == 200
        assert User.objects.get() == ben
        answer = client.post("/sign-up/name/", {"username": "ｅve"})
        assert answer.headers["Location"] == "/account/"
        assert User.objects.get(username="eve").email == "eve@example.org"
        assert EmailAddress.objects.get().verified

    @pytest.mark.usefixtures("is_open")
    def test_a_username_is_normalised(self, client: Client, come: Come, provider: Provider) -> None:
        provider.person["preferred_username"] = "ｅve"
        come(client)
        assert User.objects.get().username == "eve"

    @pytest.mark.usefixtures("is_open")
    def test_names_that_cannot_be_stored_are_left_out(
        self, client: Client, come: Come, provider: Provider
    ) -> None:
        provider.person |= {"given_name": "E\x00ve", "family_name": ["x"], "email": "no address"}
        come(client)
        user = User.objects.get()
        assert (user.first_name, user.last_name, user.email) == ("", "", "")

    @pytest.mark.usefixtures("is_open", "sends_mail")
    def test_an_address_that_is_not_confirmed_there_is_confirmed_here(
        self, come: Come, provider: Provider
    ) -> None:
        for number, claim in enumerate((False, "false", "true", None)):
            client, address = Client(), f"eve{number}@example.org"
            provider.person |= {
                "sub": f"{number}",
                "preferred_username": f"eve{number}",
                "email": address,
                "email_verified": claim,
            }
            assert come(client).headers["Location"] == "/account/email/sent/", claim
            assert client.get("/account/").status_code == 302
            assert mail.outbox[-1].to == [address]
        assert not EmailAddress.objects.filter(verified=True).exists()

    @pytest.mark.usefixtures("is_open", "sends_mail")
    def test_an_address_is_asked_for_if_it_has_to_be_confirmed(
        self, client: Client, come: Come, provider: Provider
    ) -> None:
        del provider.person["email"]
        to = come(client).headers["Location"]
        assert 'name="email"' in get(client, to)
        assert client.post(to, {"username": "eve"}).status_code == 200
        assert not EmailAddress.objects.exists()
        given = {"username": "eve", "email": "eve@example.org"}
        assert client.post(to, given).headers["Location"] == "/account/email/sent/"

    @pytest.mark.usefixtures("is_open")
    @pytest.mark.parametrize("is_confirmed_here", [True, False])
    @pytest.mark.parametrize("is_confirmed_there", [True, False])
    def test_an_account_of_the_same_address_is_not_entered(
        self,
        client: Client,
        come: Come,
        ben: User,
        provider: Provider,
        is_confirmed_here: bool,
        is_confirmed_there: bool,
    ) -> None:
        User.objects.filter(pk=ben.pk).update(email="eve@example.org")
        EmailAddress.objects.create(
            user=ben, email="eve@example.org", verified=is_confirmed_here, primary=True
        )
        provider.person["email_verified"] = is_confirmed_there
        come(client)
        assert "Signed in as eve" in words(get(client, "/account/"))
        assert SocialAccount.objects.get().user.username == "eve"
        ben.refresh_from_db()
        assert ben.check_password(PASSWORD)
        confirmed = EmailAddress.objects.filter(verified=True).values_list("user__username")
        assert len(confirmed) == (is_confirmed_here or is_confirmed_there)
        if is_confirmed_here:
            assert list(confirmed) == [("ben",)]

    @pytest.mark.usefixtures("is_open")
    def test_a_removed_provider_has_no_form(
        self, client: Client, come: Come, provider: Provider, settings: Any
    ) -> None:
        provider.person["preferred_username"] = ""
        to = come(client).headers["Location"]
        settings.OPENID_CONNECT = ()
        assert client.get(to).headers["Location"] == "/sign-in/"


class TestConnections:
    @pytest.fixture(autouse=True)
    def _confirmed(self, as_ben: Client, provider: Provider) -> None:
        asked = as_ben.get("/account/providers/")
        assert asked.headers["Location"].startswith("/account/confirm/")
        as_ben.post(asked.headers["Location"], {"password": PASSWORD})

    def test_a_user_connects_and_disconnects(self, as_ben: Client, ben: User, come: Come) -> None:
        assert 'href="/account/providers/"' in get(as_ben, "/account/")
        assert "Connect University" in words(get(as_ben, "/account/providers/"))
        answer = come(as_ben, "/account/providers/uni/")
        assert answer.headers["Location"] == "/account/providers/"
        page = words(get(as_ben, "/account/providers/"))
        assert "eve@example.org" in page
        row = SocialAccount.objects.get()
        assert row.user == ben
        assert '"uid": "4711"' in "".join(own_data(ben))
        as_ben.post("/account/providers/", {"connection": row.pk})
        assert not SocialAccount.objects.exists()

    def test_an_account_of_somebody_else_stays_theirs(
        self, as_ben: Client, come: Come, zoe: User
    ) -> None:
        row = connected(zoe)
        assert come(as_ben, "/account/providers/uni/").status_code == 302
        assert "another user" in words(get(as_ben, "/account/providers/"))
        assert SocialAccount.objects.get().user == zoe
        assert as_ben.post("/account/providers/", {"connection": row.pk}).status_code == 404

    def test_the_last_way_in_stays(self, as_ben: Client, ben: User) -> None:
        row = connected(ben)
        ben.set_unusable_password()
        ben.save()
        as_ben.force_login(ben)
        as_ben.post("/account/providers/", {"connection": row.pk})
        assert "password first" in get(as_ben, "/account/providers/")
        assert SocialAccount.objects.exists()

    def test_a_connection_to_a_removed_provider_can_be_taken_away(
        self, as_ben: Client, ben: User, settings: Any
    ) -> None:
        row = connected(ben)
        settings.OPENID_CONNECT = ()
        assert "uni" in words(get(as_ben, "/account/providers/"))
        as_ben.post("/account/providers/", {"connection": row.pk})
        assert not SocialAccount.objects.exists()


def test_connecting_asks_for_the_password_first(
    as_ben: Client, provider: Provider, come: Come
) -> None:
    """Somebody at an open browser does not get a way in of their own."""
    assert come(as_ben, "/account/providers/uni/").headers["Location"] == "/account/confirm/"
    assert not SocialAccount.objects.exists()


def test_two_providers_with_one_client_id_are_told_apart(
    client: Client, provider: Provider, come: Come, settings: Any, is_open: None
) -> None:
    other = provider.configured(id="lab", name="Laboratory")
    settings.OPENID_CONNECT = (provider.configured(), other)
    provider.person["preferred_username"] = ""
    to = come(client, "/sign-in/with/lab/").headers["Location"]
    assert "Laboratory" in get(client, to)
    client.post(to, {"username": "eve"})
    assert SocialAccount.objects.get().provider == "lab"
