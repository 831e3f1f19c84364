"""Teams: who joins, leaves and leads them."""

from __future__ import annotations

import tracemalloc
from datetime import UTC, datetime

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext

from leaderboard.models import (
    AuditEntry,
    Challenge,
    Entry,
    OneTimeLink,
    Participant,
    Registration,
    User,
)
from leaderboard.services.accounts.erase import erase_account
from leaderboard.services.accounts.one_time_links import open_link
from leaderboard.services.accounts.team_links import join_by_code, make_team_link
from leaderboard.services.attempts.submit import NewAttempt, submit_many
from leaderboard.services.competition.participants.disqualification import disqualify, reinstate
from leaderboard.services.competition.participants.registration import register
from leaderboard.services.competition.participants.registration_decisions import decide
from leaderboard.services.competition.participants.registration_rules import declare_rules
from leaderboard.services.competition.participants.taking_part import OwnEntries, RegistrationBatch
from leaderboard.services.competition.teams import membership
from leaderboard.services.competition.teams.membership import (
    leave,
    make_captain,
    members_of,
    own_entry,
    remove_member,
)
from leaderboard.services.errors import ServiceError
from leaderboard.services.scoring.single import score_waiting
from tests.services.competition.relays import code_of, joined, submitted
from tests.services.conftest import Create

pytestmark = pytest.mark.django_db
PAST = "2024-01-01T00:00:00Z"


def test_lines_of_a_bulk_share_what_is_read_of_its_sender(
    relay: Challenge, bob: User, eve: User
) -> None:
    joined(relay, bob, eve)
    declare_rules(relay, {"smallest_team": 2, "largest_team": 2})
    relay.refresh_from_db()
    news = [NewAttempt("Tulips", {"elapsed_ms": 5}) for _ in range(20)]
    with CaptureQueriesContext(connection) as queries:
        assert len(submit_many(challenge=relay, user=bob, news=news).accepted) == 20
    statements = [query["sql"] or "" for query in queries]
    assert sum("COUNT" in sql and "_entry" in sql for sql in statements) == 1


def test_a_line_costs_the_same_however_many_participants_its_sender_has(
    relay: Challenge, bob: User
) -> None:
    part = RegistrationBatch(relay, bob, organiser=False)
    many = frozenset(range(1_000_000, 1_050_000))
    part._entries = OwnEntries(many, many)
    tulips, other = Participant.objects.get(handle="Tulips"), Participant(pk=7)
    part.find([tulips.pk])

    def check_both() -> None:
        assert not part.is_member(other)
        for participant, why in ((tulips, "not a member"), (other, "another name")):
            with pytest.raises(ServiceError, match=why):
                part.check(participant)

    def peak() -> int:
        tracemalloc.start()
        check_both()
        _now, highest = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return highest

    check_both()  # loads the texts
    # Other threads of the process may need memory in one of them; a copy of the set takes 2 MB.
    assert min(peak() for _ in range(3)) < 500_000


def test_members_submit_as_the_team(relay: Challenge, bob: User, eve: User) -> None:
    assert code_of(lambda: submitted(relay, eve, "Tulips")) == "permission_denied"
    joined(relay, bob, eve)
    attempts = [submitted(relay, user, "Tulips") for user in (bob, eve)]
    assert [attempt.submitted_by for attempt in attempts] == [bob, eve]
    assert len({attempt.participant_id for attempt in attempts}) == 1


def test_a_link_works_once_and_in_its_challenge(
    relay: Challenge, create: Create, bob: User, eve: User, dan: User
) -> None:
    declare_rules(relay, {"largest_team": 5})
    _link, code = make_team_link(relay, bob)
    other = create("Other")
    assert code_of(lambda: join_by_code(other, code, eve)) == "not_found"
    join_by_code(relay, code, eve)
    assert code_of(lambda: join_by_code(relay, code, dan)) == "not_found"
    assert OneTimeLink.objects.get().digest != code


def test_a_team_is_not_larger_than_the_rules_say(
    relay: Challenge, bob: User, eve: User, dan: User
) -> None:
    _first, code = make_team_link(relay, bob)
    joined(relay, bob, eve)
    assert code_of(lambda: make_team_link(relay, bob)) == "conflict"
    assert code_of(lambda: join_by_code(relay, code, dan)) == "conflict"
    assert OneTimeLink.objects.open().count() == 1


