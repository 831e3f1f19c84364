"""Kill -9 of each process of an installation under load, and at each point of a claim."""

import time
from collections.abc import Callable
from pathlib import Path
from uuid import UUID

import pytest

from tests.faults import parts
from tests.faults.world import World
from tests.full.stack import Stack
from tests.processes import Member, alive, eventually, kill

KILLS = 3

VICTIMS: dict[str, Callable[[Stack], set[Member]]] = {
    "child of a sandbox": parts.children,
    "server of a sandbox": parts.sandboxes,
    "worker child": lambda stack: parts.pool(stack, "worker"),
    "web worker": lambda stack: parts.pool(stack, "gunicorn"),
}


@pytest.mark.parametrize("victim", VICTIMS)
def test_a_part_is_killed(world: World, victim: str) -> None:
    slug = world.challenge(f"Without {victim}", seconds=0.02)
    if victim == "child of a sandbox":
        world.crashes = 2 * KILLS
    with world.clients(slug) as sent:
        for _ in range(KILLS):
            sent_before = len(sent)
            eventually(lambda: len(sent) > sent_before + 10)  # noqa: B023
            parts.kill_9(VICTIMS[victim](world.stack))
    world.check_everything_ended(f"kill -9: {victim}")


@pytest.mark.parametrize(("victim", "program"), [("worker", "worker"), ("web master", "gunicorn")])
def test_a_parent_is_killed(world: World, victim: str, program: str) -> None:
    """The processes that it has forked end by themselves, and its supervisor starts it again."""
    slug = world.challenge(f"Without the {victim}", seconds=0.02)
    with world.clients(slug) as sent:
        eventually(lambda: len(sent) > 10)
        members = parts.of(world.stack, program)
        kill(parts.parent(world.stack, program))
        eventually(lambda: not alive(members))
        world.stack.stop(program)
        world.stack.start(program)
        sent_before = len(sent)
        eventually(lambda: len(sent) > sent_before + 10)
    world.check_everything_ended(f"kill -9: {victim}")


def test_any_process_is_killed(world: World) -> None:
    slug = world.challenge("At random", seconds=0.02)
    world.crashes = 3 * KILLS
    with world.clients(slug):
        for _ in range(3 * KILLS):
            time.sleep(world.dice.uniform(0.05, 0.6))
            stack = world.stack
            some = sorted(
                parts.of(stack, "worker") | parts.pool(stack, "gunicorn"),
                key=lambda process: process.pid,
            )
            parts.kill_9({world.dice.choice([m for m in some if m not in _not_restarted(stack)])})
    world.check_everything_ended("kill -9: any process, at random")


def test_a_worker_is_killed_in_the_middle_of_history(world: World) -> None:
    slug = world.challenge("History", seconds=0.002)
    world.submit_history(slug, 1500)
    for _ in range(KILLS):
        time.sleep(world.dice.uniform(0.3, 1.5))
        parts.kill_9(parts.pool(world.stack, "worker"))
    world.check_everything_ended("kill -9: worker child, in the middle of history")


@pytest.mark.parametrize(
    ("what", "count", "step"), [("a worker", 1, 1), ("a batch of history", 20, 3)]
)
def test_a_worker_is_killed_around_each_of_its_writes(
    world: World, tmp_path: Path, what: str, count: int, step: int
) -> None:
    """It is killed before and after each statement that changes the database, and each commit.

    For a batch there is only time for every third of these moments.
    """
    slug = world.challenge(f"At each point of {what}")
    stack = world.stack
    stack.stop("worker")
    stack.environment["FAULT_POINTS"] = str(tmp_path)
    stack.start("worker", "--include", "tests.faults.points")
    killed, number = 0, 0
    try:
        while True:
            point = tmp_path / str(number)
            point.touch()
            ids = world.submit_history(slug, count) if count > 1 else [world.submit(slug)]
            eventually(lambda: not point.exists() or _are_scored(stack, ids))  # noqa: B023
            if point.exists():
                break
            killed += 1
            # As if the time of the killed process had run out.
            stack.expire("attempt")
            eventually(lambda: _are_scored(stack, ids))  # noqa: B023
            number += step
    finally:
        del stack.environment["FAULT_POINTS"]
        stack.stop("worker")
        stack.start("worker")
    assert killed * step >= 4
    world.check_everything_ended(f"kill -9: around each write of {what}")


def _are_scored(stack: Stack, ids: list[UUID]) -> bool:
    scored = "SELECT count(*) FROM leaderboard_attempt WHERE status = 'scored' AND id = ANY(%s)"
    return stack.rows(scored, ids) == [(len(ids),)]


def _not_restarted(stack: Stack) -> set[Member]:
    """Return the processes that only a supervisor would restart, because the stack has none."""
    return parts.parent(stack, "worker")
