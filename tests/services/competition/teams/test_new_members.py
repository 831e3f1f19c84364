"""Who joins a team after it was accepted waits for the organisers, where they decide who takes
part."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import pytest
from django.core import mail
from django.db.models import F, Value
from django.db.models.functions import Concat

from leaderboard.models import AuditEntry, Challenge, Entry, Participant, Phase, Tenant, User
from leaderboard.schemas.registration import RegistrationAnswers
from leaderboard.services.accounts.own_data import own_data
from leaderboard.services.attempts.submit import NewAttempt, submit_many
from leaderboard.services.competition.organisers.overview import overview
from leaderboard.services.competition.participants.obstacles import obstacle_of
from leaderboard.services.competition.participants.registration import register, registration_of
from leaderboard.services.competition.participants.registration_decisions import decide
from leaderboard.services.competition.participants.registration_rules import (
    declare_rules,
    withdraw_rules,
)
from leaderboard.services.competition.teams.membership import leave, make_captain
from leaderboard.services.competition.teams.merge_requests import ask_to_merge
from leaderboard.services.competition.teams.merging import accept_merge
from leaderboard.services.competition.teams.new_members import waiting_members
from leaderboard.services.competition.visible.viewers import Viewer, access_of
from tests.people import signed_in
from tests.services.competition.relays import code_of, elsewhere, joined, submitted

pytestmark = pytest.mark.django_db

Commit = Callable[..., AbstractContextManager[Any]]
SID: RegistrationAnswers = {"sid": "0007"}
RULES = {
    "mode": "approval",
    "largest_team": 3,
    "questions": [{"key": "sid", "label": "Student number", "required": True}],
}


@pytest.fixture
def approval(relay: Challenge, bob: User) -> Challenge:
    """bob's team is accepted, and organisers decide about everybody."""
    declare_rules(relay, RULES)
    return relay


def decide_as(challenge: Challenge, name: str, action: str, **fields: Any) -> str:
    """Decide on the page of people; the page that follows."""
    ann = signed_in(User.objects.get(username="ann"))
    path = f"/c/{challenge.slug}/people/"
    answer = ann.post(path, {"action": f"{action}-member", "username": name, **fields}, follow=True)
    return answer.content.decode()


def test_a_new_member_waits_and_the_team_goes_on(
    approval: Challenge, tenant: Tenant, bob: User, eve: User
) -> None:
    sprint = elsewhere(tenant)
    Phase.objects.filter(challenge=approval).update(attempts_visibility="participants")
    Challenge.objects.filter(pk=approval.pk).update(is_restricted=True)
    assert joined(approval, bob, eve, SID).is_waiting
    approval.refresh_from_db()
    for rules in (RULES, RULES | {"mode": "open"}, None):
        declare_rules(approval, rules) if rules else withdraw_rules(approval)
        assert code_of(lambda: submitted(approval, eve, "Tulips")) == "not_registered"
        assert code_of(lambda: submitted(sprint, eve, "Tulips")) == "permission_denied"
        many = submit_many(challenge=approval, user=eve, news=[NewAttempt("Tulips")] * 2)
        assert not many.accepted
        submitted(approval, bob, "Tulips")
    declare_rules(approval, RULES)
    assert obstacle_of(approval, eve)
    registration = registration_of(approval, eve)
    assert registration
    assert (registration.status, registration.answers) == ("pending", {"sid": "0007"})
    assert not Participant.objects.of(eve).exists()
    assert not access_of(approval, Viewer(eve)).own
    assert access_of(approval, Viewer(bob)).key != access_of(approval, Viewer(eve)).key
    assert code_of(lambda: make_captain(approval, bob, "eve")) == "conflict"
    assert "0007" in "".join(own_data(eve))


def test_organisers_see_the_answers_and_decide(
    approval: Challenge, bob: User, eve: User, django_capture_on_commit_callbacks: Commit
) -> None:
    User.objects.update(email=Concat(F("username"), Value("@example.org")))
    with django_capture_on_commit_callbacks(execute=True):
        joined(approval, bob, eve, SID)
    assert [message.to for message in mail.outbox] == [["ann@example.org"]]
    assert overview(approval).waiting.registrations == 1
    assert "0007" in decide_as(approval, "nobody", "accept")
    assert waiting_members(approval).exists()
    with django_capture_on_commit_callbacks(execute=True):
        assert "0007" in decide_as(approval, "eve", "accept")
    assert mail.outbox[-1].to == ["eve@example.org"]
    submitted(approval, eve, "Tulips")
    assert overview(approval).waiting.registrations == 0
    entry = AuditEntry.objects.filter(object="eve").get()
    assert (entry.after, entry.public) == ({"status": "accepted"}, False)


def test_who_is_declined_leaves_and_may_come_again(
    approval: Challenge, bob: User, eve: User
) -> None:
    joined(approval, bob, eve, SID)
    decide_as(approval, "eve", "decline", reason="Not of this course.")
    assert registration_of(approval, eve) is None
    assert code_of(lambda: submitted(approval, eve, "Tulips")) == "permission_denied"
    assert joined(approval, bob, eve, SID).is_waiting
    leave(approval, eve)
    assert not waiting_members(approval).exists()


@pytest.mark.parametrize(
    ("rules", "status"), [({"mode": "open"}, "accepted"), (RULES, "pending"), (RULES, "declined")]
)
def test_where_nothing_was_decided_nobody_waits(
    rules: dict[str, object], status: str, approval: Challenge, dan: User, eve: User
) -> None:
    """The decision about a team that waits is about all of its members."""
    declare_rules(approval, RULES | rules)
    own = register(approval, dan, {"participant": "Moss", "kind": "team", "answers": {"sid": "1"}})
    if status == "declined":
        decide(own, by=None, fields={"status": "accepted"})
        assert joined(approval, dan, eve, SID).is_waiting
        decide(own, by=None, fields={"status": "declined"})
        decide(own, by=None, fields={"status": "accepted"})
    else:
        assert not joined(approval, dan, eve, SID).is_waiting
        decide(own, by=None, fields={"status": "accepted"})
    submitted(approval, eve, "Moss")


def test_who_waits_makes_no_team_large_enough(approval: Challenge, bob: User, eve: User) -> None:
    declare_rules(approval, RULES | {"smallest_team": 2})
    joined(approval, bob, eve, SID)
    assert code_of(lambda: submitted(approval, bob, "Tulips")) == "not_registered"
    decide_as(approval, "eve", "accept")
    submitted(approval, bob, "Tulips")


def test_who_waits_waits_in_the_merged_team(
    approval: Challenge, bob: User, eve: User, dan: User
) -> None:
    fields = {"participant": "Moss", "kind": "team", "answers": {"sid": "1"}}
    decide(register(approval, dan, fields), by=None, fields={"status": "accepted"})
    joined(approval, dan, eve, SID)
    ask_to_merge(approval, dan, "Tulips")
    accept_merge(approval, bob, "moss")
    member = Entry.objects.of(eve, approval).get()
    assert (member.is_waiting, member.answers) == (True, {"sid": "0007"})
    assert not Entry.objects.of(dan, approval).get().is_waiting
