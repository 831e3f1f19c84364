"""Who organises a challenge, who reviews it, and who gives these roles."""

from __future__ import annotations

import json
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from leaderboard.models import Attempt, AuditEntry, Challenge, ChallengeRole, Tenant, User
from leaderboard.rules.visibility.view import EVERYTHING
from leaderboard.services.accounts.erase import erase_account, why_not_erased
from leaderboard.services.accounts.own_data import own_data
from leaderboard.services.attempts.submit import NewAttempt, submit_attempt
from leaderboard.services.challenges.challenges import change_challenge, create_challenge
from leaderboard.services.competition.organisers.appointing import (
    give_role,
    organisers_of,
    take_role,
)
from leaderboard.services.competition.participants.registration import register
from leaderboard.services.competition.roles import UserRole, organises, reviews, role_of
from leaderboard.services.competition.visible.viewers import Viewer, access_of
from leaderboard.services.tokens import create_token
from tests.people import organiser_of
from tests.services.conftest import Create
from tests.services.refusals import check_refusals, refusal

pytestmark = pytest.mark.django_db
REVIEWER, ORGANISER = {"role": "reviewer"}, {"role": "organiser"}


@pytest.fixture
def cup(create: Create) -> Challenge:
    return create("Cup")


@pytest.fixture
def other(create: Create) -> Challenge:
    return create("Other")


def test_roles_hold_in_one_challenge(
    cup: Challenge, other: Challenge, ann: User, bob: User
) -> None:
    assert (role_of(bob, cup), role_of(None, cup)) == (UserRole.NONE, UserRole.NONE)
    assert role_of(ann, cup) is role_of(ann, other) is UserRole.ORGANISER
    give_role(cup, "bob", REVIEWER, by=ann)
    assert (organises(bob, cup), reviews(bob, cup)) == (False, True)
    give_role(cup, "bob", ORGANISER, by=ann)
    assert (organises(bob, cup), reviews(bob, cup)) == (True, True)
    assert role_of(bob, other) is UserRole.NONE
    assert not bob.organises(cup.tenant_id)
    assert ChallengeRole.objects.count() == 1


