"""Users get mail about roles that others give them, and captains about merges of teams."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from typing import Any

import pytest
from django.core import mail

from leaderboard.models import AskedMerge, Challenge, User
from leaderboard.services.competition.merge_requests import ask_to_merge
from leaderboard.services.competition.merging import accept_merge, refuse_merge
from leaderboard.services.competition.organisers import give_role, take_role
from tests.people import bob, tenant
from tests.services.competition.test_merging import ann, relay

__all__ = ["ann", "bob", "relay", "tenant"]

pytestmark = pytest.mark.django_db

Commit = Callable[..., AbstractContextManager[Any]]


@pytest.fixture(autouse=True)
def addresses(bob: User, eve: User, dan: User, settings: Any) -> None:
    settings.PUBLIC_URL = "https://podium.example"
    for user in (bob, eve, dan):
        user.email = f"{user.username}@podium.example"
        user.save()


def told(commit: Commit, act: Callable[[], object]) -> list[tuple[list[str], str, str]]:
    """Return whom an action writes to, with the subjects and texts."""
    mail.outbox.clear()
    with commit(execute=True):
        act()
    return [(each.to, str(each.subject), str(each.body)) for each in mail.outbox]


def test_mail_about_a_role_says_how_to_leave_it(
    relay: Challenge, ann: User, bob: User, django_capture_on_commit_callbacks: Commit
) -> None:
    def give(role: str) -> list[tuple[list[str], str, str]]:
        return told(
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
    assert told(django_capture_on_commit_callbacks, act) == []


def test_captains_are_told_of_requests_and_answers(
    relay: Challenge, bob: User, eve: User, django_capture_on_commit_callbacks: Commit
) -> None:
    commit = django_capture_on_commit_callbacks
    ((to, subject, text),) = told(commit, lambda: ask_to_merge(relay, bob, "Roses"))
    assert to == ["eve@podium.example"]
    assert subject.startswith("Relay: ")
    assert text.index("Tulips") < text.index("Roses")
    assert text.endswith("https://podium.example/c/relay/team/")
    for answer, verb in ((refuse_merge, "refused"), (accept_merge, "accepted")):
        for name in ("Roses", "roses"):  # nobody is told twice a day, whatever the name
            assert told(commit, lambda name=name: ask_to_merge(relay, bob, name)) == []
        ((to, _subject, text),) = told(commit, partial(answer, relay, eve, "tulips"))
        assert to == ["bob@podium.example"]
        assert verb in text
        AskedMerge.objects.filter(name_key="roses").update(name_key=verb)
