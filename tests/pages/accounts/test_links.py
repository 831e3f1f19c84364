"""Links that work once: who may make them, for whom, and all uses that must fail."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.core.management import CommandError, call_command
from django.db import connections
from django.test import Client
from django.utils import timezone

from leaderboard.models import (
    Challenge,
    ChallengeRole,
    Entry,
    Membership,
    OneTimeLink,
    Tenant,
    User,
)
from leaderboard.services.accounts.one_time_links import digest_of, make_link, open_link
from leaderboard.services.accounts.team_links import make_team_link
from leaderboard.services.competition.participants.registration import register
from leaderboard.services.competition.participants.registration_rules import declare_rules
from leaderboard.services.errors import ServiceError
from tests.pages.accounts.conftest import NEW, SignUp, is_in
from tests.pages.conftest import PASSWORD, Make
from tests.pages.reading import get, words
from tests.people import organiser_of, signed_in

pytestmark = pytest.mark.django_db
Purpose = OneTimeLink.Purpose


@pytest.fixture
def cid(tenant: Tenant) -> User:
    """A user whose account was made by ann's tenant."""
    user = User.objects.create_user("cid", managed_by=tenant)
    Membership.objects.create(tenant=tenant, user=user)
    return user


def link_for(user: User, purpose: Any = Purpose.SIGN_IN, by: User | None = None) -> str:
    return make_link(purpose, by=by, user=user)[1]


def used(code: str, client: Client | None = None, **more: str) -> Any:
    return (client or Client()).post("/link/", {"code": code, **more})


def chosen(code: str) -> Any:
    return used(code, new_password1=NEW, new_password2=NEW)


class TestCode:
    def test_only_a_hash_is_stored(self, ben: User) -> None:
        code = link_for(ben)
        assert len(code.replace("-", "")) == 25
        row = OneTimeLink.objects.values().get()
        assert code not in str(row)
        assert row["digest"] == digest_of(code)

    def test_a_code_may_be_typed_in_any_case_and_with_spaces(self, ben: User) -> None:
        code = link_for(ben)
        assert used(f"  {code.upper().replace('-', ' ')} ").status_code == 302

    def test_opening_the_page_does_not_use_up_the_link(self, client: Client, ben: User) -> None:
        code = link_for(ben)
        page = get(client, f"/link/?code={code}")
        assert code not in page
        assert open_link(code)

    def test_used_expired_and_unknown_codes_get_the_same_answer(self, ben: User) -> None:
        spent, old = link_for(ben), link_for(ben)
        used(spent)
        late = OneTimeLink.objects.filter(digest=digest_of(old))
        late.update(expires_at=timezone.now() - timedelta(seconds=1))
        answers = [used(code) for code in (spent, old, "a" * 25)]
        assert len({words(answer.content.decode()) for answer in answers}) == 1
        answers += [used(code) for code in ("", "wrong", "x" * 200)]
        assert {answer.status_code for answer in answers} == {422}

    def test_codes_are_not_logged(self, ben: User, caplog: pytest.LogCaptureFixture) -> None:
        code = link_for(ben)
        used(code)
        assert code not in caplog.text
        assert all(code not in str(vars(record)) for record in caplog.records)


class TestSignIn:
    def test_a_link_signs_in_once(self, client: Client, ben: User) -> None:
        code = link_for(ben)
        assert used(code, client).headers["Location"] == "/account/"
        assert is_in(client)
        assert used(code).status_code == 422

    def test_a_link_does_not_open_a_closed_account(self, ben: User) -> None:
        code = link_for(ben)
        User.objects.update(is_active=False)
        assert used(code).status_code == 422


class TestPassword:
    def test_choosing_a_password_uses_up_the_link(self, client: Client, ben: User) -> None:
        code, other = link_for(ben, Purpose.PASSWORD), link_for(ben)
        assert "You sign in as" in used(code, client).content.decode()
        weak = used(code, client, new_password1="password", new_password2="password")
        assert weak.status_code == 422
        assert open_link(code)
        assert chosen(code).headers["Location"] == "/account/"
        ben.refresh_from_db()
        assert ben.check_password(NEW)
        assert chosen(code).status_code == 422
        assert open_link(other) is None

    def test_a_link_that_signs_in_cannot_set_a_password(self, ben: User) -> None:
        chosen(link_for(ben, Purpose.SIGN_IN))
        ben.refresh_from_db()
        assert ben.check_password(PASSWORD)

    def test_a_new_password_ends_other_sessions(self, as_ben: Client, ben: User) -> None:
        assert is_in(as_ben)
        chosen(link_for(ben, Purpose.PASSWORD))
        assert not is_in(as_ben)