def test_nobody_is_in_two_teams(relay: Challenge, bob: User, eve: User) -> None:
    register(relay, eve, {"participant": "Roses"})
    assert code_of(lambda: joined(relay, bob, eve)) == "conflict"
    other = Participant.objects.get(handle="Tulips")
    row = Entry(challenge=relay, user=eve, participant=other, is_sole=True)
    with pytest.raises(IntegrityError), transaction.atomic():
        row.save()


def test_a_team_has_one_captain(relay: Challenge, bob: User, eve: User) -> None:
    entry = joined(relay, bob, eve)
    entry.role = Entry.Role.CAPTAIN
    with pytest.raises(IntegrityError), transaction.atomic():
        entry.save()


def test_a_team_that_is_too_small_waits(relay: Challenge, bob: User, eve: User) -> None:
    declare_rules(relay, {"smallest_team": 2, "largest_team": 2})
    assert code_of(lambda: submitted(relay, bob, "Tulips")) == "not_registered"
    joined(relay, bob, eve)
    submitted(relay, bob, "Tulips")


def test_only_captains_invite_and_remove(relay: Challenge, bob: User, eve: User, dan: User) -> None:
    joined(relay, bob, eve)
    for act in (
        lambda: make_team_link(relay, eve),
        lambda: remove_member(relay, eve, "bob"),
        lambda: make_captain(relay, eve, "eve"),
    ):
        assert code_of(act) == "permission_denied"
    assert code_of(lambda: remove_member(relay, bob, "dan")) == "not_found"
    assert code_of(lambda: remove_member(relay, bob, "bob")) == "conflict"
    assert code_of(lambda: make_team_link(relay, dan)) == "not_found"
    remove_member(relay, bob, "eve")
    assert code_of(lambda: submitted(relay, eve, "Tulips")) == "permission_denied"
    register(relay, eve, {"participant": "Roses"})


def test_attempts_stay_when_a_member_leaves(relay: Challenge, bob: User, eve: User) -> None:
    joined(relay, bob, eve)
    attempt = submitted(relay, eve, "Tulips")
    leave(relay, eve)
    attempt.refresh_from_db()
    assert attempt.participant.handle == "Tulips"
    assert Entry.objects.get(user=eve).left_at is not None


def test_the_captain_hands_the_role_over_and_leaves(relay: Challenge, bob: User, eve: User) -> None:
    joined(relay, bob, eve)
    assert code_of(lambda: leave(relay, bob)) == "conflict"
    make_captain(relay, bob, "eve")
    leave(relay, bob)
    (captain,) = members_of(relay, Participant.objects.get())
    assert (captain.user, captain.role) == (eve, "captain")
    assert captain.participant.owner == eve
    assert code_of(lambda: submitted(relay, bob, "Tulips")) == "permission_denied"
    submitted(relay, eve, "Tulips")


def test_links_end_with_the_role(relay: Challenge, bob: User, eve: User) -> None:
    declare_rules(relay, {"largest_team": 3})
    joined(relay, bob, eve)
    _link, code = make_team_link(relay, bob)
    assert open_link(code)
    make_captain(relay, bob, "eve")
    assert open_link(code) is None


def test_the_last_member_leaves_and_comes_back(relay: Challenge, bob: User, eve: User) -> None:
    leave(relay, bob)
    assert own_entry(relay, bob) is None
    taken = {"participant": "Tulips"}
    assert code_of(lambda: register(relay, eve, taken)) == "permission_denied"
    register(relay, bob, {"participant": "Tulips"})
    submitted(relay, bob, "Tulips")


def test_teams_are_fixed_from_a_date_on(relay: Challenge, bob: User, eve: User) -> None:
    _link, code = make_team_link(relay, bob)
    rules = declare_rules(relay, {"largest_team": 2, "teams_fixed_at": PAST})
    assert rules.teams_fixed_at == datetime(2024, 1, 1, tzinfo=UTC)
    for act in (
        lambda: join_by_code(relay, code, eve),
        lambda: make_team_link(relay, bob),
        lambda: leave(relay, bob),
    ):
        assert code_of(act) == "closed"


