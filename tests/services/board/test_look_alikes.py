"""Participants whose names look like others' names are shown to organisers."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from leaderboard.models import Challenge, Participant, Tenant, User
from leaderboard.services.board.look_alikes import look_alikes, looking_alike
from leaderboard.services.competition.participants.creating import change_participant
from tests.people import organiser_of, participant_named
from tests.services.refusals import check_refusals

pytestmark = pytest.mark.django_db


@pytest.fixture
def tenant() -> Tenant:
    return Tenant.objects.create(slug="default", name="Default")


@pytest.fixture
def alice(tenant: Tenant) -> User:
    return organiser_of(tenant, "alice")


def made(tenant: Tenant, user: User, handle: str, **fields: str) -> Participant:
    return participant_named(
        challenge=Challenge(tenant=tenant), handle=handle, user=user, organiser=True, **fields
    )


def flagged() -> set[str]:
    return {participant.handle for participant in looking_alike(Participant.objects.all())}


def test_a_new_name_that_looks_like_another_is_accepted_and_flagged(
    tenant: Tenant, alice: User
) -> None:
    one, other = made(tenant, alice, "Atlas"), made(tenant, alice, "At1as")
    third = made(tenant, alice, "Boreas")
    assert flagged() == {"Atlas", "At1as"}
    assert look_alikes([one, other, third]) == {
        one.pk: ["At1as"],
        other.pk: ["Atlas"],
        third.pk: [],
    }


def test_names_of_another_tenant_are_not_compared(tenant: Tenant, alice: User) -> None:
    acme = Tenant.objects.create(slug="acme", name="Acme")
    one = made(tenant, alice, "Atlas")
    made(acme, alice, "At1as")
    assert flagged() == set()
    assert look_alikes([one])[one.pk] == []


def test_display_names_are_compared(tenant: Tenant, alice: User) -> None:
    """A display name replaces the handle on boards, so it is compared too."""
    one = made(tenant, alice, "zephyr", name="Atlas")
    other = made(tenant, alice, "atlas")
    assert flagged() == {"zephyr", "atlas"}
    assert look_alikes([other])[other.pk] == ["Atlas"]
    change_participant(one, name="", kind="system", owner=alice)
    assert flagged() == set()
    change_participant(one, name="ＡtIas", kind="system", owner=alice)
    assert flagged() == {"zephyr", "atlas"}


def test_look_alikes_of_many_names_are_found_by_one_query(tenant: Tenant, alice: User) -> None:
    many = [made(tenant, alice, name) for at in range(20) for name in (f"m{at}", f"rn{at}")]
    with CaptureQueriesContext(connection) as queries:
        similar_names = look_alikes(many)
    assert len(queries) == 1
    assert all(len(names) == 1 for names in similar_names.values())


def test_an_older_participant_with_a_refused_name_may_go_on(tenant: Tenant, alice: User) -> None:
    """Participants keep names that would be refused today."""
    old = Participant.objects.create(
        tenant=tenant, handle="a\u2800b", handle_key="a\u2800b", slug="ab", owner=alice
    )
    assert made(tenant, alice, "A\u2800b") == old
    check_refusals(
        lambda handle: made(tenant, alice, handle), [("c\u2800d", "participant", "got U+2800")]
    )
