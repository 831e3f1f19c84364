"""Registering for a challenge, and who may submit there."""

from __future__ import annotations

from typing import Any

import pytest
from allauth.account.models import EmailAddress

from leaderboard.models import Challenge, Entry, Registration, Tenant, User
from leaderboard.services.attempts.new_attempts import BulkResult, NewAttempt
from leaderboard.services.attempts.submit import submit_many
from leaderboard.services.competition.participants.registration import register, registration_of
from leaderboard.services.competition.participants.registration_decisions import decide
from leaderboard.services.competition.participants.registration_rules import (
    declare_rules,
    withdraw_rules,
)
from leaderboard.services.errors import ServiceError
from tests.services.competition.relays import submitted
from tests.services.conftest import Create
from tests.services.refusals import check_refusals, refusal

pytestmark = pytest.mark.django_db


def submitted_in_bulk(challenge: Challenge, user: User, *names: str, **given: Any) -> BulkResult:
    """Attempts in bulk, one for each name."""
    news = [NewAttempt(name, {"elapsed_ms": 5, "succeeded": True}) for name in names]
    challenge = Challenge.objects.get(pk=challenge.pk)
    return submit_many(challenge=challenge, user=user, news=news, **given)


def check_not_registered(challenge: Challenge, user: User, name: str) -> None:
    error = refusal(lambda: submitted(challenge, user, name))
    assert error.code == "not_registered"
    assert error.facts == {"register_at": f"/c/{challenge.slug}/register/"}


def refused_registration(challenge: Challenge, user: User, **fields: Any) -> ServiceError:
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
    assert len(submitted_in_bulk(sprint, bob, "a", "b", "a").accepted) == 3
    assert Registration.objects.count() == Entry.objects.count() == 2


def test_organisers_bring_attempts_without_taking_part(sprint: Challenge, ann: User) -> None:
    declare_rules(sprint, {"mode": "approval"})
    submitted(sprint, ann, "baseline", organiser=True)
    assert Registration.objects.get().status == "accepted"
    assert not Entry.objects.exists()


def test_a_refused_attempt_registers_nobody(sprint: Challenge, bob: User) -> None:
    declare_rules(sprint, {"mode": "approval"})
    rejected = submitted_in_bulk(sprint, bob, "atlas", atomic=True).rejected
    assert [error.code for _position, error in rejected] == ["not_registered"]
    assert not Registration.objects.exists()


def test_with_rules_a_user_has_one_name(sprint: Challenge, bob: User, eve: User) -> None:
    declare_rules(sprint, {})
    submitted(sprint, bob, "atlas")
    submitted(sprint, bob, "atlas")
    check_not_registered(sprint, bob, "boreas")
    several_names = submitted_in_bulk(sprint, bob, "atlas", "c", "d")
    assert [at for at, _error in several_names.rejected] == [1, 2]
    assert refused_registration(sprint, bob, participant="boreas").code == "conflict"
    assert registration_of(sprint, bob) == Registration.objects.get()
    two_new_names = submitted_in_bulk(sprint, eve, "e", "e", "f")
    assert [at for at, _error in two_new_names.rejected] == [2]


def test_who_had_several_names_before_the_rules_keeps_them(sprint: Challenge, bob: User) -> None:
    for rules in (False, True):
        if rules:
            declare_rules(sprint, {})
        submitted(sprint, bob, "atlas")
        submitted(sprint, bob, "boreas")
    check_not_registered(sprint, bob, "third")


def test_codes_cannot_be_guessed(
    sprint: Challenge, create: Create, eve: User, bob: User, settings: Any
) -> None:
    settings.THROTTLE_SIGN_IN = "3/day"
    other = create("Other")
    for challenge in (sprint, other):
        declare_rules(challenge, {"mode": "code", "code": "tulip"})
    for guess in ("rose", "lily", "iris"):
        error = refused_registration(sprint, bob, code=guess)
        assert (error.code, list(error.fields)) == ("permission_denied", ["code"])
    error = refused_registration(sprint, bob, code="tulip")
    assert error.code == "throttled", "the right code is not told from a wrong one"
    assert error.retry_after
    assert 0 < error.retry_after <= 24 * 3600
    check_not_registered(sprint, eve, "boreas")
    register(sprint, eve, {"participant": "boreas", "code": "tulip"})
    assert submitted(sprint, eve, "boreas")
    assert register(other, bob, {"participant": "corvus", "code": "tulip"})


def test_a_confirmed_address_of_a_domain_lets_in(sprint: Challenge, bob: User) -> None:
    declare_rules(sprint, {"mode": "domain", "domains": ["example.org"]})
    for address, verified in (
        ("bob@example.org", False),
        ("bob@sub.example.org", True),
        ("bob@notexample.org", True),
    ):
        EmailAddress.objects.create(user=bob, email=address, verified=verified)
        assert refused_registration(sprint, bob).code == "permission_denied", address
    EmailAddress.objects.create(user=bob, email="bob2@Example.ORG", verified=True)
    assert register(sprint, bob, {"participant": "atlas"}).status == "accepted"


def test_a_name_or_a_confirmed_address_on_the_list_lets_in(
    sprint: Challenge, bob: User, eve: User
) -> None:
    declare_rules(sprint, {"mode": "invited", "invited": ["BOB", "eve@example.org"]})
    EmailAddress.objects.create(user=eve, email="eve@example.org", verified=False)
    assert register(sprint, bob, {"participant": "atlas"}).status == "accepted"
    assert refused_registration(sprint, eve).code == "permission_denied"
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
        assert refused_registration(sprint, bob).code == "permission_denied", chosen
    User.objects.filter(pk=bob.pk).update(
        is_self_named=False, managed_by=sprint.tenant, username="bob"
    )
    bob.refresh_from_db()
    assert register(sprint, bob, {"participant": "atlas"}).status == "accepted"