def test_each_member_has_to_be_invited(relay: Challenge, bob: User, eve: User) -> None:
    declare_rules(relay, {"mode": "invited", "invited": ["bob"], "largest_team": 2})
    assert code_of(lambda: joined(relay, bob, eve)) == "permission_denied"
    declare_rules(relay, {"mode": "invited", "invited": ["bob", "eve"], "largest_team": 2})
    joined(relay, bob, eve)


def test_a_team_outlives_the_account_of_its_captain(
    relay: Challenge, bob: User, eve: User, dan: User
) -> None:
    """The member who joined first becomes captain."""
    declare_rules(relay, {"largest_team": 3})
    for user in (eve, dan):
        joined(relay, bob, user)
    attempt = submitted(relay, bob, "Tulips")
    erase_account(bob)
    attempt.refresh_from_db()
    team = attempt.participant
    assert (team.handle, team.owner) == ("Tulips", eve)
    members = [(member.user, member.role) for member in members_of(relay, team)]
    assert members == [(eve, Entry.Role.CAPTAIN), (dan, Entry.Role.MEMBER)]
    submitted(relay, eve, "Tulips")


def test_a_deactivated_member_becomes_captain_last(
    relay: Challenge, bob: User, eve: User, dan: User
) -> None:
    declare_rules(relay, {"largest_team": 3})
    for user in (eve, dan):
        joined(relay, bob, user)
    User.objects.filter(pk=eve.pk).update(is_active=False)
    erase_account(bob)
    assert members_of(relay, Participant.objects.get())[0].user == dan


def test_nobody_joins_or_leaves_a_disqualified_or_declined_team(
    relay: Challenge, bob: User, eve: User, dan: User
) -> None:
    declare_rules(relay, {"largest_team": 3})
    joined(relay, bob, eve)
    _link, code = make_team_link(relay, bob)
    disqualify(Registration.objects.get(), {"reason": "Read the answers."}, by=None)
    assert code_of(lambda: leave(relay, eve)) == "conflict"
    assert code_of(lambda: remove_member(relay, bob, "eve")) == "conflict"
    assert code_of(lambda: make_team_link(relay, bob)) == "conflict"
    assert code_of(lambda: join_by_code(relay, code, dan)) == "permission_denied"
    reinstate(Registration.objects.get(), by=None)
    decide(Registration.objects.get(), by=None, fields={"status": "declined"})
    assert code_of(lambda: leave(relay, eve)) == "conflict"
    decide(Registration.objects.get(), by=None, fields={"status": "accepted"})
    leave(relay, eve)


def test_who_is_captain_is_read_behind_the_lock(
    relay: Challenge, bob: User, eve: User, dan: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    declare_rules(relay, {"largest_team": 3})
    joined(relay, bob, eve)
    joined(relay, bob, dan)
    lock = membership.lock_registration

    def slow(challenge: Challenge, participant: Participant) -> Registration:
        monkeypatch.setattr(membership, "lock_registration", lock)
        make_captain(relay, bob, "eve")
        return lock(challenge, participant)

    for act, code in (
        (lambda: leave(relay, eve), "conflict"),
        (lambda: remove_member(relay, bob, "eve"), "permission_denied"),
        (lambda: make_captain(relay, bob, "dan"), "permission_denied"),
    ):
        monkeypatch.setattr(membership, "lock_registration", slow)
        assert code_of(act) == code


def test_an_empty_team_leaves_no_registration(
    relay: Challenge, bob: User, eve: User, dan: User
) -> None:
    _link, code = make_team_link(relay, bob)
    joined(relay, bob, eve)
    make_captain(relay, bob, "eve")
    leave(relay, bob)
    assert Registration.objects.count() == 1
    leave(relay, eve)
    assert not Registration.objects.exists()
    assert code_of(lambda: join_by_code(relay, code, dan)) == "not_found"
    assert AuditEntry.objects.filter(kind="registration", actor=eve, after__isnull=True)
    register(relay, eve, {"participant": "Roses"})
    erase_account(eve)
    assert not Registration.objects.exists()


def test_a_deleted_account_with_a_result_stays_registered(relay: Challenge, bob: User) -> None:
    submitted(relay, bob, "Tulips")
    score_waiting()
    erase_account(bob)
    assert Registration.objects.get().participant.handle.startswith("withdrawn")
