"""Rules of registration that change while participants already take part."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from leaderboard.models import Challenge, Phase, Registration, User
from leaderboard.services.competition.participants.importing import register_from_table
from leaderboard.services.competition.participants.registration import register
from leaderboard.services.competition.participants.registration_decisions import decide
from leaderboard.services.competition.participants.registration_rules import (
    declare_rules,
    withdraw_rules,
)
from tests.people import signed_in
from tests.services.competition.relays import code_of, submitted

pytestmark = pytest.mark.django_db
PAST = datetime(2024, 1, 1, tzinfo=UTC)
ACCEPTED = {"participant": "atlas", "accepts_terms": 1}
MODES: list[dict[str, Any]] = [
    {"mode": "code", "code": "tulip"},
    {"mode": "domain", "domains": ["example.org"]},
    {"mode": "invited"},
]


def test_terms_that_return_after_the_rules_were_removed_are_new(
    sprint: Challenge, bob: User
) -> None:
    declare_rules(sprint, {"terms": "Be fair."})
    declare_rules(sprint, {"terms": "Be kind."})
    register(sprint, bob, {"participant": "atlas", "accepts_terms": 2})
    withdraw_rules(sprint)
    assert declare_rules(sprint, {"terms": "Give us your rights."}).terms_version == 3
    assert code_of(lambda: submitted(sprint, bob, "atlas")) == "not_registered"
    register(sprint, bob, {"participant": "atlas", "accepts_terms": 3})
    submitted(sprint, bob, "atlas")


@pytest.mark.parametrize("mode", MODES)
def test_who_takes_part_accepts_new_terms_without_a_code(
    sprint: Challenge, ann: User, bob: User, eve: User, mode: dict[str, Any]
) -> None:
    """Rules say who may register, and existing registrations stay valid, also those from a
    table."""
    submitted(sprint, bob, "atlas")
    declare_rules(sprint, {**mode, "terms": "Be fair."})
    assert code_of(lambda: submitted(sprint, bob, "atlas")) == "not_registered"
    register(sprint, bob, ACCEPTED)
    submitted(sprint, bob, "atlas")
    assert code_of(lambda: register(sprint, bob, {**ACCEPTED, "participant": "b"})) == "conflict"

    register_from_table(sprint, "participant,members\nboreas,eve\n", by=ann)
    fields = {"participant": "boreas", "kind": "person", "accepts_terms": "on"}
    client, page = signed_in(eve), "/c/sprint/register/"
    assert 'name="code"' not in client.get(page).content.decode()
    assert client.post(page, fields).status_code == 302
    submitted(sprint, eve, "boreas")


def test_who_was_declined_needs_the_code_again(sprint: Challenge, ann: User, bob: User) -> None:
    submitted(sprint, bob, "atlas")
    declare_rules(sprint, {**MODES[0], "terms": "Be fair."})
    decide(Registration.objects.get(), by=ann, fields={"status": "declined"})
    assert 'name="code"' in signed_in(bob).get("/c/sprint/register/").content.decode()
    assert code_of(lambda: register(sprint, bob, ACCEPTED)) == "permission_denied"
    assert register(sprint, bob, {**ACCEPTED, "code": "tulip"}).status == "pending"


def test_who_takes_part_keeps_the_bracket_after_the_end(sprint: Challenge, bob: User) -> None:
    """A participant who knows who leads in each bracket could choose the easiest one."""

    def choose(bracket: str) -> Registration:
        return register(sprint, bob, {"participant": "atlas", "bracket": bracket})

    declare_rules(sprint, {"brackets": ["Pupils", "Students"]})
    choose("Pupils")
    choose("Students")
    Phase.objects.update(closes_at=PAST)
    assert choose("Students").bracket == "Students"
    assert code_of(lambda: choose("Pupils")) == "closed"
    declare_rules(sprint, {"brackets": ["Pupils", "Adults"]})
    assert choose("Adults").bracket == "Adults"
    assert code_of(lambda: choose("Pupils")) == "closed"
    Phase.objects.create(challenge=sprint, slug="later", position=2)
    assert choose("Pupils").bracket == "Pupils"