class TestInvitation:
    @pytest.fixture
    def code(self, ann: User, tenant: Tenant) -> str:
        return make_link(Purpose.INVITATION, by=ann, tenant=tenant)[1]

    def test_an_invitation_creates_one_account(
        self, client: Client, sign_up: SignUp, code: str, tenant: Tenant
    ) -> None:
        assert used(code, client).headers["Location"] == "/sign-up/"
        assert sign_up("eve", password="1").status_code == 200
        assert sign_up("eve").headers["Location"] == "/account/"
        assert Membership.objects.get(user__username="eve").tenant == tenant
        client.post("/sign-out/")
        assert "by invitation" in sign_up("eva").content.decode()
        assert used(code).status_code == 422

    def test_an_invitation_used_in_two_browsers_creates_one_account(self, code: str) -> None:
        first, second = Client(), Client()
        used(code, first)
        used(code, second)
        passwords = {"password1": NEW, "password2": NEW}
        assert first.post("/sign-up/", passwords | {"username": "eve"}).status_code == 302
        late = second.post("/sign-up/", passwords | {"username": "eva"})
        assert "by invitation" in late.content.decode()
        assert not User.objects.filter(username="eva").exists()

    def test_an_invitation_lets_a_user_join(self, as_zoe: Client, zoe: User, code: str) -> None:
        used(code, as_zoe)
        assert zoe.memberships.get().role == Membership.Role.MEMBER
        assert used(code, as_zoe).status_code == 422

    def test_an_invitation_does_not_reduce_a_role(
        self, as_ann: Client, ann: User, code: str
    ) -> None:
        used(code, as_ann)
        assert ann.memberships.get().role == Membership.Role.ORGANISER

    def test_an_invitation_is_invalid_when_signing_up_is_off(
        self, client: Client, sign_up: SignUp, code: str, settings: Any
    ) -> None:
        used(code, client)
        settings.SIGN_UP = "off"
        sign_up("eve")
        assert not User.objects.filter(username="eve").exists()
        assert used(code).status_code == 403

    def test_an_invitation_ends_with_the_rights_of_its_maker(self, code: str, ann: User) -> None:
        ann.memberships.all().delete()
        assert open_link(code) is None


class TestWhoMayMakeThem:
    def test_organisers_may_make_links_for_accounts_of_their_tenant(
        self, ann: User, cid: User
    ) -> None:
        assert used(link_for(cid, by=ann)).status_code == 302

    def test_no_links_can_be_made_for_users_who_signed_up_themselves(
        self, ann: User, ben: User, tenant: Tenant
    ) -> None:
        Membership.objects.create(tenant=tenant, user=ben)
        for purpose in (Purpose.SIGN_IN, Purpose.PASSWORD):
            with pytest.raises(ServiceError):
                link_for(ben, purpose, by=ann)

    def test_no_links_can_be_made_or_used_for_users_with_more_rights(
        self, ann: User, cid: User
    ) -> None:
        code = link_for(cid, by=ann)
        for right in ("is_staff", "is_superuser"):
            rights = {"is_staff": False, "is_superuser": False, right: True}
            User.objects.filter(pk=cid.pk).update(**rights)
            assert used(code).status_code == 422, right
            with pytest.raises(ServiceError):
                link_for(User.objects.get(pk=cid.pk), by=ann)

    def test_no_links_can_be_made_for_organisers_of_another_tenant(
        self, ann: User, cid: User
    ) -> None:
        other = Tenant.objects.create(slug="other", name="Other")
        Membership.objects.create(tenant=other, user=cid, role=Membership.Role.ORGANISER)
        with pytest.raises(ServiceError):
            link_for(cid, by=ann)

    @pytest.mark.parametrize("role", ChallengeRole.Role)
    def test_no_links_can_be_made_or_used_for_a_role_in_a_challenge_of_another_tenant(
        self, ann: User, cid: User, tenant: Tenant, make: Make, role: str
    ) -> None:
        code = link_for(cid, by=ann)
        sprint = make("Sprint")
        ChallengeRole.objects.create(challenge=sprint, user=cid, role=role)
        assert link_for(cid, by=ann)
        Challenge.objects.update(tenant=Tenant.objects.create(slug="other", name="Other"))
        assert used(code).status_code == 422
        with pytest.raises(ServiceError):
            link_for(cid, by=ann)

    def test_members_and_organisers_of_another_tenant_cannot_make_links(
        self, cid: User, zoe: User
    ) -> None:
        other = Tenant.objects.create(slug="other", name="Other")
        for stranger in (organiser_of(other, "oto"), zoe):
            with pytest.raises(ServiceError):
                link_for(cid, by=stranger)
        with pytest.raises(ServiceError):
            make_link(Purpose.INVITATION, by=zoe, tenant=other)

    def test_operators_may_make_links_for_all_users(self, ben: User, zoe: User) -> None:
        User.objects.filter(pk=zoe.pk).update(is_superuser=True)
        zoe.refresh_from_db()
        assert used(link_for(ben, by=zoe)).status_code == 302


