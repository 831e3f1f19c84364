"""Users get mail about roles that others give them, and captains about merges of teams."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.core import mail
from django.db.models import F
from pytest_django import DjangoCaptureOnCommitCallbacks

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
from tests.services.competition.relays import code_of

pytestmark = pytest.mark.django_db

Messages = list[tuple[list[str], str, str]]
"""Receivers, subjects and texts."""
MailsOf = Callable[[Callable[[], object]], Messages]


@pytest.fixture(autouse=True)
def addresses(bob: User, eve: User, dan: User, settings: Any) -> None:
    settings.PUBLIC_URL = "https://podium.example"
    for user in (bob, eve, dan):
        user.email = f"{user.username}@podium.example"
        user.save()


@pytest.fixture
def mails_of(django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks) -> MailsOf:
    """The mails that follow from an action: `mails_of(lambda: …)`."""

    def sent(act: Callable[[], object]) -> Messages:
        OutgoingMail.objects.all().delete()  # of what was not told in a test
        mail.outbox.clear()
        with django_capture_on_commit_callbacks(execute=True):
            act()
        return [(message.to, str(message.subject), str(message.body)) for message in mail.outbox]

    return sent


def test_mail_about_a_role_says_how_to_leave_it(
    two_teams: Challenge, ann: User, bob: User, mails_of: MailsOf
) -> None:
    def give(role: str) -> Messages:
        return mails_of(lambda: give_role(two_teams, "bob", {"role": role}, by=ann))

    ((to, subject, text),) = give("reviewer")
    assert to == ["bob@podium.example"]
    assert subject.startswith("Relay: ")
    assert text.startswith("ann ")
    assert "reviewer" in text
    assert text.endswith("https://podium.example/account/")
    assert give("reviewer") == []
    ((_to, _subject, text),) = give("organiser")
    assert "organiser" in text
    take_role(two_teams, "bob", by=ann)
    bob.email = ""
    bob.save()
    assert give("reviewer") == []


def test_nobody_gets_mail_about_their_own_change(
    two_teams: Challenge, ann: User, bob: User, mails_of: MailsOf
) -> None:
    give_role(two_teams, "bob", {"role": "organiser"}, by=ann)
    assert mails_of(lambda: give_role(two_teams, "bob", {"role": "reviewer"}, by=bob)) == []


@pytest.fixture
def approval(two_teams: Challenge) -> Challenge:
    declare_rules(two_teams, {"mode": "approval", "largest_team": 3})
    return two_teams


def test_members_are_told_of_decisions(
    approval: Challenge, ann: User, bob: User, mails_of: MailsOf
) -> None:
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
        texts = [text for _to, _subject, text in mails_of(act)]
        assert len(texts) == (phrase is not None)
        assert phrase is None or phrase in texts[0]
        assert all("https://podium.example/account/mail/" in text for text in texts)
    bob.notice_ways = {"decisions": "daily"}
    bob.save()
    assert mails_of(lambda: disqualify(tulips, why, by=ann)) == []
    answer = {"appeal_answer": "No appeal."}
    assert code_of(lambda: decide(tulips, by=ann, fields=answer)) == "conflict"


def test_organisers_are_told_what_waits(
    approval: Challenge, ann: User, bob: User, mails_of: MailsOf
) -> None:
    """At once, then once an hour: a class registers within minutes."""
    User.objects.filter(pk=ann.pk).update(email="ann@podium.example")
    people = [User.objects.create_user(name) for name in ("zoe", "yan", "xia")]

    def registers(user: User) -> list[str]:
        mails = mails_of(lambda: register(approval, user, {"participant": user.username}))
        return [text for to, _subject, text in mails if to == ["ann@podium.example"]]

    assert "1 registration waits" in registers(people[0])[0]
    assert registers(people[1]) == []
    assert mails_of(tell_of_later_waiting) == []
    hour = timedelta(hours=1, seconds=1)
    RegistrationRules.objects.update(waiting_told_at=F("waiting_told_at") - hour)
    ((_to, _subject, text),) = mails_of(tell_of_later_waiting)
    assert "2 registrations wait" in text
    assert mails_of(tell_of_later_waiting) == []
    tulips = Registration.objects.get(participant__slug="tulips")
    disqualify(tulips, {"reason": "It read the answers."}, by=ann)
    for expected in (1, 0):  # changing it within an hour is no second mail
        texts = mails_of(lambda: appeal(approval, bob, {"text": "It was my sister."}))
        assert [("my sister" in text) for _to, _subject, text in texts] == [True] * expected
    User.objects.filter(pk=ann.pk).update(notice_ways={"waiting": "off"})
    RegistrationRules.objects.update(waiting_told_at=None)
    assert registers(people[2]) == []


def test_members_are_told_of_changed_dates(
    two_teams: Challenge, ann: User, bob: User, mails_of: MailsOf
) -> None:
    phase = {"slug": "main", "name": "Final", "time_zone": "Europe/Berlin"}

    def changes(**fields: Any) -> Messages:
        given = {"phases": [phase | fields]}
        return mails_of(lambda: change_challenge(two_teams, user=ann, fields=given))

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
    two_teams: Challenge, bob: User, eve: User, mails_of: MailsOf
) -> None:
    ((to, subject, text),) = mails_of(lambda: ask_to_merge(two_teams, bob, "Roses"))
    assert to == ["eve@podium.example"]
    assert subject.startswith("Relay: ")
    assert text.index("Tulips") < text.index("Roses")
    assert text.endswith("https://podium.example/c/relay/team/")
    for answer, verb in ((refuse_merge, "refused"), (accept_merge, "accepted")):
        for name in ("Roses", "roses"):  # nobody is told twice a day, whatever the name
            assert mails_of(partial(ask_to_merge, two_teams, bob, name)) == []
        ((to, _subject, text),) = mails_of(partial(answer, two_teams, eve, "tulips"))
        assert to == ["bob@podium.example"]
        assert verb in text
        AskedMerge.objects.filter(name_key="roses").update(name_key=verb)
