"""The page on which organisers see who takes part."""

from __future__ import annotations

from datetime import timedelta
from smtplib import SMTPRecipientsRefused, SMTPServerDisconnected
from typing import Any

import pytest
from django.core import mail
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.mail.backends.base import BaseEmailBackend
from django.test import Client
from django.utils import timezone

from leaderboard.models import Challenge, Entry, Letter, OutgoingMail, Registration, User
from leaderboard.services.competition.mail.outbox import send_waiting_mail
from leaderboard.services.competition.participants.registration import register
from leaderboard.services.competition.participants.registration_rules import declare_rules
from tests.helpers.attempts import attempt_of
from tests.pages.conftest import Make
from tests.pages.reading import get, words
from tests.people import signed_in

pytestmark = pytest.mark.django_db
PAGE = "/c/sprint/people/"


@pytest.fixture
def sprint(make: Make) -> Challenge:
    challenge = make("Sprint")
    rules = {"mode": "approval", "brackets": ["Pupils"], "bracket_choice": "assigned"}
    declare_rules(challenge, {**rules, "largest_team": 2})
    return challenge


def imported(client: Client, *lines: str) -> Any:
    file = SimpleUploadedFile("people.csv", "\n".join(lines).encode())
    return client.post(PAGE, {"action": "import", "file": file})


def test_organisers_decide(sprint: Challenge, ann: User, ben: User) -> None:
    register(sprint, ben, {"participant": "Atlas"})
    client = signed_in(ann)
    assert "Pending" in words(get(client, PAGE))
    client.post(PAGE, {"action": "accepted", "participant": "atlas"})
    client.post(PAGE, {"action": "bracket", "participant": "atlas", "bracket": "Pupils"})
    registration = Registration.objects.get()
    assert (registration.status, registration.bracket) == ("accepted", "Pupils")
    assert registration.decided_by == ann
    client.post(PAGE, {"action": "declined", "participant": "atlas", "reason": "Twice."})
    assert "Twice." in words(get(client, PAGE))
    client.post(PAGE, {"action": "bracket", "participant": "atlas", "bracket": "Cats"})
    registration.refresh_from_db()
    assert (registration.status, registration.bracket) == ("declined", "Pupils")
    assert client.post(PAGE, {"action": "accepted", "participant": "x"}).status_code == 404
    assert client.post(PAGE, {"action": "dance"}).status_code == 404


def test_a_table_registers_teams(sprint: Challenge, ann: User, ben: User, zoe: User) -> None:
    answer = imported(
        signed_in(ann), "participant,members,kind,bracket", "Tulips,ben zoe,team,Pupils"
    )
    assert answer.status_code == 302
    registration = Registration.objects.get()
    assert (registration.status, registration.bracket) == ("accepted", "Pupils")
    assert registration.participant.owner == ben
    assert registration.participant.kind == "team"
    assert dict(Entry.objects.values_list("user__username", "role")) == {
        "ben": "captain",
        "zoe": "member",
    }


def test_a_wrong_table_registers_nobody(sprint: Challenge, ann: User, ben: User, zoe: User) -> None:
    client = signed_in(ann)
    for lines, message in (
        (["team name and people", "Tulips,ben"], "name the columns"),
        (["participant,members"], "1 to 2000 rows"),
        (["participant,members", "Tulips,ben", "Roses,nobody"], "Line 3: members"),
        (["participant,members", "Tulips,ben", "Roses,ben"], "Line 3: one of"),
        (["participant,members", "Tulips,ben zoe ann"], "2 usernames; got 3"),
        (["participant,members,bracket", "Tulips,ben,Cats"], "Line 2: bracket"),
        (["participant,members,kind", "Tulips,ben,cat"], "Line 2: kind"),
        (["participant,members,status", "Tulips,ben,gone"], "Line 2: status"),
        (["participant,members", "Tulips,ben@example.org"], "Line 2: members"),
        (["participant,members", ",ben"], "Line 2: participant"),
    ):
        answer = imported(client, *lines)
        assert answer.status_code == 422, lines
        assert message in words(answer.content.decode()), lines
    assert not Registration.objects.exists()


@pytest.mark.usefixtures("contexts")
def test_a_preview_registers_nobody(sprint: Challenge, ann: User, ben: User, zoe: User) -> None:
    table = "Team;Mitglieder;Matrikel\nTulips;ben, zoe;7\n"
    file = SimpleUploadedFile("teams.csv", table.encode("utf-16"))
    client = signed_in(ann)
    answer = client.post(PAGE, {"action": "import", "file": file, "preview": ""})
    assert answer.status_code == 200
    page = words(answer.content.decode())
    assert "Matrikel" in page
    assert "Tulips team ben , zoe" in page
    assert not Registration.objects.exists()
    sent = {"action": "import", "table": answer.context["preview"].table}
    assert client.post(PAGE, sent).status_code == 302
    assert Registration.objects.get().participant.kind == "team"


