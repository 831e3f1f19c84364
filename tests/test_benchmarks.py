"""The benchmarks run and measure what docs/performance.md speaks of, however fast."""

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
    "ranking": 2000,
    "storing": 2000,
    "building": 2000,
    "scoring": 2000,
    "cost": 16,
    "comparing": 50,
    "latency": 3,
    "bulk": 500,
    "queue": 400,
    "metrics": 200,
    "samples": 1,
    "imports": 2000,
    "plugins": 1,
    "text": 100,
    "bertscore": 30,
}


def test_each_has_a_small_scale() -> None:
    assert list(SMALL) == list(DATABASES)


@pytest.mark.parametrize("name", DATABASES)
def test_it_runs_on_a_small_scale(name: str) -> None:
    if not shutil.which("redis-server"):
        pytest.skip("redis-server is not on PATH: apt-get install redis-server")
    command = [sys.executable, "-m", "benchmarks", name, "--attempts", str(SMALL[name])]
    ran = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=600
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.count("| figure | ratio |") == len(DATABASES[name]), ran.stdout


@pytest.mark.parametrize("name", DATABASES)
def test_the_page_names_it(name: str) -> None:
    assert f"`benchmarks/{name}.py`" in PAGE