def test_the_role_of_a_user_takes_one_statement(
    cup: Challenge, bob: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    give_role(cup, "bob", REVIEWER, by=None)
    with django_assert_num_queries(1):
        assert role_of(bob, cup) is UserRole.REVIEWER


def test_inactive_users_have_no_role(cup: Challenge, bob: User) -> None:
    give_role(cup, "bob", ORGANISER, by=None)
    bob.is_active = False
    assert role_of(bob, cup) is UserRole.NONE
    root = User.objects.create_superuser("root")
    assert role_of(root, cup) is UserRole.ORGANISER


def test_who_has_a_role_opens_drafts_and_private_challenges(
    create: Create, ann: User, bob: User
) -> None:
    kinds: tuple[dict[str, Any], ...] = ({"visibility": "private"}, {"is_draft": True})
    for fields in kinds:
        plan = create("Plan", **fields)
        for role in (ORGANISER, REVIEWER):
            assert Challenge.objects.called(plan.slug, bob) is None
            give_role(plan, "bob", role, by=ann)
            assert Challenge.objects.called(plan.slug, bob) == plan
            assert list(Challenge.objects.listed_for(bob)) == [plan]
            take_role(plan, "bob", by=ann)
        assert Challenge.objects.called(plan.slug, bob) is None


def test_a_role_takes_over_no_link(cup: Challenge, bob: User) -> None:
    acme = Tenant.objects.create(slug="acme", name="Acme")
    eve = organiser_of(acme, "eve")
    fields = {"name": "Cup", "scoring_strategy": "first", "visibility": "private"}
    trap = create_challenge(tenant=acme, user=eve, fields=fields)
    give_role(trap, "bob", REVIEWER, by=eve)
    assert Challenge.objects.called("cup", bob) == cup


def test_roles_see_hidden_and_frozen_boards(cup: Challenge, ann: User, bob: User) -> None:
    past = (timezone.now() - timedelta(days=1)).isoformat()
    phase = {"slug": "main", "board": "organisers", "scores": "hidden", "freezes_at": past}
    change_challenge(cup, user=ann, fields={"phases": [phase]})
    cup.refresh_from_db()
    organiser = Viewer(user=bob, organises=True)
    assert access_of(cup, organiser).is_limited
    for role in (ORGANISER, REVIEWER):
        give_role(cup, "bob", role, by=ann)
        access = access_of(cup, organiser)
        assert set(access.phases.values()) == {EVERYTHING}
        assert not access.is_limited
    assert access_of(cup, Viewer(user=bob)).is_limited


def test_reviewers_take_no_part_in_drafts_and_have_limits(
    cup: Challenge, ann: User, bob: User
) -> None:
    change_challenge(cup, user=ann, fields={"phases": [{"slug": "main", "total": 1}]})
    give_role(cup, "bob", REVIEWER, by=ann)
    new = NewAttempt(participant="Atlas", metrics={"succeeded": True})
    submit_attempt(challenge=cup, user=bob, new=new)
    again = partial(submit_attempt, challenge=cup, user=bob, new=new)
    assert refusal(again).code == "quota"
    Challenge.objects.filter(pk=cup.pk).update(is_draft=True)
    assert refusal(again).code == "permission_denied"
    error = refusal(lambda: register(cup, bob, {"participant": "Atlas"}))
    assert error.code == "permission_denied"
    give_role(cup, "bob", ORGANISER, by=ann)
    submit_attempt(challenge=cup, user=bob, new=new, organiser=True)
    assert Attempt.objects.count() == 2


def test_a_token_for_one_challenge_is_enough(
    cup: Challenge, other: Challenge, tenant: Tenant, bob: User
) -> None:
    give_role(cup, "bob", ORGANISER, by=None)
    token, _ = create_token(user=bob, scopes=["organise"], challenge=cup)
    assert (token.tenant, token.challenge) == (tenant, cup)
    for wrong in ({"challenge": other}, {"tenant": tenant}):
        act = partial(create_token, user=bob, scopes=["organise"], **wrong)
        assert refusal(act).code == "permission_denied"


def test_the_log_says_who_gave_and_took_a_role(cup: Challenge, ann: User, bob: User) -> None:
    give_role(cup, "bob", REVIEWER, by=ann)
    give_role(cup, "bob", REVIEWER, by=ann)
    give_role(cup, "bob", ORGANISER, by=ann)
    take_role(cup, "bob", by=ann)
    refusal(lambda: take_role(cup, "bob", by=ann))
    log = AuditEntry.objects.filter(kind="role", actor=ann, object="bob").order_by("pk")
    assert [(entry.before, entry.after) for entry in log] == [
        (None, REVIEWER),
        (REVIEWER, ORGANISER),
        (ORGANISER, None),
    ]
    assert not any(entry.public for entry in log)


def test_an_address_counts_if_its_owner_has_confirmed_it(
    cup: Challenge, ann: User, bob: User
) -> None:
    User.objects.create_user("bob@example.org")  # somebody else
    address = EmailAddress.objects.create(user=bob, email="bob@example.org", verified=False)
    error = refusal(lambda: give_role(cup, "bob@example.org", REVIEWER, by=ann))
    assert (error.code, list(error.fields)) == ("not_found", ["user"])
    address.verified = True
    address.save()
    assert give_role(cup, "Bob@Example.org", REVIEWER, by=ann).user == bob


def test_the_list_begins_with_organisers_of_the_tenant(
    cup: Challenge, ann: User, bob: User
) -> None:
    User.objects.create_user("abe")
    give_role(cup, "abe", REVIEWER, by=ann)
    give_role(cup, "bob", ORGANISER, by=ann)
    organisers = organisers_of(cup)
    assert [
        (organiser.user.username, organiser.role, organiser.of_tenant) for organiser in organisers
    ] == [
        ("ann", "organiser", True),
        ("bob", "organiser", False),
        ("abe", "reviewer", False),
    ]
    assert refusal(lambda: give_role(cup, "ann", REVIEWER, by=bob)).code == "conflict"


@pytest.mark.usefixtures("bob")
def test_errors_name_the_field(cup: Challenge) -> None:
    unknown: list[tuple[Any, ...]] = [
        ((text, REVIEWER), "user") for text in ("nobody", "x" * 300, "a\0b")
    ]
    invalid: list[tuple[Any, ...]] = [
        (("bob", {}), "role"),
        (("bob", {"role": "owner"}), "role"),
        (("nobody", {"role": "owner"}), "role"),
        (("bob", {"role": "reviewer", "until": None}), "until"),
    ]
    for cases, code in ((unknown, "not_found"), (invalid, "invalid")):
        check_refusals(lambda given: give_role(cup, *given, by=None), cases, code=code)


def test_an_account_takes_its_roles_with_it(cup: Challenge, ann: User, bob: User) -> None:
    give_role(cup, "bob", ORGANISER, by=ann)
    kinds = [json.loads(line) for line in own_data(bob)]
    (role,) = [kind["role"] for kind in kinds if "role" in kind]
    assert (role["challenge__slug"], role["role"]) == ("cup", "organiser")
    eve = User.objects.create_user("eve")
    give_role(cup, "eve", REVIEWER, by=bob)
    assert why_not_erased(bob) == ""
    erase_account(bob)
    row = ChallengeRole.objects.get()
    assert (row.user, row.added_by) == (eve, None)
    assert not AuditEntry.objects.filter(object="bob").exists()
