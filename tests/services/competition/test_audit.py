"""Each change that an organiser makes is in the log, before and after."""

from __future__ import annotations

from typing import Any

import pytest

from leaderboard.models import AuditEntry, Challenge, Participant, Registration, ScoringConfig, User
from leaderboard.services.accounts.erase import erase_account
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.challenges.rescores import begin_rescore, progress_of
from leaderboard.services.competition.audit import LONGEST, REASON, entries_of
from leaderboard.services.competition.participants.creating import change_participant
from leaderboard.services.competition.participants.importing import register_from_table
from leaderboard.services.competition.participants.registration import register
from leaderboard.services.competition.participants.registration_decisions import decide
from leaderboard.services.competition.participants.registration_rules import (
    declare_rules,
    withdraw_rules,
)
from leaderboard.services.scoring import single
from leaderboard.services.scoring.attempt_actions import act
from leaderboard.services.scoring.rescoring import finish_if_done, start_rescore, work_on
from tests.services.conftest import Submit
from tests.services.refusals import refusal

pytestmark = pytest.mark.django_db


def logged(challenge: Challenge, kind: str = "") -> list[tuple[Any, ...]]:
    """The entries, the oldest first: who, kind, before and after."""
    entries = entries_of(challenge.pk, kind).reverse()
    return [(entry.actor, entry.kind, entry.before, entry.after) for entry in entries]


def test_changed_fields_of_a_challenge_are_logged(sprint: Challenge, alice: User) -> None:
    fields = {"visibility": "private", "name": sprint.name}
    change_challenge(sprint, user=alice, fields=fields)
    change_challenge(sprint, user=alice, fields=fields)
    before, after = {"visibility": "public"}, {"visibility": "private"}
    assert logged(sprint) == [(alice, "challenge", before, after)]
    assert not AuditEntry.objects.filter(public=True).exists()


def test_a_long_value_is_cut(sprint: Challenge, alice: User) -> None:
    change_challenge(sprint, user=alice, fields={"description": "é" * 9_000})
    ((_actor, _kind, _before, after),) = logged(sprint)
    assert after == {"description": "é" * LONGEST + "…"}


def test_scoring_is_logged_by_its_version(sprint: Challenge, alice: User) -> None:
    change_challenge(sprint, user=alice, fields={"timeout_ms": 1234})
    begin_rescore(sprint, user=alice)
    assert logged(sprint, "scoring") == [
        (alice, "scoring", {"version": 1}, {"version": 2}),
        (alice, "scoring", {"version": 2}, {"version": 3}),
        (alice, "scoring", {"rescored_version": None}, {"rescored_version": 3}),
    ]


def test_a_rescore_is_logged_from_its_start_to_the_switch(
    sprint: Challenge, submit: Submit, alice: User
) -> None:
    single.score_attempt(submit(sprint, "atlas", elapsed_ms=5).pk)
    change_challenge(sprint, user=alice, fields={"timeout_ms": 1234})
    first, _ = start_rescore(sprint, user=alice)
    change_challenge(sprint, user=alice, fields={"timeout_ms": 1235})
    second, _ = start_rescore(sprint, user=alice)
    assert progress_of(ScoringConfig.objects.get(pk=first.pk)).replaced
    while not finish_if_done(second.pk):
        work_on(second.pk)
        if ScoringConfig.objects.get(pk=second.pk).switched_at:
            break
    assert not progress_of(ScoringConfig.objects.get(pk=second.pk)).replaced
    rescored = [entry for entry in logged(sprint, "scoring") if "version" not in entry[3]]
    assert rescored == [
        (alice, "scoring", {"rescored_version": None}, {"rescored_version": 2}),
        (alice, "scoring", {"rescored_version": 2}, {"rescored_version": 3}),
        (None, "scoring", {"shown_version": 1}, {"shown_version": 3}),
    ]


