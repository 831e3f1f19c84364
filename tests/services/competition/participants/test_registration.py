"""Registering for a challenge, and who may submit there."""

from __future__ import annotations

from typing import Any

import pytest
from allauth.account.models import EmailAddress

from leaderboard.models import Challenge, Entry, Registration, Tenant, User
from leaderboard.services.attempts.new_attempts import BulkResult, NewAttempt
from leaderboard.services.attempts.submit import submit_many
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.competition.participants.registration import register, registration_of
from leaderboard.services.competition.participants.registration_decisions import decide
from leaderboard.services.competition.participants.registration_rules import (
    declare_rules,
    withdraw_rules,
)
from leaderboard.services.errors import ServiceError
from tests.people import bob, organiser_of, tenant
from tests.services.competition.relays import submitted
from tests.services.refusals import check_refusals, refusal

__all__ = ["bob", "tenant"]

pytestmark = pytest.mark.django_db


@pytest.fixture
def ann(tenant: Tenant) -> User:
    return organiser_of(tenant, "ann")


@pytest.fixture
def sprint(tenant: Tenant, ann: User) -> Challenge:
    return challenge_of(tenant, ann, "Sprint")


def challenge_of(tenant: Tenant, user: User, name: str) -> Challenge:
    fields = {"name": name, "scoring_strategy": "fastest"}
    return create_challenge(tenant=tenant, user=user, fields=fields)


def sent(challenge: Challenge, user: User, *names: str, **given: Any) -> BulkResult:
    """Attempts in bulk, one for each name."""
    news = [NewAttempt(name, {"elapsed_ms": 5, "succeeded": True}) for name in names]
    challenge = Challenge.objects.get(pk=challenge.pk)
    return submit_many(challenge=challenge, user=user, news=news, **given)


def not_registered(challenge: Challenge, user: User, name: str) -> None:
    error = refusal(lambda: submitted(challenge, user, name))
    assert error.code == "not_registered"
    assert error.facts == {"register_at": f"/c/{challenge.slug}/register/"}


def wrong(challenge: Challenge, user: User, **fields: Any) -> ServiceError:
    return refusal(lambda: register(challenge, user, {"participant": "atlas", **fields}))


def test_without_rules_the_first_attempt_registers(sprint: Challenge, bob: User) -> None:
    for name in ("atlas", "boreas", "atlas"):
        submitted(sprint, bob, name)
    names = Registration.objects.order_by("participant__handle").values_list(
        "participant__handle", "status"
    )
    assert list(names) == [("atlas", "accepted"), ("boreas", "accepted")]
    entries = Entry.objects.values_list("user__username", "role", "is_sole")
    assert list(entries) == [("bob", "captain", False)] * 2


def test_attempts_in_bulk_register_too(sprint: Challenge, bob: User) -> None:
    assert len(sent(sprint, bob, "a", "b", "a").accepted) == 3
    assert Registration.objects.count() == Entry.objects.count() == 2


def test_organisers_bring_attempts_without_taking_part(sprint: Challenge, ann: User) -> None:
    declare_rules(sprint, {"mode": "approval"})
    submitted(sprint, ann, "baseline", organiser=True)
    assert Registration.objects.get().status == "accepted"
    assert not Entry.objects.exists()


def test_a_refused_attempt_registers_nobody(sprint: Challenge, bob: User) -> None:
    declare_rules(sprint, {"mode": "approval"})
    rejected = sent(sprint, bob, "atlas", atomic=True).rejected
    assert [error.code for _position, error in rejected] == ["not_registered"]
    assert not Registration.objects.exists()


def test_with_rules_a_user_has_one_name(sprint: Challenge, bob: User, eve: User) -> None:
    declare_rules(sprint, {})
    submitted(sprint, bob, "atlas")
    submitted(sprint, bob, "atlas")
    not_registered(sprint, bob, "boreas")
    assert [at for at, _error in sent(sprint, bob, "atlas", "c", "d").rejected] == [1, 2]
    assert wrong(sprint, bob, participant="boreas").code == "conflict"
    assert registration_of(sprint, bob) == Registration.objects.get()
    two_new_names = sent(sprint, eve, "e", "e", "f")
    assert [at for at, _error in two_new_names.rejected] == [2]


def test_who_had_several_names_before_the_rules_keeps_them(sprint: Challenge, bob: User) -> None:
    for rules in (False, True):
        if rules:
            declare_rules(sprint, {})
        submitted(sprint, bob, "atlas")
        submitted(sprint, bob, "boreas")
    not_registered(sprint, bob, "third")