class TestReset:
    @pytest.fixture
    def _mail(self, sends_mail: None, ben: User) -> None:
        EmailAddress.objects.create(user=ben, email="ben@example.org", verified=True, primary=True)

    @pytest.mark.usefixtures("_mail")
    def test_a_reset_link_is_sent_by_name_or_address(self, client: Client) -> None:
        for who in ("ben", "ben@example.org", "Ben@Example.org"):
            mail.outbox.clear()
            client.post("/password/reset/", {"who": who})
            (message,) = mail.outbox
            assert message.to == ["ben@example.org"]
            code = str(message.body).partition("/link/#")[2].split()[0]
            assert chosen(code).status_code == 302, who

    @pytest.mark.usefixtures("_mail")
    def test_a_reset_gets_the_same_answer_for_any_name(self, client: Client) -> None:
        answers = [client.post("/password/reset/", {"who": who}) for who in ("ben", "nobody")]
        assert len({answer.status_code for answer in answers}) == 1
        assert len({answer.content for answer in answers}) == 1
        assert len(mail.outbox) == 1

    @pytest.mark.usefixtures("_mail")
    def test_an_unverified_address_gets_no_link_to_another_account(self, zoe: User) -> None:
        User.objects.filter(pk=zoe.pk).update(email="ben@example.org")
        Client().post("/password/reset/", {"who": "ben@example.org"})
        assert [link.user.username for link in OneTimeLink.objects.all() if link.user] == ["ben"]

    @pytest.mark.usefixtures("_mail")
    def test_the_number_of_reset_mails_is_limited(self, client: Client, settings: Any) -> None:
        settings.THROTTLE_SIGN_IN = None
        for _ in range(8):
            client.post("/password/reset/", {"who": "ben"})
        assert len(mail.outbox) == 5

    def test_without_mail_there_is_no_form(self, client: Client, settings: Any) -> None:
        settings.EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
        assert 'name="who"' not in get(client, "/password/reset/")
        client.post("/password/reset/", {"who": "ben"})
        assert not OneTimeLink.objects.exists()


class TestCommand:
    def test_the_command_prints_a_link(self, tenant: Tenant, settings: Any, capsys: Any) -> None:
        settings.PUBLIC_URL = "https://board.example.org"
        call_command("invite", "--role", "organiser", "--for", "ada")
        page, _, code = capsys.readouterr().out.strip().partition("#")
        assert page == "https://board.example.org/link/"
        link = open_link(code)
        assert link is not None
        assert (link.role, link.label, link.tenant) == ("organiser", "ada", tenant)

    def test_the_command_refuses_wrong_arguments(self, tenant: Tenant) -> None:
        for days in ("0", "9" * 12):
            with pytest.raises(CommandError):
                call_command("invite", "--days", days)

    def test_the_command_refuses_invitations_when_signing_up_is_off(
        self, tenant: Tenant, settings: Any
    ) -> None:
        settings.SIGN_UP = "off"
        with pytest.raises(CommandError):
            call_command("invite")


@pytest.mark.django_db(transaction=True)
def test_concurrent_uses_of_a_link_sign_in_once(ben: User) -> None:
    code = link_for(ben)

    def status_of_use(_: int) -> int:
        try:
            return int(used(code).status_code)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(8) as threads:
        codes = list(threads.map(status_of_use, range(8)))
    assert sorted(codes) == [302] + [422] * 7


def test_a_link_replaces_the_session_of_another_user(ben: User, zoe: User) -> None:
    client = signed_in(zoe)
    used(link_for(ben), client)
    assert "Signed in as ben" in get(client, "/account/")


def test_who_joins_a_team_by_a_link_answers_the_questions_first(
    make: Make, ben: User, zoe: User, as_zoe: Client
) -> None:
    cup = make("Cup")
    question = {"key": "sid", "kind": "text", "label": "Student number", "required": True}
    declare_rules(cup, {"mode": "open", "largest_team": 2, "questions": [question]})
    register(cup, ben, {"participant": "Atlas", "answers": {"sid": "1"}})
    _link, code = make_team_link(cup, ben)
    asked = used(code, as_zoe)
    assert (asked.status_code, Entry.objects.filter(user=zoe).exists()) == (200, False)
    assert "Student number" in asked.content.decode()
    assert used(code, as_zoe, answers="1").status_code == 422
    assert used(code, as_zoe, answers="1", answer_sid="0007").status_code == 302
    assert Entry.objects.get(user=zoe).answers == {"sid": "0007"}
