"""Fixtures: a tenant, three users and challenges whose attempts are scored without a plugin."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from leaderboard.models import Attempt, Challenge, Tenant, User
from leaderboard.services.attempts.submit import NewAttempt, submit_attempt
from leaderboard.services.board.boards import board_at
from leaderboard.services.board.reading import ranking
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.scoring import single
from tests.notifications import notifications
from tests.people import bob, organiser_of, tenant
from tests.plugin_files import Install, installer, packages_folder
from tests.services.evaluation.evaluating import asked, make, no_turns, small_blocks

__all__ = ["asked", "bob", "make", "no_turns", "notifications", "small_blocks", "tenant"]

Create = Callable[..., Challenge]
Bring = Callable[..., Attempt]
Submit = Callable[..., Attempt]
Run = Callable[..., Attempt]
Rows = Callable[[Challenge], dict[str, BoardRow]]
Ranks = Callable[[Challenge], dict[str, int | None]]


@pytest.fixture
def alice(db: None) -> User:
    return User.objects.create_user("alice")


@pytest.fixture
def ann(tenant: Tenant) -> User:
    """An organiser of every challenge of the tenant."""
    return organiser_of(tenant, "ann")


@pytest.fixture
def create(tenant: Tenant, alice: User) -> Create:
    """Make a challenge: `create("Cup", is_draft=True)`; unless a field says so, the fastest win."""

    def created(name: str, **fields: Any) -> Challenge:
        given = {"name": name, "scoring_strategy": "fastest", **fields}
        return create_challenge(tenant=tenant, user=alice, fields=given)

    return created


@pytest.fixture
def sprint(create: Create) -> Challenge:
    return create("Sprint")


@pytest.fixture
def submit(alice: User) -> Submit:
    """Submit as alice: `submit(challenge, "atlas", succeeded=True, elapsed_ms=5)`."""

    def submitted(challenge: Challenge, participant: str, **metrics: Any) -> Attempt:
        new = NewAttempt(participant=participant, metrics={"succeeded": True, **metrics})
        return submit_attempt(challenge=challenge, user=alice, new=new)[0]

    return submitted


@pytest.fixture
def bring(alice: User) -> Bring:
    """Submit evidence as alice: `bring(challenge, task_rewards={…})`."""

    def submitted(challenge: Challenge, participant: str = "atlas", **evidence: Any) -> Attempt:
        new = NewAttempt(participant=participant, **evidence)
        return submit_attempt(challenge=challenge, user=alice, new=new)[0]

    return submitted


@pytest.fixture
def run(bring: Bring) -> Run:
    """Submit as alice and score: `run(challenge, "atlas", task_rewards={…})`."""

    def ran(challenge: Challenge, participant: str = "atlas", **evidence: Any) -> Attempt:
        attempt = bring(challenge, participant, **evidence)
        single.score_attempt(attempt.pk)
        return attempt

    return ran


@pytest.fixture
def rows() -> Rows:
    """The rows of a board, best first, by participant."""

    def read(challenge: Challenge) -> dict[str, BoardRow]:
        challenge.refresh_from_db()
        return {row.participant.handle: row for row in ranking.page_after(board_at(challenge)).rows}

    return read


@pytest.fixture
def ranks(rows: Rows) -> Ranks:
    """The ranks of a board, by participant."""
    return lambda challenge: {name: row.rank for name, row in rows(challenge).items()}


@pytest.fixture
def install_metrics(settings: Any) -> Iterator[Install]:
    """Install packages of metrics in an operator's folder: `install_metrics(a={"worst": text})`."""
    with packages_folder() as folder:
        yield installer(settings, folder, "metrics")
