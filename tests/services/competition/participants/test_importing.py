"""Rosters go from one challenge into the next, and name people by username or address."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from allauth.account.models import EmailAddress

from leaderboard.models import Challenge, Entry, Registration, User
from leaderboard.services.competition.participants.importing import (
    previewed_roster,
    register_from_table,
)
from leaderboard.services.competition.participants.registration import register
from leaderboard.services.competition.participants.registration_decisions import decide
from leaderboard.services.competition.participants.registration_rules import declare_rules
from tests.people import signed_in
from tests.services.conftest import Create
from tests.services.refusals import refusal

pytestmark = pytest.mark.django_db


@pytest.fixture
def challenges(create: Create) -> list[Challenge]:
    """Two challenges with the same rules."""
    rules = {"mode": "approval", "largest_team": 3, "brackets": ["A"], "bracket_choice": "assigned"}
    challenges = [create("First"), create("Second")]
    for challenge in challenges:
        declare_rules(challenge, rules)
    return challenges


def registrations_of(challenge: Challenge) -> set[tuple[Any, ...]]:
    rows = Registration.objects.filter(challenge=challenge).exclude(status="declined")
    members = Entry.objects.current().filter(challenge=challenge)
    return {
        (
            row.participant.handle,
            row.participant.kind,
            row.status,
            row.bracket,
            frozenset(
                members.filter(participant=row.participant).values_list("user__username", "role")
            ),
        )
        for row in rows.select_related("participant")
    }


@pytest.mark.parametrize("form", ["", "?for=excel", "?for=excel&locale=de"])
def test_the_table_of_one_challenge_is_that_of_the_next(
    challenges: list[Challenge], ann: User, form: str
) -> None:
    first, second = challenges
    names = ("-Team", "@home", "=Sum", "+1", "'=odd", "Grün; Blau", 'the "A"')
    for number, name in enumerate(names):
        user = User.objects.create_user(f"u{number}", email=f"u{number}@example.org")
        register(first, user, {"participant": name, "kind": "system"})
    mate = User.objects.create_user("a-mate")
    minus, at, formula, *_rest = Registration.objects.order_by("pk")
    Entry.objects.create(challenge=first, user=mate, participant=minus.participant)
    decide(minus, by=ann, fields={"status": "accepted", "bracket": "A"})
    decide(at, by=ann, fields={"status": "declined", "reason": "Twice."})
    path = f"/api/v1/challenges/{first.slug}/registrations.csv"
    table = signed_in(ann).get(path + form).content
    assert table.startswith(b"\xef\xbb\xbf") == bool(form)
    assert (b";members;" in table) == ("de" in form)
    roster = register_from_table(second, table, by=ann)
    assert (len(roster.rows), roster.left_out) == (6, 1)
    assert registrations_of(second) == registrations_of(first)
    assert formula.participant.handle == "=Sum"
    assert refusal(lambda: register_from_table(second, table, by=ann)).fields["file"]


def test_people_are_named_by_address(challenges: list[Challenge], ann: User) -> None:
    """A confirmed one, or one that the tenant gave; never one that somebody claims."""
    second = challenges[1]
    for name, fields in (
        ("ada", {"email": "ada@example.org", "managed_by": second.tenant}),
        ("bea", {"email": "other@example.org"}),
        ("eve", {"email": "cleo@example.org"}),
    ):
        User.objects.create_user(name, **fields)
    EmailAddress.objects.create(
        user=User.objects.get(username="bea"), email="Bea@Example.org", verified=True
    )
    table = "Name;E-Mail\nAda L.;ada@example.org\n;bea@example.org\n"
    assert [row.participant for row in previewed_roster(second, table, by=ann).rows] == [
        "Ada L.",
        "bea",
    ]
    assert not Registration.objects.exists()
    register_from_table(second, table, by=ann)
    kinds = Registration.objects.values_list("participant__handle", "participant__kind", "status")
    assert set(kinds) == {("Ada L.", "person", "accepted"), ("bea", "person", "accepted")}
    for claimed in ("other@example.org", "cleo@example.org"):
        error = refusal(partial(register_from_table, second, f"email\n{claimed}", by=ann))
        assert claimed in error.fields["file"][0]


def test_without_a_kind_several_members_are_a_team(challenges: list[Challenge], ann: User) -> None:
    for name in ("ada", "bea", "cleo"):
        User.objects.create_user(name)
    table = "participant,members\nOne,ada\nTwo,bea cleo\n"
    register_from_table(challenges[0], table, by=ann)
    kinds = Registration.objects.values_list("participant__handle", "participant__kind")
    assert dict(kinds) == {"One": "person", "Two": "team"}


def test_brackets_are_left_out_where_the_next_challenge_has_none(
    challenges: list[Challenge], ann: User
) -> None:
    User.objects.create_user("ada")
    declare_rules(challenges[1], {"mode": "open"})
    table = "participant,members,bracket\nOne,ada,A\n"
    assert register_from_table(challenges[1], table, by=ann).unused == ["bracket"]
    assert Registration.objects.get().bracket == ""
