"""The pages of evidence: trajectories step by step, logs in pieces, links from samples, a form."""

from __future__ import annotations

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from leaderboard.models import Attempt, Challenge, EvidenceFile, User
from leaderboard.pages.attempt.evidence_file import BYTES_PER_PAGE
from leaderboard.schemas.decisions import DecisionBody
from leaderboard.services.scoring.decisions import decide_about
from tests.pages.reading import get
from tests.pages.test_admission_pages import agents, alice, bob, submitted
from tests.people import signed_in

__all__ = ["agents", "alice", "bob"]

pytestmark = pytest.mark.django_db
EVIL = "<script>alert(1)</script>"


@pytest.fixture
def attempt(agents: Challenge, bob: User) -> Attempt:
    return submitted(agents, bob, [1.0, 0.5])


def added(user: User, attempt: Attempt, content: bytes, kind: str) -> str:
    """The address of evidence that its participant adds by the form."""
    address = f"{attempt.get_absolute_url()}evidence/"
    file = SimpleUploadedFile("steps.json", content)
    answer = signed_in(user).post(address, {"kind": kind, "place": "1 a", "file": file})
    assert answer.status_code == 302
    newest = EvidenceFile.objects.latest("pk")
    assert (newest.task, newest.sample) == ("a", 1)
    return f"{address}{newest.pk}/"


def test_a_trajectory_is_read_200_steps_at_a_time_and_escaped(bob: User, attempt: Attempt) -> None:
    steps = [{"role": "user", "content": f"step {at} {EVIL}"} for at in range(1, 202)]
    steps[0] = {"role": "tool", "name": EVIL, "content": "long " * 200}
    address = added(bob, attempt, json.dumps(steps).encode(), "trajectory")
    first, second = get(Client(), address), get(Client(), f"{address}?page=2")
    assert EVIL not in first
    assert "<details" in first
    assert "step 200 &lt;script&gt;" in first
    assert 'id="step-201"' not in first
    assert '<ol class="steps" start="201">' in second
    assert "step 201" in second
    assert Client().get(f"{address}?page=3").status_code == 404


def test_a_log_is_read_in_pieces_that_split_no_letter(bob: User, attempt: Attempt) -> None:
    line = "ä" * 99 + "x"
    content = line * (2 * BYTES_PER_PAGE // 150)
    address = added(bob, attempt, content.encode(), "log")
    whole = ""
    for page in range(1, -(-len(content.encode()) // BYTES_PER_PAGE) + 1):
        piece = get(Client(), f"{address}?page={page}")
        whole += piece.partition('lang="">')[2].partition("</pre>")[0]
    assert whole == content


@pytest.mark.parametrize(("content", "kind"), [(b"{}", "trajectory"), (b"a\0b", "diff")])
def test_what_a_page_cannot_show_is_offered(
    bob: User, attempt: Attempt, content: bytes, kind: str
) -> None:
    html = get(Client(), added(bob, attempt, content, kind))
    assert f"/api/v1{attempt.get_absolute_url()}evidence/" in html
    assert "<pre" not in html


def test_samples_link_to_their_evidence_and_reviewers_see_what_is_new(
    agents: Challenge, alice: User, bob: User, attempt: Attempt
) -> None:
    home = f"{attempt.get_absolute_url()}evidence/"
    assert Client().get(home).status_code == 404
    assert signed_in(alice).post(home, {"kind": "log"}).status_code == 404
    decide_about(attempt, DecisionBody(kind="returned", reason="no logs"), by=alice)
    address = added(bob, attempt, b"log", "log")
    for page in (attempt.get_absolute_url(), "/c/agents/task/?task=a"):
        if page.startswith("/c/"):
            decide_about(attempt, DecisionBody(kind="accepted"), by=alice)
        assert f'href="{address}"' in get(Client(), page), page
    listed = get(signed_in(bob), home)
    assert 'class="state warning"' in listed
    answer = signed_in(bob).post(home, {"kind": "log", "url": "ftp://x"}, follow=True)
    assert "ftp" in answer.content.decode()
