"""The page on which organisers invite people and create accounts."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest
from django.core import mail
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from leaderboard.models import Membership, OneTimeLink, Tenant, User
from leaderboard.pages.accounts.qr import qr_code
from leaderboard.services.accounts.one_time_links import make_link, may_help, open_link
from tests.pages.reading import get, words

pytestmark = pytest.mark.django_db


def shown_code(page: str) -> str:
    found = re.search(r'<code id="link">[^#<]+#(.+?)</code>', page)
    assert found is not None
    return found[1]


def sent(client: Client, table: bytes, tenant: Tenant) -> Any:
    file = SimpleUploadedFile("people.csv", table)
    return client.post("/people/accounts/", {"file": file, "tenant": str(tenant.pk)})


def test_only_organisers_open_the_page(client: Client, as_ben: Client, as_ann: Client) -> None:
    assert client.get("/people/").status_code == 302
    assert as_ben.get("/people/").status_code == 403
    assert as_ben.post("/people/accounts/").status_code == 403
    assert as_ann.get("/people/").status_code == 200
    assert 'href="/people/"' in get(as_ann, "/account/")
    assert 'href="/people/"' not in get(as_ben, "/account/")


def test_an_invitation_is_shown_once_and_sent(
    as_ann: Client, tenant: Tenant, sends_mail: None
) -> None:
    data = {"form": "invite", "tenant": tenant.pk, "role": "member", "days": "3"}
    answer = as_ann.post("/people/", data | {"email": "eve@example.org"})
    code = shown_code(answer.content.decode())
    assert open_link(code)
    assert "no-store" in answer.headers["Cache-Control"]
    assert f"http://testserver/link/#{code}" in mail.outbox[0].body
    later = get(as_ann, "/people/")
    assert code not in later
    assert "eve@example.org" in later


def test_another_tenant_is_refused(as_ann: Client, tenant: Tenant) -> None:
    other = Tenant.objects.create(slug="other", name="Other")
    data = {"form": "invite", "tenant": other.pk, "role": "member", "days": "3"}
    assert as_ann.post("/people/", data).status_code == 422
    assert sent(as_ann, b"eve", other).status_code == 422
    assert not OneTimeLink.objects.exists()


def test_accounts_of_other_tenants_are_not_revealed(as_ann: Client, ben: User) -> None:
    answers = [
        words(
            as_ann.post(
                "/people/", {"form": "help", "username": name, "purpose": "sign_in"}
            ).content.decode()
        ).replace(name, "")
        for name in ("ben", "nobody")
    ]
    assert answers[0] == answers[1]
    assert "of your tenant" not in answers[0]
    assert as_ann.post("/people/", {"form": "help", "username": "ben"}).status_code == 422


def test_an_account_that_another_tenant_has_admitted_gets_no_links(
    ann: User, tenant: Tenant
) -> None:
    """Whoever signs in as its user sees that tenant's private challenges."""
    ada = User.objects.create(username="ada", managed_by=tenant)
    Membership.objects.create(tenant=tenant, user=ada)
    assert may_help(ann, ada)
    other = Tenant.objects.create(slug="other", name="Other")
    Membership.objects.create(tenant=other, user=ada)
    assert not may_help(ann, ada)


def test_the_maker_of_a_link_can_end_it(
    as_ann: Client, as_ben: Client, ann: User, tenant: Tenant
) -> None:
    link, code = make_link(OneTimeLink.Purpose.INVITATION, by=ann, tenant=tenant)
    path = f"/people/links/{link.pk}/end/"
    assert as_ben.post(path).status_code == 403
    assert as_ann.get(path).status_code == 405
    assert as_ann.post(path).status_code == 302
    assert open_link(code) is None
    assert as_ann.post(path).status_code == 404


class TestTable:
    def test_a_table_of_names_creates_accounts_and_a_sheet(
        self, as_ann: Client, tenant: Tenant
    ) -> None:
        answer = sent(as_ann, "Ada Lovelace\nÉmilie du Châtelet\nAda Lovelace\n".encode(), tenant)
        page = html.unescape(answer.content.decode())
        names = ["ada-lovelace", "ada-lovelace-2", "émilie-du-châtelet"]
        people = User.objects.filter(managed_by=tenant).order_by("username")
        assert [each.username for each in people] == names
        assert {each.memberships.get().role for each in people} == {Membership.Role.MEMBER}
        assert not any(each.has_usable_password() for each in people)
        codes = re.findall(r"<code>(.+?)</code>", page)
        pictures = [qr_code(f"http://testserver/link/#{code}").path for code in codes]
        assert re.findall(r'<path d="(.+?)"/>', page) == pictures
        links = [open_link(code) for code in codes]
        assert [link.user.first_name for link in links if link and link.user] == [
            "Ada Lovelace",
            "Émilie du Châtelet",
            "Ada Lovelace",
        ]
        assert "no-store" in answer.headers["Cache-Control"]

    def test_a_table_may_have_a_header(self, as_ann: Client, tenant: Tenant) -> None:
        sent(as_ann, b"Username,Email,Name\nada,Ada@example.org,Ada Lovelace\n", tenant)
        ada = User.objects.get(username="ada")
        assert (ada.email, ada.get_full_name()) == ("ada@example.org", "Ada Lovelace")

    def test_a_table_is_imported_completely_or_not_at_all(
        self, as_ann: Client, tenant: Tenant, ben: User
    ) -> None:
        before = User.objects.count()
        for table, message in (
            (b"username\nBEN\neve\n", "Line 2: username: [^.]* got BEN"),
            (b"username\neve\neve\n", "Line 3: username: [^.]* got eve"),
            (b"username\ne e\n", "Line 2: must be letters"),
            (b"username,email\neve,nowhere\n", "Line 2: [^.]* email address"),
            (b"a,b\n", "username, name, email; got a"),
            (b"name,shoe\nA,1\n", "got shoe"),
            (b"\n\n", "1 to 500 rows; got 0"),
            (b"name\n", "1 to 500 rows; got 0"),
            (b"x\n" * 501, "1 to 500 rows; got 501"),
            (b"\xff\xfe", "UTF-8"),
            (b"", "empty"),
        ):
            answer = sent(as_ann, table, tenant)
            assert answer.status_code == 422, table
            assert re.search(message, html.unescape(answer.content.decode())), table
            assert User.objects.count() == before, table
        assert not OneTimeLink.objects.exists()

    def test_users_see_who_can_make_links_for_them(self, as_ann: Client, tenant: Tenant) -> None:
        sent(as_ann, b"username\neve\n", tenant)
        client = Client()
        client.force_login(User.objects.get(username="eve"))
        assert "Organisers of Default" in words(get(client, "/account/"))
