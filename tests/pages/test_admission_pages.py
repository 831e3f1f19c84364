"""The pages about admission: rules, the queue of reviewers, and the part of an attempt's page."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client

from leaderboard.models import Attempt, Challenge, Tenant, User
from leaderboard.rules.rewards.samples import Sample
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.scoring import single
from tests.helpers.attempts import attempt_of
from tests.pages.reading import get
from tests.people import bob, organiser_of, signed_in

__all__ = ["bob"]

pytestmark = pytest.mark.django_db
RULES = [{"rule": "samples_per_task", "least": 2, "then": "flagged"}]


@pytest.fixture
def alice(tenant: Tenant) -> User:
    return organiser_of(tenant, "alice")


@pytest.fixture
def agents(tenant: Tenant, alice: User) -> Challenge:
    fields = {
        "name": "Agents",
        "scoring_strategy": "metric",
        "metrics": ["mean_reward"],
        "rank_by": [{"key": "mean_reward"}],
        "review": "flagged",
    }
    return create_challenge(tenant=tenant, user=alice, fields=fields)


def submitted(challenge: Challenge, user: User, rewards: list[float], **run: Any) -> Attempt:
    challenge.refresh_from_db()
    own: Any = run or None
    samples = [Sample("a", at, {"reward": value}, run=own) for at, value in enumerate(rewards)]
    attempt = attempt_of(user, challenge, user.username, samples=samples)
    single.score_waiting()
    return attempt


def test_rules_are_tried_published_and_explained(agents: Challenge, alice: User, bob: User) -> None:
    submitted(agents, bob, [1.0])
    page = signed_in(alice)
    address = "/c/agents/manage/admission/"
    assert "evidence_of_passes" in get(page, f"{address}?preset=terminal-bench-2")
    sent = {"rules": json.dumps(RULES), "since": "", "action": "try"}
    assert "flagged 1" in page.post(address, sent).content.decode()
    agents.refresh_from_db()
    assert agents.condition_set_id is None
    assert page.post(address, {**sent, "rules": "[{}]"}).status_code == 422
    assert page.post(address, {**sent, "action": "publish"}).status_code == 302
    assert "at least 2 samples" in get(Client(), "/c/agents/rules/")
    assert Client().get(address).status_code in (302, 404)
    settings = {"action": "settings", "review": "all", "decisions_needed": "3", "disclose": "own"}
    refused = page.post(address, settings)
    assert refused.status_code == 422
    assert 'value="3"' in refused.content.decode(), "the input is kept"
    assert 'id="id_decisions_needed_error"' in refused.content.decode()
    page.post(address, {**settings, "decisions_needed": "2"})
    agents.refresh_from_db()
    assert (agents.review, agents.decisions_needed, agents.disclose) == ("all", 2, "own")
    assert not agents.reviewers_decide


def test_a_reviewer_walks_the_queue_and_decides(agents: Challenge, alice: User, bob: User) -> None:
    organiser, owner = signed_in(alice), signed_in(bob)
    sent = {"rules": json.dumps(RULES), "since": "", "action": "publish"}
    organiser.post("/c/agents/manage/admission/", sent)
    attempt = submitted(agents, bob, [1.0], conditions={"timeout": 2.5})
    queue = get(organiser, "/c/agents/review/?rule=samples_per_task&at=1")
    assert "has fewer than 2 samples" in queue
    assert owner.get("/c/agents/review/").status_code == 404
    page, address = attempt.get_absolute_url(), f"{attempt.get_absolute_url()}decisions/"
    assert "timeout" in get(Client(), page)
    back = organiser.post(
        address, {"kind": "returned", "reason": "too few", "next": "/c/agents/review/"}
    )
    assert back["Location"] == "/c/agents/review/"
    assert "too few" in get(owner, page)
    owner.post(address, {"kind": "received", "reason": "that is all"})
    ruling = {"kind": "counts_zero", "reason": "copied", "task": "a", "sample": "0"}
    organiser.post(address, ruling)
    organiser.post(address, {"kind": "accepted", "next": "https://example.org/"})
    content = get(Client(), page)
    assert "copied" in content
    assert "mean_reward 1" in content
    attempt.refresh_from_db()
    assert attempt.standing == 0
