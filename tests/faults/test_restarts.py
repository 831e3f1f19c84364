"""A clock is wrong, a second beat runs, all processes are restarted in turn."""

from collections.abc import Iterator

import pytest

from tests.faults.world import World
from tests.full.stack import documented
from tests.processes import eventually, running

DAY = 24 * 3600


@pytest.fixture(params=[DAY, -DAY], ids=["ahead", "behind"])
def off(request: pytest.FixtureRequest, world: World) -> Iterator[float]:
    """Run the worker and beat with a clock that is a day off; yields the seconds."""
    stack = world.stack
    stack.environment["FAULT_CLOCK"] = str(request.param)
    for program in ("worker", "beat"):
        stack.stop(program)
    stack.start("worker", "--include", "tests.faults.clock")
    # The schedule has a file of its own: a beat with the right clock would wait for tomorrow.
    schedule = ["--schedule", str(stack.folder / f"beat-{request.param}")]
    stack.start("beat", "--scheduler", "tests.faults.clock:PersistentScheduler", *schedule)
    yield request.param
    del stack.environment["FAULT_CLOCK"]
    for program in ("worker", "beat"):
        stack.stop(program)
        stack.start(program)


def test_the_clock_is_a_day_off(world: World, off: float) -> None:
    where = "ahead" if off > 0 else "behind"
    slug = world.challenge(f"A day {where}")
    with world.clients(slug) as sent:
        eventually(lambda: len(sent) > 30)
    world.check_everything_ended(f"clock of worker and beat a day {where}")


def test_two_beats_run(world: World) -> None:
    slug = world.challenge("Two beats", seconds=0.02)
    stack = world.stack
    schedule = ["--schedule", str(stack.folder / "second-beat")]
    second = [*documented("beat"), *schedule]
    with running(second, stack.environment, stack.log("second-beat")), world.clients(slug) as sent:
        eventually(lambda: len(sent) > 60)
    world.check_everything_ended("two beats")


def test_all_processes_are_restarted_in_turn(world: World) -> None:
    slug = world.challenge("Rolling restart", seconds=0.02)
    stack = world.stack
    with world.clients(slug) as sent:
        for program in ("worker", "beat", "gunicorn", "worker"):
            sent_before = len(sent)
            eventually(lambda: len(sent) > sent_before + 10)  # noqa: B023
            stack.stop(program)
            stack.start(program)
    world.check_everything_ended("rolling restart")
