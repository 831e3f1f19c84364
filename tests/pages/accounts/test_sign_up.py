"""Who may create an account; existing accounts are not revealed."""

from __future__ import annotations

from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.test import Client

from leaderboard.models import User
from tests.pages.accounts.conftest import NEW, SignUp, links_mailed
from tests.pages.conftest import PASSWORD
from tests.pages.reading import get, words

pytestmark = pytest.mark.django_db


def test_strangers_may_sign_up_only_if_it_is_open(
    client: Client, sign_up: SignUp, settings: Any
) -> None:
    assert settings.SIGN_UP == "invited", "the default"
    for mode in ("invited", "off"):
        settings.SIGN_UP = mode
        for page in (get(client, "/sign-up/"), sign_up("eve").content.decode()):
            assert "by invitation" in page, mode
        assert not User.objects.exists()
        assert "Sign up" not in get(client, "/sign-in/")


@pytest.mark.usefixtures("is_open")
class TestOpen:
    def test_a_stranger_signs_up_and_is_signed_in(self, client: Client, sign_up: SignUp) -> None:
        assert "Sign up" in get(client, "/sign-in/")
        assert sign_up("eve").headers["Location"] == "/account/"
        assert "Signed in as eve" in words(get(client, "/account/"))
        assert User.objects.get().check_password(NEW)

    def test_signing_up_leads_to_the_requested_page_of_this_site(self) -> None:
        for name, asked, to in (
            ("eve", "/plugins/", "/plugins/"),
            ("eva", "https://example.com/", "/account/"),
        ):
            form = {"username": name, "password1": NEW, "password2": NEW, "next": asked}
            assert Client().post("/sign-up/", form).headers["Location"] == to

    def test_a_name_that_looks_the_same_is_taken(self, sign_up: SignUp, ben: User) -> None:
        for name in ("ben", "BEN", "ｂen", " ben", "be\u200bn"):
            assert sign_up(name).status_code == 200, name
            assert User.objects.get() == ben, name

    def test_a_name_that_passes_for_somebody_else_is_refused(
        self, sign_up: SignUp, ben: User
    ) -> None:
        User.objects.create_user("modern1")
        for name in ("bеn", "modem1", "modernl", "eve@example.org", "eve＠example.org"):
            assert sign_up(name).status_code == 200, name
        assert User.objects.count() == 2
        assert sign_up("modest1").status_code == 302
        assert User.objects.get(username="modest1").is_self_named
        assert not ben.is_self_named

    def test_a_weak_password_is_refused(self, sign_up: SignUp) -> None:
        assert "common" in sign_up("eve", password="password").content.decode()

    def test_a_name_that_is_taken_at_the_same_time_is_reported(
        self, sign_up: SignUp, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The form finds the name unused, but it exists when the row is saved."""

        def save(form: Any, request: Any) -> Any:
            User.objects.create_user("eve")
            return User.objects.create_user("eve")

        monkeypatch.setattr("leaderboard.pages.accounts.sign_up.SignUpForm.save", save)
        assert "a moment ago" in sign_up("eve").content.decode()

    def test_sign_ups_from_one_address_are_limited(self, sign_up: SignUp, settings: Any) -> None:
        settings.THROTTLE_SIGN_IN = "3/day"
        codes = [sign_up(f"eve{n}", password="1").status_code for n in range(4)]
        assert codes == [200, 200, 200, 429]

    def test_signing_up_does_not_count_as_signing_in_by_that_name(
        self, sign_up: SignUp, settings: Any, ben: User
    ) -> None:
        settings.THROTTLE_SIGN_IN = "3/day"
        for _ in range(3):
            sign_up("ben")
        elsewhere: Any = {"REMOTE_ADDR": "198.51.100.7"}
        form = {"username": "ben", "password": PASSWORD}
        assert Client().post("/sign-in/", form, **elsewhere).status_code == 302


@pytest.mark.usefixtures("is_open", "sends_mail")
class TestVerification:
    def test_the_address_is_verified_before_the_first_sign_in(
        self, client: Client, sign_up: SignUp
    ) -> None:
        assert sign_up("eve").status_code == 200
        assert not User.objects.exists()
        to = sign_up("eve", email="eve@example.org").headers["Location"]
        assert to == "/account/email/sent/"
        assert client.get("/account/").status_code == 302
        given = {"username": "eve", "password": NEW}
        assert client.post("/sign-in/", given).headers["Location"] == to
        (link, *_) = links_mailed()
        assert "eve@example.org" in get(client, link)
        assert not EmailAddress.objects.get().verified
        client.post(link)
        assert EmailAddress.objects.get().verified
        assert client.post("/sign-in/", given).headers["Location"] == "/account/"

    def test_the_mail_has_the_name_and_url_of_the_site(
        self, sign_up: SignUp, settings: Any
    ) -> None:
        settings.PUBLIC_URL = "https://board.example.org"
        sign_up("eve", email="eve@example.org")
        (message,) = mail.outbox
        assert message.subject == "[Podium] Confirm your address"
        assert "https://board.example.org/account/email/" in message.body

    def test_older_accounts_can_still_sign_in(self, client: Client, ben: User) -> None:
        """An operator made the account, with an address that was not verified."""
        User.objects.filter(pk=ben.pk).update(email="ben@example.org")
        given = {"username": "ben", "password": PASSWORD}
        assert client.post("/sign-in/", given).headers["Location"] == "/account/"

    def test_an_address_with_an_account_gets_the_same_answer(
        self, client: Client, sign_up: SignUp, ben: User
    ) -> None:
        EmailAddress.objects.create(user=ben, email="ben@example.org", verified=True, primary=True)
        existing, unknown = sign_up("eve", email="ben@example.org"), None
        client.cookies.clear()
        unknown = sign_up("eva", email="eva@example.org")
        assert existing.headers["Location"] == unknown.headers["Location"]
        assert existing.status_code == unknown.status_code == 302

    def test_an_address_is_confirmed_once(self, sign_up: SignUp, ben: User, as_ben: Client) -> None:
        EmailAddress.objects.create(user=ben, email="ben@example.org", verified=True, primary=True)
        sign_up("eve", email="ben@example.org")
        (link,) = links_mailed()
        assert "another account" in get(Client(), link)
        Client().post(link)
        assert [address.user for address in EmailAddress.objects.filter(verified=True)] == [ben]

    def test_the_key_of_a_link_is_not_logged(
        self, client: Client, sign_up: SignUp, caplog: pytest.LogCaptureFixture
    ) -> None:
        sign_up("eve", email="eve@example.org")
        (link,) = links_mailed()
        client.get(link)
        paths = [getattr(record, "path", "") for record in caplog.records]
        assert "/account/email/<str:key>/" in paths
        assert link not in paths


class TestAddress:
    def test_the_address_can_be_changed_with_the_password(
        self, as_ben: Client, ben: User, sends_mail: None
    ) -> None:
        form = {"email": "ben@example.org", "action_add": ""}
        asked = as_ben.post("/account/email/", form)
        assert asked.headers["Location"].startswith("/account/confirm/")
        confirmed = as_ben.post(asked.headers["Location"], {"password": PASSWORD}, follow=True)
        assert "not confirmed" in words(confirmed.content.decode())
        (link,) = links_mailed()
        as_ben.post(link)
        ben.refresh_from_db()
        assert ben.email == "ben@example.org"

    def test_a_wrong_password_changes_nothing(self, as_ben: Client, sends_mail: None) -> None:
        asked = as_ben.post("/account/email/", {"email": "ben@example.org", "action_add": ""})
        as_ben.post(asked.headers["Location"], {"password": "wrong"})
        assert not mail.outbox

    def test_changing_the_address_needs_mail(self, as_ben: Client) -> None:
        assert "sends no mail" in get(as_ben, "/account/email/")


def test_the_first_password_does_not_need_an_old_one(as_ben: Client, ben: User) -> None:
    ben.set_unusable_password()
    ben.save()
    as_ben.force_login(ben)
    assert 'name="old_password"' not in get(as_ben, "/account/password/")
    as_ben.post("/account/password/", {"new_password1": NEW, "new_password2": NEW})
    ben.refresh_from_db()
    assert ben.check_password(NEW)
