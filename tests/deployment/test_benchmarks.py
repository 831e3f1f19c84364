"""The benchmarks run, and docs/performance.md names each of them."""

import math
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import engine, loops
from benchmarks.__main__ import DATABASES
from benchmarks.loops import PARAMETERS, Loop
from benchmarks.parts.stored import write_blocks
from benchmarks.text import SAME

ROOT = Path(__file__).parents[2]

pytestmark = [pytest.mark.once, pytest.mark.slow, pytest.mark.redis]


SMALL = {
    "ranking": 1000,
    "storing": 500,
    "scoring": 2000,
    "cost": 16,
    "messages": 5,
    "comparing": 50,
    "latency": 3,
    "bulk": 200,
    "quotas": 20,
    "deadline": 60,
    "soak": 60,
    "parsing": 300,
    "queue": 200,
    "metrics": 50,
    "uncertainty": 20,
    "pages": 8,
    "readers": 2500,
    "samples": 1,
    "imports": 500,
    "plugins": 1,
    "text": 20,
    "bertscore": 30,
    "predictions": 6,
}


def test_each_benchmark_has_a_small_scale() -> None:
    assert list(SMALL) == list(DATABASES)


def test_each_benchmark_runs_on_a_small_scale() -> None:
    if not shutil.which("redis-server"):
        pytest.skip("redis-server is not on PATH: apt-get install redis-server")
    given = [f"{name}={size}" for name, size in SMALL.items()]
    command = [sys.executable, "-m", "benchmarks", "--rounds", "5", *given]
    ran = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=1200
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.count("| figure | ratio |") == sum(map(len, DATABASES.values()))


@pytest.mark.parametrize("metric", PARAMETERS)
def test_a_bare_loop_and_a_worker_find_the_same_value(metric: str, tmp_path: Path) -> None:
    file = tmp_path / "rows"
    write_blocks(file, 20)
    loop: Loop = getattr(loops, metric.lower())()
    assert math.isclose(loop(loops.read(file)), engine.evaluate(metric, file), rel_tol=SAME)


@pytest.mark.parametrize("given", ["rankings", "ranking=many", "ranking="])
def test_a_wrong_name_or_size_is_refused(given: str) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "benchmarks", given],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 2
    assert given.partition("=")[0] in ran.stderr


def test_the_page_names_each_benchmark() -> None:
    page = (ROOT / "docs" / "performance.md").read_text()
    assert [name for name in DATABASES if f"`benchmarks/{name}.py`" not in page] == []
