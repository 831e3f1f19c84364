"""Participants whose names look like others' names are shown to organisers."""

from __future__ import annotations

import importlib
from pkgutil import iter_modules
from typing import Any

import pytest
from django.apps import apps
from django.db import connection
from django.test.utils import CaptureQueriesContext

from leaderboard import migrations
from leaderboard.models import Challenge, Participant, Tenant, User
from leaderboard.rules.texts.skeletons import skeleton
from leaderboard.services.board.look_alikes import look_alikes, looking_alike
from leaderboard.services.competition.participants.creating import (
    change_participant,
    participant_named,
)
from tests.people import organiser_of
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
    return {each.handle for each in looking_alike(Participant.objects.all())}


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
        found = look_alikes(many)
    assert len(queries) == 1
    assert all(len(others) == 1 for others in found.values())


def test_an_older_participant_with_a_refused_name_may_go_on(tenant: Tenant, alice: User) -> None:
    """Participants keep names that would be refused today."""
    old = Participant.objects.create(
        tenant=tenant, handle="a\u2800b", handle_key="a\u2800b", slug="ab", owner=alice
    )
    assert made(tenant, alice, "A\u2800b") == old
    check_refusals(
        lambda handle: made(tenant, alice, handle), [("c\u2800d", "participant", "got U+2800")]
    )


def test_the_migration_fills_in_what_is_missing(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    Participant.objects.bulk_create(
        Participant(
            tenant=tenant,
            handle=f"m{at}",
            handle_key=f"m{at}",
            slug=f"p{at}",
            name="Аtlas" if at == 7 else "",
        )
        for at in range(12)
    )
    assert not Participant.objects.exclude(skeleton="").exists()
    (name,) = (
        iter_module.name
        for iter_module in iter_modules(migrations.__path__)
        if "strict" in iter_module.name
    )
    migration: Any = importlib.import_module(f"leaderboard.migrations.{name}")
    monkeypatch.setattr(migration, "ROWS", 5)
    with connection.schema_editor() if connection.vendor == "postgresql" else _Plain() as editor:
        migration.fill_skeletons(apps, editor)
    found = {each.handle: each.skeleton for each in Participant.objects.all()}
    assert found.pop("m7") == "atlas"
    assert found == {handle: skeleton(handle) for handle in found}


class _Plain:
    """A stand-in for SQLite's schema editor, which cannot be opened inside a transaction."""

    connection = connection

    def __enter__(self) -> _Plain:
        return self

    def __exit__(self, *error: object) -> None: ...