def test_codes_cannot_be_guessed(
    sprint: Challenge, tenant: Tenant, ann: User, eve: User, bob: User, settings: Any
) -> None:
    settings.THROTTLE_SIGN_IN = "3/day"
    other = challenge_of(tenant, ann, "Other")
    for challenge in (sprint, other):
        declare_rules(challenge, {"mode": "code", "code": "tulip"})
    for guess in ("rose", "lily", "iris"):
        error = wrong(sprint, bob, code=guess)
        assert (error.code, list(error.fields)) == ("permission_denied", ["code"])
    error = wrong(sprint, bob, code="tulip")
    assert error.code == "throttled", "the right code is not told from a wrong one"
    assert error.retry_after
    assert 0 < error.retry_after <= 24 * 3600
    not_registered(sprint, eve, "boreas")
    register(sprint, eve, {"participant": "boreas", "code": "tulip"})
    assert submitted(sprint, eve, "boreas")
    assert register(other, bob, {"participant": "corvus", "code": "tulip"})


def test_domains(sprint: Challenge, bob: User) -> None:
    declare_rules(sprint, {"mode": "domain", "domains": ["example.org"]})
    for address, verified in (
        ("bob@example.org", False),
        ("bob@sub.example.org", True),
        ("bob@notexample.org", True),
    ):
        EmailAddress.objects.create(user=bob, email=address, verified=verified)
        assert wrong(sprint, bob).code == "permission_denied", address
    EmailAddress.objects.create(user=bob, email="bob2@Example.ORG", verified=True)
    assert register(sprint, bob, {"participant": "atlas"}).status == "accepted"


def test_a_list_of_invited_people(sprint: Challenge, bob: User, eve: User) -> None:
    declare_rules(sprint, {"mode": "invited", "invited": ["BOB", "eve@example.org"]})
    EmailAddress.objects.create(user=eve, email="eve@example.org", verified=False)
    assert register(sprint, bob, {"participant": "atlas"}).status == "accepted"
    assert wrong(sprint, eve).code == "permission_denied"
    EmailAddress.objects.update(verified=True)
    assert register(sprint, eve, {"participant": "boreas"}).status == "accepted"


def test_a_username_invites_nobody_who_chose_it(sprint: Challenge, bob: User, eve: User) -> None:
    """A stranger may choose the name of somebody who is invited, or have it given elsewhere."""
    elsewhere = Tenant.objects.create(slug="elsewhere", name="Elsewhere")
    declare_rules(sprint, {"mode": "invited", "invited": ["bob", "ada@example.org"]})
    for chosen, username in (
        ({"is_self_named": True}, "bob"),
        ({"managed_by": elsewhere}, "bob"),
        ({"is_self_named": True}, "ada@example.org"),
    ):
        fields = {"is_self_named": False, "managed_by": None, "username": username, **chosen}
        User.objects.filter(pk=bob.pk).update(**fields)
        bob.refresh_from_db()
        assert wrong(sprint, bob).code == "permission_denied", chosen
    User.objects.filter(pk=bob.pk).update(
        is_self_named=False, managed_by=sprint.tenant, username="bob"
    )
    bob.refresh_from_db()
    assert register(sprint, bob, {"participant": "atlas"}).status == "accepted"


def test_approval(sprint: Challenge, bob: User, ann: User) -> None:
    declare_rules(sprint, {"mode": "approval"})
    registration = register(sprint, bob, {"participant": "atlas"})
    assert registration.status == "pending"
    not_registered(sprint, bob, "atlas")
    decide(registration, by=ann, fields={"status": "accepted"})
    submitted(sprint, bob, "atlas")
    decided = decide(registration, by=ann, fields={"status": "declined", "reason": "Twice."})
    assert (decided.reason, decided.decided_by) == ("Twice.", ann)
    not_registered(sprint, bob, "atlas")
    assert register(sprint, bob, {"participant": "atlas"}).status == "pending"


def test_a_declined_participant_is_shut_out_of_an_open_challenge(
    sprint: Challenge, bob: User, ann: User
) -> None:
    submitted(sprint, bob, "atlas")
    decide(Registration.objects.get(), by=ann, fields={"status": "declined"})
    not_registered(sprint, bob, "atlas")
    assert register(sprint, bob, {"participant": "atlas"}).status == "pending"
    not_registered(sprint, bob, "atlas")


def test_answers(sprint: Challenge, bob: User) -> None:
    questions = [
        {"key": "group", "kind": "choice", "label": "Group", "options": ["A", "B"]},
        {"key": "why", "label": "Why?", "required": True},
        {"key": "mail", "kind": "consent", "label": "You may write to me"},
    ]
    declare_rules(sprint, {"questions": questions})
    not_registered(sprint, bob, "atlas")
    assert set(wrong(sprint, bob).fields) == {"answers.why"}
    given: dict[str, Any] = {"group": "C", "mail": "yes", "who": "x"}
    assert set(wrong(sprint, bob, answers=given).fields) == {
        "answers.group",
        "answers.mail",
        "answers.why",
        "answers.who",
    }
    answers = {"group": "A", "why": "Fun", "mail": True}
    register(sprint, bob, {"participant": "atlas", "answers": answers})
    assert Registration.objects.get().answers == answers
    submitted(sprint, bob, "atlas")


