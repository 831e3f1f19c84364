"""Users get mail about roles that others give them, and captains about merges of teams."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.core import mail
from django.db.models import F

from leaderboard.models import (
    AskedMerge,
    Challenge,
    OutgoingMail,
    Registration,
    RegistrationRules,
    User,
)
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.competition.mail.decisions import tell_of_later_waiting
from leaderboard.services.competition.organisers.appointing import give_role, take_role
from leaderboard.services.competition.participants.disqualification import (
    appeal,
    disqualify,
    reinstate,
)
from leaderboard.services.competition.participants.registration import register
from leaderboard.services.competition.participants.registration_decisions import decide
from leaderboard.services.competition.participants.registration_rules import declare_rules
from leaderboard.services.competition.teams.merge_requests import ask_to_merge
from leaderboard.services.competition.teams.merging import accept_merge, refuse_merge
from tests.people import bob, tenant
from tests.services.competition.teams.test_merging import ann, relay
from tests.services.refusals import refusal

__all__ = ["ann", "bob", "relay", "tenant"]

pytestmark = pytest.mark.django_db

Commit = Callable[..., AbstractContextManager[Any]]


@pytest.fixture(autouse=True)
def addresses(bob: User, eve: User, dan: User, settings: Any) -> None:
    settings.PUBLIC_URL = "https://podium.example"
    for user in (bob, eve, dan):
        user.email = f"{user.username}@podium.example"
        user.save()


def mails_of(commit: Commit, act: Callable[[], object]) -> list[tuple[list[str], str, str]]:
    """Return whom an action writes to, with the subjects and texts."""
    OutgoingMail.objects.all().delete()  # of what was not told in a test
    mail.outbox.clear()
    with commit(execute=True):
        act()
    return [(message.to, str(message.subject), str(message.body)) for message in mail.outbox]


def test_mail_about_a_role_says_how_to_leave_it(
    relay: Challenge, ann: User, bob: User, django_capture_on_commit_callbacks: Commit
) -> None:
    def give(role: str) -> list[tuple[list[str], str, str]]:
        return mails_of(
            django_capture_on_commit_callbacks,
            lambda: give_role(relay, "bob", {"role": role}, by=ann),
        )

    ((to, subject, text),) = give("reviewer")
    assert to == ["bob@podium.example"]
    assert subject.startswith("Relay: ")
    assert text.startswith("ann ")
    assert "reviewer" in text
    assert text.endswith("https://podium.example/account/")
    assert give("reviewer") == []
    ((_to, _subject, text),) = give("organiser")
    assert "organiser" in text
    take_role(relay, "bob", by=ann)
    bob.email = ""
    bob.save()
    assert give("reviewer") == []


def test_nobody_gets_mail_about_their_own_change(
    relay: Challenge, ann: User, bob: User, django_capture_on_commit_callbacks: Commit
) -> None:
    give_role(relay, "bob", {"role": "organiser"}, by=ann)
    act = lambda: give_role(relay, "bob", {"role": "reviewer"}, by=bob)  # noqa: E731
    assert mails_of(django_capture_on_commit_callbacks, act) == []


@pytest.fixture
def approval(relay: Challenge) -> Challenge:
    declare_rules(relay, {"mode": "approval", "largest_team": 3})
    return relay


def test_members_are_told_of_decisions(
    approval: Challenge, ann: User, bob: User, django_capture_on_commit_callbacks: Commit
) -> None:
    commit = django_capture_on_commit_callbacks
    tulips = Registration.objects.get(participant__slug="tulips")
    why = {"reason": "It read the answers."}
    for act, phrase in (
        (lambda: decide(tulips, by=ann, fields={"status": "declined", "reason": "No."}), "No."),
        (lambda: decide(tulips, by=ann, fields={"status": "accepted"}), "accepted"),
        (lambda: decide(tulips, by=ann, fields={"bracket": ""}), None),
        (lambda: disqualify(tulips, why, by=ann), "It read the answers."),
        (lambda: appeal(approval, bob, {"text": "My sister."}), None),
        (lambda: decide(tulips, by=ann, fields={"appeal_answer": "Really?"}), "Really?"),
        (lambda: reinstate(tulips, by=ann), "reinstated"),
    ):
        texts = [text for _to, _subject, text in mails_of(commit, act)]
        assert len(texts) == (phrase is not None)
        assert phrase is None or phrase in texts[0]
        assert all("https://podium.example/account/mail/" in text for text in texts)
    bob.notice_ways = {"decisions": "daily"}
    bob.save()
    assert mails_of(commit, lambda: disqualify(tulips, why, by=ann)) == []
    assert (
        refusal(lambda: decide(tulips, by=ann, fields={"appeal_answer": "No appeal."})).code
        == "conflict"
    )


def test_organisers_are_told_what_waits(
    approval: Challenge, ann: User, bob: User, django_capture_on_commit_callbacks: Commit
) -> None:
    """At once, then once an hour: a class registers within minutes."""
    commit = django_capture_on_commit_callbacks
    User.objects.filter(pk=ann.pk).update(email="ann@podium.example")
    people = [User.objects.create_user(name) for name in ("zoe", "yan", "xia")]

    def registers(user: User) -> list[str]:
        act = lambda: register(approval, user, {"participant": user.username})  # noqa: E731
        return [text for to, _s, text in mails_of(commit, act) if to == ["ann@podium.example"]]

    assert "1 registration waits" in registers(people[0])[0]
    assert registers(people[1]) == []
    assert mails_of(commit, tell_of_later_waiting) == []
    hour = timedelta(hours=1, seconds=1)
    RegistrationRules.objects.update(waiting_told_at=F("waiting_told_at") - hour)
    ((_to, _subject, text),) = mails_of(commit, tell_of_later_waiting)
    assert "2 registrations wait" in text
    assert mails_of(commit, tell_of_later_waiting) == []
    tulips = Registration.objects.get(participant__slug="tulips")
    disqualify(tulips, {"reason": "It read the answers."}, by=ann)
    for expected in (1, 0):  # changing it within an hour is no second mail
        texts = mails_of(commit, lambda: appeal(approval, bob, {"text": "It was my sister."}))
        assert [("my sister" in text) for _to, _subject, text in texts] == [True] * expected
    User.objects.filter(pk=ann.pk).update(notice_ways={"waiting": "off"})
    RegistrationRules.objects.update(waiting_told_at=None)
    assert registers(people[2]) == []


def test_members_are_told_of_changed_dates(
    relay: Challenge, ann: User, bob: User, django_capture_on_commit_callbacks: Commit
) -> None:
    commit = django_capture_on_commit_callbacks
    phase = {"slug": "main", "name": "Final", "time_zone": "Europe/Berlin"}

    def changes(**fields: Any) -> list[tuple[list[str], str, str]]:
        given = {"phases": [phase | fields]}
        return mails_of(commit, lambda: change_challenge(relay, user=ann, fields=given))

    assert changes(total=3) == []
    mails = changes(closes_at="2999-07-01T12:00")
    assert sorted(to for (to,), _subject, _text in mails) == [
        "bob@podium.example",
        "dan@podium.example",
        "eve@podium.example",
    ]
    assert "Final closes: 2999-07-01 12:00 Europe/Berlin (before: –)" in mails[0][2]
    assert changes(closes_at="2999-07-01T12:00", per_day=2) == []
    User.objects.update(notice_ways={"dates": "page"})
    assert changes(closes_at="2999-07-02T12:00") == []


def test_captains_are_told_of_requests_and_answers(
    relay: Challenge, bob: User, eve: User, django_capture_on_commit_callbacks: Commit
) -> None:
    commit = django_capture_on_commit_callbacks
    ((to, subject, text),) = mails_of(commit, lambda: ask_to_merge(relay, bob, "Roses"))
    assert to == ["eve@podium.example"]
    assert subject.startswith("Relay: ")
    assert text.index("Tulips") < text.index("Roses")
    assert text.endswith("https://podium.example/c/relay/team/")
    for answer, verb in ((refuse_merge, "refused"), (accept_merge, "accepted")):
        for name in ("Roses", "roses"):  # nobody is told twice a day, whatever the name
            assert mails_of(commit, lambda name=name: ask_to_merge(relay, bob, name)) == []  # type: ignore[misc]
        ((to, _subject, text),) = mails_of(commit, partial(answer, relay, eve, "tulips"))
        assert to == ["bob@podium.example"]
        assert verb in text
        AskedMerge.objects.filter(name_key="roses").update(name_key=verb)
