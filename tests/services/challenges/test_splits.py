"""Public and private tasks or instances: what counts before the end of a phase."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from leaderboard.models import Challenge, Score, Tenant, User
from leaderboard.schemas.documents import parse_document, parse_outputs
from leaderboard.services.board.standings.counting import verify_standings
from leaderboard.services.challenges.challenges import change_challenge, create_challenge
from leaderboard.services.challenges.references import store_references
from tests.services.challenges.splitting import (
    PRIVATE,
    TASKS,
    close,
    compute_finals,
    rewards,
    split_challenge,
    values,
)
from tests.services.conftest import Rows, Run
from tests.services.refusals import check_refusals, refusal

pytestmark = pytest.mark.django_db


def test_only_public_tasks_count_until_the_end(tenant: Tenant, run: Run, rows: Rows) -> None:
    challenge = split_challenge(tenant)
    run(challenge, "atlas", task_rewards=rewards(["t1", "t2"]))
    run(challenge, "nova", task_rewards=rewards(["t1", *PRIVATE]))
    by_name = rows(challenge)
    assert values(rows, challenge) == {"atlas": pytest.approx(2 / 3), "nova": pytest.approx(1 / 3)}
    assert [row.cells["mean"]["total"] for row in by_name.values()] == [3, 3]
    assert [row.cells["mean"]["defined"] for row in by_name.values()] == [3, 3]
    close(challenge)
    assert compute_finals(challenge) == 1
    assert values(rows, challenge) == {"nova": pytest.approx(1.0), "atlas": pytest.approx(0.0)}
    assert [row.cells["mean"]["total"] for row in rows(challenge).values()] == [5, 5]
    assert verify_standings(challenge) == []


def test_nothing_is_stored_about_private_tasks_before_the_end(tenant: Tenant, run: Run) -> None:
    challenge = split_challenge(tenant)
    alike = [
        run(challenge, f"p{number}", task_rewards=rewards(["t1", *PRIVATE[:number]]))
        for number in range(5)
    ]
    scores = Score.objects.filter(attempt__in=alike)
    stored_values = {repr((score.value, score.metric_values, score.details)) for score in scores}
    assert scores.count() == 5
    assert len(stored_values) == 1


def test_public_tasks_may_count_after_the_end(tenant: Tenant, run: Run, rows: Rows) -> None:
    challenge = split_challenge(tenant, phases=[{"final_part": "public"}])
    run(challenge, "atlas", task_rewards=rewards(["t1", "t5"]))
    close(challenge)
    assert compute_finals(challenge) == 0
    assert values(rows, challenge) == {"atlas": pytest.approx(1 / 3)}
    assert challenge.shown.number == 1


def texts(tenant: Tenant, alice: User, split: Any, count: int = 4) -> Challenge:
    """A challenge that holds references: the answer to instance n is `answer n`."""
    fields: dict[str, Any] = {
        "name": "Texts",
        "scoring_strategy": "metric",
        "text_metrics": ["exact_match"],
        "rank_by": [{"key": "EXACT_MATCH"}],
        "split": split,
    }
    challenge = create_challenge(tenant=tenant, user=alice, fields=fields)
    instances = [
        {"id": str(number), "input": "?", "expected-output": [f"answer {number}"]}
        for number in range(count)
    ]
    store_references(challenge, user=alice, document=parse_document({"instances": instances}))
    challenge.refresh_from_db()
    return challenge


def answers(right: Sequence[int], count: int = 4) -> Any:
    return parse_outputs(
        {str(number): f"answer {number}" if number in right else "?" for number in range(count)}
    )


def test_instances_of_several_blocks_are_split(
    tenant: Tenant, alice: User, run: Run, rows: Rows
) -> None:
    count = 700
    public = [str(number) for number in range(count) if number > 600]
    challenge = texts(tenant, alice, {"public": public}, count)
    attempt = run(challenge, "atlas", outputs=answers(range(650), count))
    (row,) = rows(challenge).values()
    assert row.values["EXACT_MATCH"] == pytest.approx(49 / 99)
    assert row.cells["EXACT_MATCH"]["total"] == 99
    close(challenge)
    assert compute_finals(challenge) == 1
    (row,) = rows(challenge).values()
    assert (row.values["EXACT_MATCH"], row.attempt_id) == (1.0, attempt.pk)


def test_a_share_of_held_instances_is_exact(tenant: Tenant, alice: User) -> None:
    challenge = texts(tenant, alice, {"share": 0.3, "seed": "x"}, 50)
    split = challenge.newest.parts
    assert split is not None
    assert sum(split.is_public(str(number)) for number in range(50)) == 15


def test_a_wrong_split_is_refused(tenant: Tenant) -> None:
    cases: list[tuple[Any, ...]] = [
        ({"public": ["t9"]}, "split.public", "t9"),
        ({"public": TASKS}, "split.public", "at least one"),
        ({"public": []}, "split.public", "1"),
        ({"public": ["t1", "t1"]}, "split.public", "once"),
        ({"share": 1.0}, "split.share", "below 1"),
        ({"share": 0}, "split.share", "above 0"),
        ({}, "split", "one of"),
        ({"share": 0.5, "public": ["t1"]}, "split", "several"),
        ({"public": ["t1"], "seed": "x"}, "split.seed", "absent"),
        ({"share": 0.5, "sed": "x"}, "split.sed"),
        ("t1", "split", "object"),
    ]
    check_refusals(lambda split: split_challenge(tenant, split=split), cases)
    game = {"name": "Game", "scoring_strategy": "fastest", "split": {"share": 0.5}}
    error = refusal(lambda: create_challenge(tenant=tenant, user=None, fields=game))
    assert "metrics" in error.fields["split"][0]


def test_a_new_task_moves_no_other_task(tenant: Tenant) -> None:
    challenge = split_challenge(tenant, split={"share": 0.5, "seed": "s"})
    before = challenge.newest.parts
    assert before is not None
    more = [{"name": name} for name in [*TASKS, *(f"new-{number}" for number in range(30))]]
    challenge = change_challenge(challenge, user=None, fields={"tasks": more})
    after = challenge.newest.parts
    assert after == before
    changed = change_challenge(challenge, user=None, fields={"split": {"share": 0.5, "seed": "z"}})
    assert changed.newest.parts != before


def test_the_same_split_makes_no_version(tenant: Tenant) -> None:
    challenge = split_challenge(tenant, split={"share": 0.5, "seed": "s"})
    fields = {"split": {"share": 0.5, "seed": "s"}, "metrics": ["mean"]}
    assert change_challenge(challenge, user=None, fields=fields).newest.number == 1