def test_what_is_done_with_attempts_is_logged(
    sprint: Challenge, submit: Submit, alice: User
) -> None:
    attempt, waiting = submit(sprint, "atlas", elapsed_ms=5), submit(sprint, "atlas", elapsed_ms=6)
    single.score_attempt(attempt.pk)
    attempt.refresh_from_db()
    act(attempt, "withdraw", user=alice, organiser=True, reason="Copied.")
    act(attempt, "restore", user=alice, organiser=True)
    act(waiting, "cancel", user=alice, organiser=False, reason="wrong model")
    act(waiting, "restore", user=alice, organiser=True)
    act(waiting, "retry", user=alice, organiser=True)
    entries = list(entries_of(sprint.pk, "attempt").reverse())
    assert {entry.actor for entry in entries} == {alice}
    assert [entry.object for entry in entries] == [str(attempt.pk)] * 2 + [str(waiting.pk)] * 3
    changes = [(entry.before or {}, entry.after or {}) for entry in entries]
    reasons = [(before.get(REASON), after.get(REASON)) for before, after in changes]
    assert reasons == [
        ("", "Copied."),
        ("Copied.", ""),
        ("", "wrong model"),
        ("wrong model", ""),
        (None, None),
    ]
    assert [after["withdrawn_at"] is None for _before, after in changes[:4]] == [False, True] * 2
    assert (entries[4].before, entries[4].after) == ({"status": "failed"}, {"status": "queued"})
    erase_account(alice)
    assert "Copied." not in str(list(AuditEntry.objects.values("before", "after")))


def test_rules_are_logged_without_the_names_of_invited_people(
    sprint: Challenge, alice: User
) -> None:
    declare_rules(sprint, {"mode": "invited", "invited": ["ada", "bea"]}, by=alice)
    declare_rules(sprint, {"mode": "invited", "invited": ["ada"]}, by=alice)
    withdraw_rules(sprint, by=alice)
    withdraw_rules(sprint, by=alice)
    new, changed, removed = logged(sprint, "rules")
    assert new[2] is None
    assert (new[3]["mode"], new[3]["invited"]) == ("invited", 2)
    assert changed == (alice, "rules", {"invited": 2}, {"invited": 1})
    assert removed[3] is None


def test_decided_registrations_are_logged_with_their_participant(
    sprint: Challenge, alice: User, bob: User
) -> None:
    declare_rules(sprint, {"mode": "approval"})
    registration = register(sprint, bob, {"participant": "Atlas"})
    decide(registration, by=alice, fields={"status": "declined", "reason": "Twice."})
    before = {"status": "pending", "reason": ""}
    after = {"status": "declined", "reason": "Twice."}
    assert logged(sprint, "registration") == [(alice, "registration", before, after)]
    entry = AuditEntry.objects.get(kind="registration")
    assert (entry.participant, entry.object) == (registration.participant, "")


def test_a_table_of_people_is_logged_row_by_row(sprint: Challenge, alice: User, bob: User) -> None:
    User.objects.create_user("cleo")
    register_from_table(sprint, "participant,members\nAtlas,bob\nBoreas,cleo", by=alice)
    after = {"status": "accepted", "bracket": ""}
    assert logged(sprint) == [(alice, "registration", None, after)] * 2
    refusal(lambda: register_from_table(sprint, "participant,members\nComet,bob", by=alice))
    assert AuditEntry.objects.count() == 2


def test_a_participant_that_an_organiser_renames_is_logged(
    sprint: Challenge, alice: User, bob: User
) -> None:
    atlas = register(sprint, bob, {"participant": "Atlas"}).participant
    change_participant(atlas, name="The Atlas", kind="team", owner=bob)
    assert logged(sprint) == []
    change_participant(atlas, name="Atlas II", kind="team", owner=bob, organiser=alice)
    before, after = {"name": "The Atlas"}, {"name": "Atlas II"}
    assert logged(sprint) == [(alice, "participant", before, after)]


def test_an_erased_person_leaves_no_name_in_the_log(
    sprint: Challenge, alice: User, bob: User
) -> None:
    atlas = register(sprint, bob, {"participant": "Atlas"}).participant
    change_participant(atlas, name="Bob B.", kind="person", owner=bob, organiser=alice)
    decide(Registration.objects.get(), by=bob, fields={"status": "declined", "reason": "Bob?"})
    erase_account(bob)
    assert {entry[2:] for entry in logged(sprint)} == {(None, None)}
    assert {entry[0] for entry in logged(sprint)} == {alice, None}
    assert Participant.objects.get().handle.startswith("withdrawn")


def test_a_change_that_is_rolled_back_is_not_logged(sprint: Challenge, alice: User) -> None:
    fields = {"summary": "New", "phases": [{"slug": "b"}, {"slug": "b"}]}
    refusal(lambda: change_challenge(sprint, user=alice, fields=fields))
    assert not AuditEntry.objects.exists()
