"""Rounded, delayed and withheld scores: exact values never leave the server, at any address."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.utils import timezone

from leaderboard.models import Attempt, Board, Challenge, Score
from leaderboard.rules.rewards.evidence import Sample
from leaderboard.services.accounts.own_data import own_data
from leaderboard.services.board.standings.counting import verify_standings
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.scoring import single
from tests.helpers.attempts import attempt_of
from tests.sight.test_matrix import address, answered, asked
from tests.sight.world import MARKS, NOT_STRANGERS, World, readers

pytestmark = pytest.mark.django_db
API = "/api/v1/challenges/cup/"
NOW, DAY = timezone.now(), timedelta(days=1)
EXACT = {"bob": 0.5317928640174531, "eve": 0.8642371946028173}
"""The exact scores, as means of three rewards; rounded to one digit: 0.5 and 0.9."""
EXACTLY = {
    name: re.compile(
        rf"(?<![0-9])0[.,](?:{f'{value:.5f}'[2:]}|{str(value)[2:7]})|{str(value)[2:11]}"
    )
    for name, value in EXACT.items()
}
"""Five digits, rounded or cut, after a decimal mark, or nine anywhere: a request's id may contain
five by chance."""


@pytest.fixture(scope="module")
def first_world(module_rows: None) -> Iterator[World]:
    """A world whose scores have many digits, and one attempt of each participant."""
    texts = {name: marks._replace(text=f"{EXACT[name]:.6f}") for name, marks in MARKS.items()}
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(World, "submit", submitted)
        patched.setattr("tests.sight.world.MARKS", texts)
        yield World()


def submitted(world: World, name: str, tasks: int = 6) -> Any:
    if not world.cup.attempts.exists():
        fields = {
            "tasks": [{"name": f"task-{at}"} for at in range(6)],
            "columns": [{"key": "mean_reward", "decimals": 6}],
        }
        change_challenge(world.cup, user=world.ann, fields=fields)
    spread = [0.01 * (at - (tasks - 1) / 2) for at in range(tasks)]
    return attempt_of(
        world.users[name],
        world.cup,
        MARKS[name].slug,
        name=MARKS[name].name,
        samples=[
            Sample(f"task-{at}", 0, {"reward": EXACT[name] + difference})
            for at, difference in enumerate(spread)
        ],
        values={"stated": EXACT[name]} if name == "eve" else {},
    )


def leaks(world: World, reader: str) -> dict[str, set[str]]:
    """Return whose exact scores each address shows to a reader, by its route."""
    cache.clear()
    names_by_route: dict[str, set[str]] = {}
    for route, username in asked(reader):
        text = answered(world.clients[reader], address(world, route, username))
        names = {name for name, exactly in EXACTLY.items() if exactly.search(text)}
        if names:
            names_by_route.setdefault(route, set()).update(names)
    return names_by_route


@pytest.mark.once
def test_the_canaries_are_seen_where_nothing_is_rounded(world: World) -> None:
    names_by_route = leaks(world, "anyone")
    wanted = {"board", "api:leaderboard", "api:csv", "api:jsonl", "api:attempt", "attempt"}
    wanted |= {"api:standing", "api:attempts", "participant", "api:output"}
    assert wanted <= {*names_by_route}


@pytest.mark.once
@pytest.mark.parametrize("reader", readers(NOT_STRANGERS, "participant"))
def test_no_address_reveals_exact_scores_where_they_are_rounded(world: World, reader: str) -> None:
    world.declare(decimals=1)
    names_by_route = leaks(world, reader)
    if reader == "organiser":
        assert {"board", "api:leaderboard", "api:csv", "api:attempt", "api:output"} <= {
            *names_by_route
        }
        return
    assert names_by_route == {}


def read(world: World, reader: str, address: str) -> Any:
    return world.clients[reader].get(address).json()


def test_ranks_are_those_of_rounded_scores(world: World) -> None:
    """Otherwise they would tell which of two equal scores is better."""
    world.declare(decimals=0)
    rows = read(world, "anyone", f"{API}leaderboard/")["rows"]
    assert [(row["rank"], row["values"]["mean_reward"]) for row in rows] == [(1, 1.0), (1, 1.0)]
    assert [row["tied"] for row in rows] == [True, True]
    assert verify_standings(world.cup) == []
    exact = read(world, "organiser", f"{API}leaderboard/")["rows"]
    values = sorted(row["values"]["mean_reward"] for row in exact)
    assert values == pytest.approx(sorted(EXACT.values()))


def test_nothing_beside_a_rounded_value_narrows_it_down(world: World) -> None:
    assert (
        "interval" in read(world, "anyone", f"{API}leaderboard/")["rows"][0]["cells"]["mean_reward"]
    )
    world.declare(decimals=1)
    row = read(world, "anyone", f"{API}leaderboard/")["rows"][0]
    cell = row["cells"]["mean_reward"]
    assert not {"interval", "standard_error", "margin", "interval_reason"} & {*cell}
    assert "stated" not in row["values"]
    attempt = read(world, "anyone", f"/api/v1/attempts/{world.attempts['eve'].pk}/")
    value = attempt["metric_values"]["mean_reward"]
    assert value["value"] == 0.9
    assert (value["interval"], value["standard_error"], value["margin"]) == (None, None, None)
    assert (attempt["values"], attempt["details"], attempt["score_hidden"]) == ({}, None, False)
    tasks = f"/api/v1/attempts/{world.attempts['eve'].pk}/tasks.json"
    assert world.clients["participant"].get(tasks).status_code == 404
    mine = f"/api/v1/attempts/{world.attempts['bob'].pk}/tasks.json"
    assert world.clients["participant"].get(mine).status_code == 200


def test_cursors_of_rounded_boards_hold_no_sort_key(world: World) -> None:
    world.declare(decimals=1)
    page = read(world, "anyone", f"{API}leaderboard/?limit=1")
    assert page["next"].startswith("1.")


@pytest.mark.parametrize("reader", ["anyone", "participant"])
def test_the_log_of_a_rounded_score_is_the_organisers(world: World, reader: str) -> None:
    log = f"/api/v1/attempts/{world.texts['bob'].pk}/log.jsonl"
    assert world.clients[reader].get(log).status_code == 200
    world.declare(decimals=2)
    answer = world.clients[reader].get(log)
    assert answer.status_code == 403
    assert "exact scores" in answer.json()["error"]["message"]
    output = read(world, reader, f"/api/v1/attempts/{world.texts['bob'].pk}/output.json")
    assert output[0]["score"] == {"f1": 0.53}
    assert world.clients["organiser"].get(log).status_code == 200


def test_the_download_of_ones_data_is_rounded(world: World) -> None:
    world.declare(decimals=1)
    lines = "".join(line for line in own_data(world.users["bob"]) if '"scores"' in line)
    scores = lines.partition('"scores"')[2].partition('"samples"')[0]
    assert '"value": 0.5' in scores
    assert not EXACTLY["bob"].search(scores)


def test_delayed_scores_are_shown_after_the_end(world: World) -> None:
    world.declare(scores_delayed=True)
    for reader in ("anyone", "participant"):
        assert read(world, reader, f"{API}leaderboard/")["shown"] == "none"
    mine = read(world, "participant", f"/api/v1/attempts/{world.attempts['bob'].pk}/")
    assert (mine["score_hidden"], mine["metric_values"]) == (True, {})
    assert read(world, "organiser", f"{API}leaderboard/")["shown"] == "all"
    world.declare(scores_delayed=True, closes_at=NOW - timedelta(hours=1))
    assert len(read(world, "anyone", f"{API}leaderboard/")["rows"]) == 2
    mine = read(world, "participant", f"/api/v1/attempts/{world.attempts['bob'].pk}/")
    assert mine["score_hidden"] is False


def test_only_organisers_see_a_score_over_too_few_tasks(
    world: World, django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        world.declare(least_coverage=0.6)
    world.attempts["zoe"] = covering(world, "eve", 3)
    pk = world.attempts["zoe"].pk
    for reader in ("anyone", "participant"):
        attempt = read(world, reader, f"/api/v1/attempts/{pk}/")
        assert (attempt["score_hidden"], attempt["metric_values"], attempt["rank"]) == (
            True,
            {},
            None,
        )
    attempt = read(world, "organiser", f"/api/v1/attempts/{pk}/")
    assert attempt["score_hidden"] is False
    rows = read(world, "anyone", f"{API}leaderboard/")["rows"]
    assert [(row["rank"], row["unranked"]) for row in rows] == [(1, None), (2, None)]
    assert verify_standings(world.cup) == []


def covering(world: World, name: str, tasks: int) -> Any:
    attempt = submitted(world, name, tasks)
    single.score_waiting()
    return attempt


def test_a_board_of_a_phase_that_requires_coverage_is_derived_again(
    world: World, django_capture_on_commit_callbacks: Any
) -> None:
    Attempt.objects.filter(pk=world.attempts["bob"].pk).delete()
    attempt = covering(world, "bob", 3)
    rows = read(world, "anyone", f"{API}leaderboard/")["rows"]
    assert [row["rank"] for row in rows] == [1, 2]
    with django_capture_on_commit_callbacks(execute=True):
        world.declare(least_coverage=0.6)
    assert Board.objects.complete().count() == Board.objects.count()
    rows = read(world, "anyone", f"{API}leaderboard/")["rows"]
    assert [(row["rank"], row["unranked"]) for row in rows] == [(1, None), (None, "low_coverage")]
    assert {*rows[1]["values"].values()} == {None}
    assert rows[1]["cells"]["mean_reward"] == {"defined": 3, "total": 6, "reason": "withheld"}
    exact = read(world, "organiser", f"{API}leaderboard/")["rows"]
    assert exact[1]["values"]["mean_reward"] == pytest.approx(EXACT["bob"], abs=0.02)
    assert verify_standings(Challenge.objects.get(pk=world.cup.pk)) == []
    again = covering(world, "bob", 2)
    assert read(world, "organiser", f"/api/v1/attempts/{again.pk}/")["metric_values"]
    assert verify_standings(Challenge.objects.get(pk=world.cup.pk)) == []
    for sort in ("?sort=mean_reward", "?verified=1&sort=mean_reward"):
        assert world.clients["anyone"].get(f"{API}leaderboard/{sort}").status_code == 400
        assert world.clients["organiser"].get(f"{API}leaderboard/{sort}").status_code == 200
    assert world.clients["anyone"].get("/c/cup/?sort=mean_reward").status_code == 404
    assert "sort=" not in world.clients["anyone"].get("/c/cup/").content.decode()
    with django_capture_on_commit_callbacks(execute=True):
        world.declare()
    rows = read(world, "anyone", f"{API}leaderboard/")["rows"]
    assert [row["rank"] for row in rows] == [1, 2]
    assert str(attempt.pk) == rows[1]["attempt"]


@pytest.mark.once
@pytest.mark.parametrize("reader", readers(NOT_STRANGERS[:-1], "participant"))
def test_a_withheld_score_is_at_no_address(
    world: World, reader: str, django_capture_on_commit_callbacks: Any
) -> None:
    Score.objects.update(metric_values={})
    with django_capture_on_commit_callbacks(execute=True):
        world.declare(least_coverage=0.5)
    names_by_route = leaks(world, reader)
    mine = {"bob"} if reader in ("participant", "submits", "reads") else set()
    assert {route: names - mine for route, names in names_by_route.items() if names - mine} == {}
