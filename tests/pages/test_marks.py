"""Organisers verify and annotate attempts on their pages; boards show the marks."""

from __future__ import annotations

import pytest
from django.test import Client

from leaderboard.models import Annotation, Challenge, Verification
from tests.pages.conftest import Make, Submit
from tests.pages.reading import get, words

pytestmark = pytest.mark.django_db
MARK = {"by": "The lab", "link": "https://example.org/report"}


@pytest.fixture
def sprint(make: Make, submit: Submit) -> Challenge:
    challenge = make("Sprint")
    for place, who in enumerate(("atlas", "bolt", "comet"), start=1):
        submit(challenge, who, elapsed_ms=place)
    return challenge


def page_of(challenge: Challenge, who: str) -> str:
    return challenge.attempts.get(participant__handle=who).get_absolute_url()


def test_a_mark_is_shown_on_the_board_and_on_the_attempt(
    client: Client, as_ann: Client, sprint: Challenge
) -> None:
    bolt = page_of(sprint, "bolt")
    assert "verified" not in get(client, "/c/sprint/").lower()
    said = as_ann.post(f"{bolt}verification/", MARK, follow=True).content.decode()
    assert "The attempt is marked as verified." in said
    assert "Verified by The lab on" in words(get(client, bolt))
    assert 'href="https://example.org/report" rel="nofollow noopener noreferrer"' in get(
        client, bolt
    )
    board = get(client, "/c/sprint/")
    assert "bolt verified" in words(board)
    assert "atlas verified" not in words(board)
    assert 'title="Verified by The lab on' in board
    assert "bolt verified" in words(get(client, "/c/sprint/p/atlas/"))
    only = words(get(client, "/c/sprint/?verified=1"))
    assert "bolt verified" in only
    assert "atlas" not in only
    assert "comet" not in only
    found = words(get(client, "/c/sprint/?verified=1&sort=-elapsed_ms&q=bol"))
    assert "bolt verified" in found
    assert "Only verified rows × (remove)" in found
    as_ann.post(f"{bolt}verification/", {"remove": "1"})
    assert not Verification.objects.exists()
    assert "Verified by" not in get(client, bolt)
    assert "No row of this board fits." in get(client, "/c/sprint/?verified=1")


def test_a_wrong_link_is_reported(as_ann: Client, sprint: Challenge) -> None:
    path = f"{page_of(sprint, 'bolt')}verification/"
    said = as_ann.post(path, {"link": "javascript:alert(1)"}, follow=True).content.decode()
    assert "link: must be empty or a web address" in said
    assert not Verification.objects.exists()


def test_notes_are_for_organisers_unless_they_are_public(
    client: Client, as_ann: Client, sprint: Challenge
) -> None:
    bolt = page_of(sprint, "bolt")
    as_ann.post(f"{bolt}annotations/", {"text": "Ask for\r\nthe code."})
    as_ann.post(f"{bolt}annotations/", {"text": "Run <b>twice</b>.", "public": "1"})
    theirs, ours = get(client, bolt), get(as_ann, bolt)
    assert "Ask for<br>the code." in ours
    assert "Ask for" not in theirs
    assert "Run &lt;b&gt;twice&lt;/b&gt;." in theirs
    assert "Add a note" not in theirs
    note = Annotation.objects.get(is_public=True)
    as_ann.post(f"{bolt}annotations/", {"remove": str(note.pk)})
    assert Annotation.objects.get().text == "Ask for\nthe code."
    said = as_ann.post(f"{bolt}annotations/", {"text": ""}, follow=True).content.decode()
    assert "text: must" in said
    assert as_ann.post(f"{bolt}annotations/", {"remove": "7"}).status_code == 404


def test_others_mark_nothing(client: Client, as_ben: Client, sprint: Challenge) -> None:
    bolt = page_of(sprint, "bolt")
    for path in (f"{bolt}verification/", f"{bolt}annotations/"):
        assert as_ben.post(path, {"text": "x"}).status_code == 404
        assert client.post(path).headers["Location"].startswith("/sign-in/")
        assert as_ben.get(path).status_code == 405
    assert not Verification.objects.exists()
    assert not Annotation.objects.exists()


def test_hidden_attempts_cannot_be_listed_by_their_marks(
    client: Client, as_ann: Client, sprint: Challenge
) -> None:
    as_ann.post(f"{page_of(sprint, 'bolt')}verification/", MARK)
    sprint.phases.update(attempts_visibility="own")
    Challenge.objects.update(is_restricted=True)
    board = get(client, "/c/sprint/")
    assert "verified" not in board.lower()
    assert client.get("/c/sprint/?verified=1").status_code == 404
    assert "bolt verified" in words(get(as_ann, "/c/sprint/?verified=1"))
