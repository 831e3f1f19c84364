"""Organisers verify and annotate attempts on their pages; boards show the marks."""

from __future__ import annotations

import pytest
from django.test import Client

from leaderboard.models import Annotation, Challenge, Verification
from tests.pages.board.test_page import names
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
    assert "bolt verified" not in words(get(client, "/c/sprint/"))
    as_ann.post(f"{bolt}verification/", {"link": "javascript:alert(1)"})
    assert not Verification.objects.exists()
    as_ann.post(f"{bolt}verification/", MARK)
    assert "Verified by The lab" in words(get(client, bolt))
    link = 'href="https://example.org/report" rel="nofollow noopener noreferrer"'
    assert link in get(client, bolt)
    for path in ("/c/sprint/", "/c/sprint/p/atlas/"):
        text = words(get(client, path))
        assert "bolt verified" in text
        assert "atlas verified" not in text
    for query in ("?verified=1", "?verified=1&sort=-elapsed_ms&q=bol"):
        assert names(get(client, f"/c/sprint/{query}")) == ["bolt"]
    as_ann.post(f"{bolt}verification/", {"remove": "1"})
    assert not Verification.objects.exists()
    assert "Verified by" not in get(client, bolt)
    assert names(get(client, "/c/sprint/?verified=1")) == []


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
    note = Annotation.objects.get(is_public=True)
    as_ann.post(f"{bolt}annotations/", {"remove": str(note.pk)})
    assert Annotation.objects.get().text == "Ask for\nthe code."
    as_ann.post(f"{bolt}annotations/", {"text": ""})
    assert Annotation.objects.count() == 1
    assert as_ann.post(f"{bolt}annotations/", {"remove": "7"}).status_code == 404


def test_only_organisers_mark_attempts(client: Client, as_ben: Client, sprint: Challenge) -> None:
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
    assert "bolt verified" not in words(board)
    assert client.get("/c/sprint/?verified=1").status_code == 404
    assert "bolt verified" in words(get(as_ann, "/c/sprint/?verified=1"))