def test_organisers_accept_or_decline_each_registration(
    sprint: Challenge, bob: User, ann: User
) -> None:
    declare_rules(sprint, {"mode": "approval"})
    registration = register(sprint, bob, {"participant": "atlas"})
    assert registration.status == "pending"
    check_not_registered(sprint, bob, "atlas")
    decide(registration, by=ann, fields={"status": "accepted"})
    submitted(sprint, bob, "atlas")
    decided = decide(registration, by=ann, fields={"status": "declined", "reason": "Twice."})
    assert (decided.reason, decided.decided_by) == ("Twice.", ann)
    check_not_registered(sprint, bob, "atlas")
    assert register(sprint, bob, {"participant": "atlas"}).status == "pending"


def test_a_declined_participant_is_shut_out_of_an_open_challenge(
    sprint: Challenge, bob: User, ann: User
) -> None:
    submitted(sprint, bob, "atlas")
    decide(Registration.objects.get(), by=ann, fields={"status": "declined"})
    check_not_registered(sprint, bob, "atlas")
    assert register(sprint, bob, {"participant": "atlas"}).status == "pending"
    check_not_registered(sprint, bob, "atlas")


def test_answers_must_fit_the_questions(sprint: Challenge, bob: User) -> None:
    questions = [
        {"key": "group", "kind": "choice", "label": "Group", "options": ["A", "B"]},
        {"key": "why", "label": "Why?", "required": True},
        {"key": "mail", "kind": "consent", "label": "You may write to me"},
    ]
    declare_rules(sprint, {"questions": questions})
    check_not_registered(sprint, bob, "atlas")
    assert set(refused_registration(sprint, bob).fields) == {"answers.why"}
    given: dict[str, Any] = {"group": "C", "mail": "yes", "who": "x"}
    assert set(refused_registration(sprint, bob, answers=given).fields) == {
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
    assert "accepts_terms" in refused_registration(sprint, bob).fields
    register(sprint, bob, {"participant": "atlas", "accepts_terms": 1})
    assert declare_rules(sprint, {"terms": "Be fair.", "brackets": []}).terms_version == 1
    submitted(sprint, bob, "atlas")
    assert declare_rules(sprint, {"terms": "Be kind."}).terms_version == 2
    check_not_registered(sprint, bob, "atlas")
    assert "accepts_terms" in refused_registration(sprint, bob, accepts_terms=1).fields
    register(sprint, bob, {"participant": "atlas", "accepts_terms": 2})
    submitted(sprint, bob, "atlas")


def test_a_bracket_is_chosen_or_assigned_as_the_rules_say(
    sprint: Challenge, bob: User, ann: User
) -> None:
    declare_rules(sprint, {"brackets": ["Pupils", "Students"]})
    assert "bracket" in refused_registration(sprint, bob).fields
    assert "bracket" in refused_registration(sprint, bob, bracket="Cats").fields
    registration = register(sprint, bob, {"participant": "atlas", "bracket": "Pupils"})
    assert registration.bracket == "Pupils"
    declare_rules(sprint, {"brackets": ["Pupils", "Students"], "bracket_choice": "assigned"})
    assert "bracket" in refused_registration(sprint, bob, bracket="Pupils").fields
    assert decide(registration, by=ann, fields={"bracket": "Students"}).bracket == "Students"
    refusal(lambda: decide(registration, by=ann, fields={"bracket": "Cats"}))
    register(sprint, bob, {"participant": "atlas"})
    assert Registration.objects.get().bracket == "Students"


def test_a_name_of_others_is_refused(
    sprint: Challenge, create: Create, bob: User, eve: User
) -> None:
    """Also in another challenge of the tenant."""
    submitted(sprint, bob, "atlas")
    other = create("Other")
    assert refused_registration(sprint, eve).code == "permission_denied"
    assert refused_registration(other, eve).code == "permission_denied"
    register(other, bob, {"participant": "Atlas"})


def test_rules_can_be_withdrawn(sprint: Challenge, bob: User) -> None:
    declare_rules(sprint, {"mode": "code", "code": "tulip"})
    withdraw_rules(sprint)
    submitted(sprint, bob, "atlas")
    submitted(sprint, bob, "boreas")


def test_wrong_rules_are_refused_with_their_place(sprint: Challenge) -> None:
    question, same_key = {"key": "a", "label": "?"}, {"key": "a", "label": "!"}
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
        ({"questions": [question | {"kind": "choice"}]}, "questions.0.options"),
        ({"questions": [question | {"options": ["x"]}]}, "questions.0.options"),
        ({"questions": [question, same_key]}, "questions"),
        ({"teams_fixed_at": "2026-11-20 08:00"}, "teams_fixed_at"),
        ({"modus": "open"}, "modus"),
    ]
    check_refusals(lambda rules: declare_rules(sprint, rules), cases)


def test_what_a_board_shows_of_registrations_changes_its_version(
    sprint: Challenge, bob: User
) -> None:
    def board_version() -> int:
        return Challenge.objects.get(pk=sprint.pk).board_version

    declare_rules(sprint, {"brackets": ["a", "b"], "bracket_choice": "chosen"})
    register(sprint, bob, {"participant": "atlas", "bracket": "a"})
    before = board_version()
    register(sprint, bob, {"participant": "atlas", "bracket": "a"})
    assert board_version() == before
    register(sprint, bob, {"participant": "atlas", "bracket": "b"})
    assert board_version() > before
    before = board_version()
    withdraw_rules(sprint)
    assert board_version() > before