def test_changed_terms_are_accepted_again(sprint: Challenge, bob: User) -> None:
    assert declare_rules(sprint, {"terms": "Be fair."}).terms_version == 1
    assert "accepts_terms" in wrong(sprint, bob).fields
    register(sprint, bob, {"participant": "atlas", "accepts_terms": 1})
    assert declare_rules(sprint, {"terms": "Be fair.", "brackets": []}).terms_version == 1
    submitted(sprint, bob, "atlas")
    assert declare_rules(sprint, {"terms": "Be kind."}).terms_version == 2
    not_registered(sprint, bob, "atlas")
    assert "accepts_terms" in wrong(sprint, bob, accepts_terms=1).fields
    register(sprint, bob, {"participant": "atlas", "accepts_terms": 2})
    submitted(sprint, bob, "atlas")


def test_brackets(sprint: Challenge, bob: User, ann: User) -> None:
    declare_rules(sprint, {"brackets": ["Pupils", "Students"]})
    assert "bracket" in wrong(sprint, bob).fields
    assert "bracket" in wrong(sprint, bob, bracket="Cats").fields
    registration = register(sprint, bob, {"participant": "atlas", "bracket": "Pupils"})
    assert registration.bracket == "Pupils"
    declare_rules(sprint, {"brackets": ["Pupils", "Students"], "bracket_choice": "assigned"})
    assert "bracket" in wrong(sprint, bob, bracket="Pupils").fields
    assert decide(registration, by=ann, fields={"bracket": "Students"}).bracket == "Students"
    with pytest.raises(ServiceError):
        decide(registration, by=ann, fields={"bracket": "Cats"})
    register(sprint, bob, {"participant": "atlas"})
    assert Registration.objects.get().bracket == "Students"


def test_a_name_of_others_is_refused(
    sprint: Challenge, tenant: Tenant, ann: User, bob: User, eve: User
) -> None:
    """Also in another challenge of the tenant."""
    submitted(sprint, bob, "atlas")
    other = challenge_of(tenant, ann, "Other")
    assert wrong(sprint, eve).code == "permission_denied"
    assert wrong(other, eve).code == "permission_denied"
    register(other, bob, {"participant": "Atlas"})


def test_rules_can_be_withdrawn(sprint: Challenge, bob: User) -> None:
    declare_rules(sprint, {"mode": "code", "code": "tulip"})
    withdraw_rules(sprint)
    submitted(sprint, bob, "atlas")
    submitted(sprint, bob, "boreas")


def test_wrong_rules_are_refused_with_their_place(sprint: Challenge) -> None:
    one, other = {"key": "a", "label": "?"}, {"key": "a", "label": "!"}
    cases: list[tuple[Any, ...]] = [
        ({"mode": "code"}, "code"),
        ({"mode": "domain"}, "domains"),
        ({"mode": "all"}, "mode"),
        ({"domains": ["exa mple"]}, "domains.0"),
        ({"domains": ["@example.org"]}, "domains.0"),
        ({"largest_team": 2, "smallest_team": 3}, "largest_team"),
        ({"smallest_team": 0}, "smallest_team"),
        ({"brackets": ["A", "A"]}, "brackets"),
        ({"questions": [{"key": "Why", "label": "Why?"}]}, "questions.0.key"),
        ({"questions": [one | {"kind": "choice"}]}, "questions.0.options"),
        ({"questions": [one | {"options": ["x"]}]}, "questions.0.options"),
        ({"questions": [one, other]}, "questions"),
        ({"teams_fixed_at": "2026-11-20 08:00"}, "teams_fixed_at"),
        ({"modus": "open"}, "modus"),
    ]
    check_refusals(lambda rules: declare_rules(sprint, rules), cases)


def test_what_a_board_shows_of_registrations_changes_its_version(
    sprint: Challenge, bob: User
) -> None:
    def changes() -> int:
        return Challenge.objects.get(pk=sprint.pk).board_version

    declare_rules(sprint, {"brackets": ["a", "b"], "bracket_choice": "chosen"})
    register(sprint, bob, {"participant": "atlas", "bracket": "a"})
    before = changes()
    register(sprint, bob, {"participant": "atlas", "bracket": "a"})
    assert changes() == before
    register(sprint, bob, {"participant": "atlas", "bracket": "b"})
    assert changes() > before
    before = changes()
    withdraw_rules(sprint)
    assert changes() > before
