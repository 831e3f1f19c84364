"""The final board of a frozen phase, step by step."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from leaderboard.models import Attempt, Challenge, Phase, User
from leaderboard.services.board.standings.filling import fill_boards
from leaderboard.services.competition.schedule.reveal import reveal
from leaderboard.services.scoring.single import score_waiting
from tests.helpers.attempts import attempt_of
from tests.helpers.phases import set_phase
from tests.pages.conftest import Make, Submit
from tests.pages.reading import get, words
from tests.services.challenges.splitting import (
    PRIVATE,
    PUBLIC,
    TASKS,
    compute_finals,
    rewards,
)

pytestmark = pytest.mark.django_db
NOW, HOUR = timezone.now(), timedelta(hours=1)
PAGE = "/c/sprint/reveal/"
Declare = Callable[..., None]


@pytest.fixture
def declare(sprint: Challenge, submit: Submit) -> Declare:
    """Four participants; comet passes all others after the freeze, and dune comes last, new."""
    for who, elapsed, age in (
        ("atlas", 100, 9),
        ("bolt", 200, 8),
        ("comet", 300, 7),
        ("comet", 50, 1),
        ("dune", 900, 1),
    ):
        attempt = submit(sprint, who, scored=False, elapsed_ms=elapsed)
        Attempt.objects.filter(pk=attempt.pk).update(submitted_at=NOW - age * HOUR)
    score_waiting()

    def declared(**fields: datetime | None) -> None:
        dates = {"opens_at": NOW - 20 * HOUR, "closes_at": NOW - HOUR / 2}
        set_phase(sprint, **{**dates, "freezes_at": NOW - 5 * HOUR, **fields}, name="Final")

    return declared


def step(client: Client, number: int) -> str:
    return words(get(client, f"{PAGE}?step={number}"))


def test_the_last_place_comes_first_and_nothing_is_told_before_its_step(
    declare: Declare, as_ann: Client
) -> None:
    declare()
    first = words(get(as_ann, PAGE))
    assert not {"atlas", "bolt", "comet", "dune"} & set(first.split())
    names = ["dune", "bolt", "atlas", "comet"]
    for number, name in enumerate(names, 1):
        page = step(as_ann, number)
        revealed = [participant for participant in names if participant in page]
        assert revealed == names[:number]
        assert page.index(name) == min(page.index(participant) for participant in revealed)
    assert "up 2 ranks" in step(as_ann, 4)
    assert "down 1 rank" in step(as_ann, 2)
    assert "new" in step(as_ann, 1)
    get(as_ann, f"{PAGE}?step=5", status=404)
    assert 'rel="next"' not in get(as_ann, f"{PAGE}?step=4")


def test_only_organisers_watch_before_the_reveal(
    declare: Declare, sprint: Challenge, as_ann: Client, client: Client
) -> None:
    declare()
    get(client, PAGE, status=404)
    reveal(sprint.phases.get(), user=None)
    assert "comet" in step(client, 4)


def test_there_is_nothing_to_reveal_without_a_freeze_or_before_the_end(
    declare: Declare, as_ann: Client
) -> None:
    without: list[dict[str, datetime | None]] = [
        {"freezes_at": None},
        {"closes_at": NOW + timedelta(days=9)},
        {"closes_at": None},
    ]
    for fields in without:
        declare(**fields)
        get(as_ann, PAGE, status=404)
    declare()
    get(as_ann, PAGE)
    for query in ("step=-1", "step=x", "step=99", "step=٣", "phase=none"):
        get(as_ann, f"{PAGE}?{query}", status=404)


def test_a_hidden_board_is_not_revealed_to_others(
    declare: Declare, sprint: Challenge, as_ann: Client, client: Client
) -> None:
    declare(reveals_at=NOW - HOUR / 4)
    assert "comet" in step(client, 4)
    sprint.phases.update(board_visibility="organisers")
    get(client, PAGE, status=404)
    assert "comet" in step(as_ann, 4)


def test_many_rows_take_as_many_queries_as_few(
    declare: Declare, sprint: Challenge, submit: Submit, as_ann: Client
) -> None:
    declare()
    get(as_ann, PAGE)
    with CaptureQueriesContext(connection) as few:
        step(as_ann, 4)
    sprint.phases.update(closes_at=None)
    for number in range(30):
        submit(sprint, f"late-{number}", elapsed_ms=1000 + number)
    sprint.phases.update(closes_at=NOW - HOUR / 2)
    with CaptureQueriesContext(connection) as many:
        assert "late-29" in step(as_ann, 1)
    assert len(many) <= len(few)


def test_with_private_tasks_the_steps_begin_when_the_final_scores_are_there(
    make: Make, ann: User, ben: User, as_ann: Client, client: Client
) -> None:
    challenge = make(
        "Sprint",
        "metric",
        metrics=["mean"],
        rank_by=[{"key": "mean"}],
        tasks=[{"name": name, "rewards": ["reward"]} for name in TASKS],
        split={"public": PUBLIC},
    )
    for who, solved in (("atlas", ["t1", "t2", *PRIVATE[:1]]), ("bolt", ["t1", *PRIVATE])):
        attempt_of(ben, challenge, who, task_rewards=rewards(solved))
    score_waiting()
    Phase.objects.filter(challenge=challenge).update(
        opens_at=NOW - 9 * HOUR, closes_at=NOW - HOUR, freezes_at=NOW - 2 * HOUR
    )
    fill_boards(challenge)
    page = get(as_ann, PAGE)
    assert 'rel="next"' not in page
    assert "atlas" not in page
    get(as_ann, f"{PAGE}?step=1", status=404)

    reveal(challenge.phases.get(), user=ann)
    assert 'rel="next"' not in get(client, PAGE)
    assert compute_finals(challenge) == 1
    first, last = (step(client, number) for number in (1, 2))
    assert "atlas" in first
    assert "bolt" not in first
    assert last.index("bolt") < last.index("atlas")
