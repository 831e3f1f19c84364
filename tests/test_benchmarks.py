"""The benchmarks run, and docs/performance.md names each of them."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.__main__ import DATABASES

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "performance.md").read_text()

pytestmark = [pytest.mark.once, pytest.mark.slow, pytest.mark.redis]


SMALL = {
    "ranking": 1000,
    "storing": 500,
    "building": 500,
    "scoring": 2000,
    "cost": 16,
    "comparing": 50,
    "latency": 3,
    "bulk": 200,
    "quotas": 20,
    "deadline": 60,
    "parsing": 300,
    "queue": 200,
    "metrics": 50,
    "uncertainty": 20,
    "pages": 8,
    "samples": 1,
    "imports": 500,
    "plugins": 1,
    "text": 20,
    "bertscore": 30,
}


def test_each_benchmark_has_a_small_scale() -> None:
    assert list(SMALL) == list(DATABASES)


@pytest.mark.parametrize("names", [list(SMALL)[::2], list(SMALL)[1::2]], ids=["even", "odd"])
def test_each_benchmark_runs_on_a_small_scale(names: list[str]) -> None:
    if not shutil.which("redis-server"):
        pytest.skip("redis-server is not on PATH: apt-get install redis-server")
    command = [sys.executable, "-m", "benchmarks", *(f"{name}={SMALL[name]}" for name in names)]
    ran = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=1200
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.count("| figure | ratio |") == sum(len(DATABASES[name]) for name in names)


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


@pytest.mark.parametrize("name", DATABASES)
def test_the_page_names_each_benchmark(name: str) -> None:
    assert f"`benchmarks/{name}.py`" in PAGE