def test_everybody_gets_a_mail_of_their_own(
    sprint: Challenge, ann: User, ben: User, zoe: User, sends_mail: None
) -> None:
    User.objects.filter(pk=ben.pk).update(email="ben@example.org")
    User.objects.filter(pk=zoe.pk).update(email="zoe@example.org")
    imported(signed_in(ann), "participant,members", "Tulips,ben zoe")
    letter = {"action": "write", "status": "accepted", "subject": "Hello", "text": "It begins."}
    assert signed_in(ann).post(PAGE, {**letter, "status": "pending"}).status_code == 302
    assert mail.outbox == []
    assert signed_in(ann).post(PAGE, letter).status_code == 302
    assert [message.to for message in mail.outbox] == [["ben@example.org"], ["zoe@example.org"]]
    assert mail.outbox[0].subject == "Sprint: Hello"
    assert mail.outbox[0].body.startswith("It begins.\n\n-- \nann organises")
    assert mail.outbox[0].body.endswith("http://testserver/c/sprint/")
    for wrong in ({"subject": "a\nb"}, {"reply_to": "nobody"}, {"bracket": "Cats"}):
        assert signed_in(ann).post(PAGE, {**letter, **wrong}).status_code == 422, wrong


class Refusing(BaseEmailBackend):
    """A mail server that refuses one address, and breaks the connection at another."""

    def send_messages(self, messages: Any) -> int:
        (message,) = messages
        (address,) = message.to
        if address.startswith("ben"):
            raise SMTPRecipientsRefused({address: (550, b"5.1.1 no such user")})
        if address.startswith("dan"):
            raise SMTPServerDisconnected("Connection unexpectedly closed")
        mail.outbox.append(message)
        return 1


def test_one_refused_address_stops_no_other(
    sprint: Challenge, ann: User, ben: User, zoe: User, settings: Any, sends_mail: None
) -> None:
    settings.EMAIL_BACKEND = f"{__name__}.Refusing"
    dan = User.objects.create_user("dan")
    for user in (ben, zoe, dan, ann):
        User.objects.filter(pk=user.pk).update(email=f"{user.username}@example.org")
    imported(signed_in(ann), "participant,members", "Tulips,ben", "Roses,zoe", "Irises,dan")
    letter = {"action": "write", "status": "accepted", "subject": "Hello", "text": "It begins."}
    assert signed_in(ann).post(PAGE, letter).status_code == 302
    ((message,),) = [mail.outbox]
    assert (message.to, message.reply_to) == (["zoe@example.org"], ["ann@example.org"])
    page = words(get(signed_in(ann), PAGE))
    assert "sent to 1 of 3 addresses" in page
    assert "ben@example.org 550 5.1.1 no such user" in page
    assert "dan@example.org" not in page
    # A broken connection is tried again, for a day.
    (left,) = OutgoingMail.objects.all()
    assert (left.address, left.due_at > timezone.now()) == ("dan@example.org", True)
    OutgoingMail.objects.update(due_at=timezone.now() - timedelta(minutes=1), tries=6)
    assert send_waiting_mail() == 1
    assert "dan@example.org Connection unexpectedly closed" in words(get(signed_in(ann), PAGE))
    assert Letter.objects.get().ended_at is not None


def test_letters_go_to_a_part(
    sprint: Challenge, ann: User, ben: User, zoe: User, sends_mail: None
) -> None:
    dan = User.objects.create_user("dan")
    for user in (ben, zoe, dan):
        User.objects.filter(pk=user.pk).update(email=f"{user.username}@example.org")
    lines = ("Tulips,ben,Pupils", "Roses,zoe,", "Irises,dan,Pupils")
    imported(signed_in(ann), "participant,members,bracket", *lines)
    attempt_of(ben, sprint, "Tulips")
    letter = {"action": "write", "status": "accepted", "subject": "Hello", "text": "It begins."}
    for part, people in (
        ({"bracket": "Pupils"}, ["ben", "dan"]),
        ({"without_attempts": "on"}, ["dan", "zoe"]),
        ({"bracket": "Pupils", "without_attempts": "on"}, ["dan"]),
        ({"reply_to": "desk@example.org"}, ["ben", "dan", "zoe"]),
    ):
        mail.outbox.clear()
        assert signed_in(ann).post(PAGE, letter | part).status_code == 302
        assert [message.to for message in mail.outbox] == [
            [f"{name}@example.org"] for name in people
        ]
    assert {*mail.outbox[0].reply_to} == {"desk@example.org"}
