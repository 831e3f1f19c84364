"""Codes of classes at `/link/`, invitations to a challenge, and the card to hand out."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from leaderboard.models import Challenge, Entry, OneTimeLink, RegistrationRules, Tenant, User
from leaderboard.services.accounts.one_time_links import make_link
from leaderboard.services.competition.participants.registration_rules import declare_rules
from leaderboard.services.errors import ServiceError
from tests.pages.accounts.conftest import NEW
from tests.pages.conftest import PASSWORD, Make
from tests.pages.reading import get, words
from tests.people import signed_in

pytestmark = pytest.mark.django_db
CODE = "Über 9000!"
REGISTER = "/c/sprint/register/"


@pytest.fixture
def sprint(make: Make) -> Challenge:
    challenge = make("Sprint")
    declare_rules(challenge, {"mode": "code", "code": CODE})
    return challenge


def typed(client: Client, code: str = CODE) -> Any:
    return client.post("/link/", {"code": code})


def test_a_class_code_leads_to_the_registration_with_the_code_filled_in(
    sprint: Challenge, as_ben: Client, ben: User
) -> None:
    assert typed(as_ben, f" {CODE} ").headers["Location"] == REGISTER
    assert f'value="{CODE}"' in get(as_ben, REGISTER)
    as_ben.post(REGISTER, {"participant": "Ben", "kind": "person", "code": CODE})
    assert Entry.objects.of(ben, sprint).exists()


@pytest.mark.parametrize("sign_up", ["open", "invited", "off"])
def test_somebody_without_an_account_is_told_that_it_comes_first(
    sprint: Challenge, client: Client, settings: Any, sign_up: str
) -> None:
    settings.SIGN_UP = sign_up
    answer = typed(client)
    page = answer.content.decode()
    assert answer.status_code == 200
    assert "Sprint" in words(page)
    assert f"/sign-in/?next={REGISTER.replace('/', '%2F')}" in page
    assert (f"/sign-up/?next={REGISTER.replace('/', '%2F')}" in page) == (sign_up == "open")
    if sign_up == "open":
        new = {"username": "cleo", "password1": NEW, "password2": NEW, "next": REGISTER}
        assert client.post("/sign-up/", new).headers["Location"] == REGISTER
        assert f'value="{CODE}"' in get(client, REGISTER), "kept while they signed up"


def test_a_typed_code_leads_on_after_any_way_of_signing_in(
    sprint: Challenge, client: Client, ben: User
) -> None:
    """Such as by the header, or after an address was confirmed: without the next page."""
    typed(client)
    me = {"username": "ben", "password": PASSWORD}
    assert client.post("/sign-in/", me).headers["Location"] == REGISTER
    client.post("/sign-out/")
    assert client.post("/sign-in/", me).headers["Location"] != REGISTER


def test_several_challenges_with_the_same_code_are_a_choice(
    sprint: Challenge, make: Make, as_ben: Client
) -> None:
    declare_rules(make("Marathon"), {"mode": "code", "code": CODE})
    page = typed(as_ben).content.decode()
    assert REGISTER in page
    assert "/c/marathon/register/" in page


def test_a_code_says_nothing_about_challenges_that_the_reader_may_not_see(
    sprint: Challenge, make: Make, client: Client, as_zoe: Client, ann: User
) -> None:
    Challenge.objects.filter(pk=sprint.pk).update(visibility="private")
    for reader in (client, as_zoe):
        existing, unknown = typed(reader), typed(reader, "nothing")
        assert (existing.status_code, unknown.status_code) == (422, 422)
        assert words(existing.content.decode()).replace(CODE, "") == words(
            unknown.content.decode()
        ).replace("nothing", "")
    assert typed(signed_in(ann)).headers["Location"] == REGISTER
    Challenge.objects.filter(pk=sprint.pk).update(visibility="public", is_active=False)
    assert typed(client).status_code == 422
    RegistrationRules.objects.update(mode="open")
    Challenge.objects.filter(pk=sprint.pk).update(is_active=True)
    assert typed(client).status_code == 422, "the code of another mode is none"


def test_codes_cannot_be_guessed_and_a_class_behind_one_address_is_let_in(
    sprint: Challenge, settings: Any
) -> None:
    settings.THROTTLE_SIGN_IN = "5/h"
    assert all(typed(Client()).status_code == 200 for _ in range(40))
    assert [typed(Client(), f"guess {at}").status_code for at in range(5)] == [422] * 5
    page = typed(Client())
    assert page.status_code == 429
    assert "Sprint" not in words(page.content.decode())


@pytest.mark.parametrize("mode", [None, "code", "invited"])
def test_an_invitation_to_a_challenge_leads_there(
    make: Make, tenant: Tenant, ann: User, ben: User, as_ann: Client, mode: str | None
) -> None:
    challenge = make("Sprint", visibility="private")
    to = "/c/sprint/"
    if mode:
        declare_rules(challenge, {"mode": mode, "code": CODE if mode == "code" else ""})
        to = REGISTER
    invited = {"form": "invite", "email": "Cleo@example.org", "role": "member", "days": "14"}
    page = as_ann.post(
        "/people/", {**invited, "tenant": tenant.pk, "challenge": str(challenge.pk)}
    ).content.decode()
    code = page.partition("/link/#")[2].partition("<")[0]
    newcomer = Client()
    assert typed(newcomer, code).headers["Location"] == f"/sign-up/?next={to.replace('/', '%2F')}"
    assert f'name="next" value="{to}"' in get(newcomer, f"/sign-up/?next={to}")
    new = {"username": "cleo", "password1": NEW, "password2": NEW, "next": to}
    assert newcomer.post("/sign-up/", new).headers["Location"] == to
    assert newcomer.get(to).status_code == 200, "a private challenge, which they may see now"
    _, second = make_link(
        OneTimeLink.Purpose.INVITATION, by=ann, tenant=tenant, challenge=challenge
    )
    assert typed(signed_in(ben), second).headers["Location"] == to
    listed = RegistrationRules.objects.values_list("invited", flat=True).first()
    assert listed == (["cleo@example.org"] if mode == "invited" else [] if mode else None)


def test_an_invitation_names_only_challenges_of_its_tenant(
    sprint: Challenge, ann: User, zoe: User, capsys: Any
) -> None:
    other = Tenant.objects.create(slug="other", name="Other")
    with pytest.raises(ServiceError):
        make_link(OneTimeLink.Purpose.INVITATION, by=None, tenant=other, challenge=sprint)
    with pytest.raises(CommandError, match="--challenge"):
        call_command("invite", "--tenant", "other", "--challenge", "sprint")
    call_command("invite", "--challenge", "sprint")
    assert OneTimeLink.objects.get().challenge == sprint


def test_publishing_leads_to_a_card_with_link_and_code(
    make: Make, as_ann: Client, as_ben: Client, client: Client
) -> None:
    plan = make("Plan", is_draft=True)
    card = "/c/plan/manage/hand-out/"
    assert as_ann.get(card).status_code == 404, "a draft"
    declare_rules(plan, {"mode": "code", "code": CODE})
    assert as_ann.post("/c/plan/manage/publish/").headers["Location"] == card
    page = get(as_ann, card)
    assert "http://testserver/c/plan/" in page
    assert CODE in words(page)
    assert "<svg" in page
    assert as_ben.get(card).status_code == 404
    assert client.get(card).status_code == 302
    for mode in ("open", "approval", "invited"):
        declare_rules(plan, {"mode": mode})
        assert CODE not in get(as_ann, card)
