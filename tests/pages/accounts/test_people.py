"""The page on which organisers invite people and create accounts."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest
from django.core import mail
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils.timezone import now

from leaderboard.models import Membership, OneTimeLink, Registration, Tenant, User
from leaderboard.pages.accounts.qr import qr_code
from leaderboard.services.accounts.one_time_links import make_link, may_help, open_link
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.competition.participants.importing import register_from_table
from tests.helpers.attempts import attempt_of
from tests.pages.reading import get, words

pytestmark = pytest.mark.django_db


def shown_code(page: str) -> str:
    element = re.search(r'<code id="link">[^#<]+#(.+?)</code>', page)
    assert element is not None
    return element[1]


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
    form = {"form": "invite", "tenant": tenant.pk, "role": "member", "days": "3"}
    answer = as_ann.post("/people/", form | {"email": "eve@example.org"})
    code = shown_code(answer.content.decode())
    assert open_link(code)
    assert "no-store" in answer.headers["Cache-Control"]
    assert f"http://testserver/link/#{code}" in mail.outbox[0].body
    later = get(as_ann, "/people/")
    assert code not in later
    assert "eve@example.org" in later


def test_another_tenant_is_refused(as_ann: Client, tenant: Tenant) -> None:
    other = Tenant.objects.create(slug="other", name="Other")
    form = {"form": "invite", "tenant": other.pk, "role": "member", "days": "3"}
    assert as_ann.post("/people/", form).status_code == 422
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
        assert [person.username for person in people] == names
        assert {person.memberships.get().role for person in people} == {Membership.Role.MEMBER}
        assert not any(person.has_usable_password() for person in people)
        codes = re.findall(r"<code>(.+?)</code>", page)
        pictures = [qr_code(f"http://testserver/link/#{code}").path for code in codes]
        assert re.findall(r'<path d="(.+?)"/>', page.partition("<main")[2]) == pictures
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
            (b"a,b\n", "name the columns: "),
            (b"name;email\nAda;ada@example.org;x\n", "Line 2: must have as many cells"),
            (b"name,name\nA,B\n", "column once; got"),
            (b"Lovelace, Ada\nCurie, Marie\n", "name the columns"),
            (b"Ada;ada\n", "name the columns"),
            (b"Ada (ada@example.org)\n", "Line 1: must be a name alone"),
            (b"name\nada@example\n", "Line 2: must not hold an @"),
            (b"name,email\nA,a@example.org\nB,A@example.org\n", "Line 3: email"),
            ("username\nbеn\n".encode(), "Line 2: username"),
            (b"name,shoe\n,1\n", "Line 2: must have a name"),
            (b"\n\n", "1 to 500 rows; got 0"),
            (b"name\n", "1 to 500 rows; got 0"),
            (b"x\n" * 501, "1 to 500 rows; got 501"),
            (b"\xff\xfe", "1 to 500 rows; got 0"),
            (b"", "empty"),
        ):
            answer = sent(as_ann, table, tenant)
            assert answer.status_code == 422, table
            assert re.search(message, html.unescape(answer.content.decode())), table
            assert User.objects.count() == before, table
        assert not OneTimeLink.objects.exists()

    @pytest.mark.usefixtures("contexts")
    def test_a_preview_makes_nothing_and_is_sent_on(self, as_ann: Client, tenant: Tenant) -> None:
        table = "Vorname;Nachname;E-Mail;Matrikel\r\nJürgen;Müller;jm@example.org;7\r\n"
        file = SimpleUploadedFile("liste.csv", table.encode("cp1252"))
        form = {"file": file, "tenant": str(tenant.pk), "preview": ""}
        before = User.objects.count()
        answer = as_ann.post("/people/accounts/", form)
        page = answer.content.decode()
        assert answer.status_code == 200
        for text in ("jürgen-müller", "Jürgen Müller", "jm@example.org", "Matrikel"):
            assert text in page, text
        assert User.objects.count() == before
        previewed = answer.context["planned"].table
        again = {"table": previewed, "tenant": str(tenant.pk)}
        assert "jürgen-müller" in as_ann.post("/people/accounts/", again).content.decode()
        made = User.objects.get(username="jürgen-müller")
        assert (made.first_name, made.email) == ("Jürgen Müller", "jm@example.org")

    @pytest.mark.usefixtures("contexts")
    def test_accounts_that_nobody_has_used_are_removed(
        self, as_ann: Client, as_ben: Client, tenant: Tenant
    ) -> None:
        sent(as_ann, b"username\neve\neva\nada\nzoe\n", tenant)
        eve, eva, ada, zoe = User.objects.filter(managed_by=tenant).order_by("pk")
        challenge = create_challenge(
            tenant=tenant, user=None, fields={"name": "S", "scoring_strategy": "fastest"}
        )
        register_from_table(challenge, "username\neve\neva\n", by=User.objects.get(username="ann"))
        attempt_of(eva, challenge, "eva")
        User.objects.filter(pk=ada.pk).update(last_login=now())
        ((_tenant, unused),) = as_ann.get("/people/").context["unused"]
        assert set(unused) == {eve, zoe}
        form = {"tenant": tenant.slug, "user": [user.pk for user in (eve, eva, ada)]}
        assert as_ben.post("/people/accounts/remove/", form).status_code == 403
        other = Tenant.objects.create(slug="other", name="Other")
        away = form | {"tenant": other.slug}
        assert as_ann.post("/people/accounts/remove/", away).status_code == 404
        assert as_ann.post("/people/accounts/remove/", form).status_code == 302
        left = User.objects.filter(managed_by=tenant).order_by("pk")
        assert list(left) == [eva, ada, zoe]
        assert [registration.participant.handle for registration in Registration.objects.all()] == [
            "eva"
        ]

    def test_users_see_who_can_make_links_for_them(self, as_ann: Client, tenant: Tenant) -> None:
        sent(as_ann, b"username\neve\n", tenant)
        client = Client()
        client.force_login(User.objects.get(username="eve"))
        assert "Organisers of Default" in words(get(client, "/account/"))
