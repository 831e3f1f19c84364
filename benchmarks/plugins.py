"""The first plugins page of a fresh process, with and without the stored list of the previous one.

`python -m benchmarks plugins[=N]`, where N is the number of processes of each kind.
`python -m benchmarks.plugins FILE` is one of these processes: once `/healthz` has answered, it
prints the milliseconds of its first requests for `/`, `/plugins/` and `/plugins/` again.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import django

from benchmarks.parts.report import Line, Table

Spent = tuple[float, float, float]


def run(*, attempts: int = 9) -> Table:
    """Return one table over that many fresh processes of each kind, run alternately."""
    kept: list[Spent] = []
    none: list[Spent] = []
    with tempfile.TemporaryDirectory(prefix="podium-bench-") as folder:
        kept_folder = Path(folder, "kept")
        _process(kept_folder)
        for number in range(attempts):
            none.append(_process(Path(folder, f"none-{number}")))
            kept.append(_process(kept_folder))
    base = statistics.median(spent[0] for spent in kept)
    rows = {
        "`/plugins/`, looked for now": [spent[1] for spent in none],
        "`/plugins/`, from the list that the last process kept": [spent[1] for spent in kept],
        "`/plugins/` once more": [spent[2] for spent in kept],
    }
    lines = [_line(what, spent, base) for what, spent in rows.items()]
    baseline = Line("first `/` of a fresh process", f"{base:,.1f} ms", "1")
    return Table(f"First requests of {attempts} fresh processes", [baseline, *lines])


def _line(what: str, spent: list[float], base: float) -> Line:
    median = statistics.median(spent)
    return Line(what, f"{median:,.1f} ms (at best {min(spent):,.1f})", f"{median / base:.1f} ×")


def _process(file: Path) -> Spent:
    """Run one process without Redis, as in embedded mode, where processes share only files."""
    ran = subprocess.run(
        [sys.executable, "-m", "benchmarks.plugins", str(file)],
        env=os.environ | {"REDIS_URL": ""},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    board, first, again = map(float, ran.stdout.split())
    return board, first, again


def main() -> None:
    django.setup()
    from django.test import Client

    from leaderboard.services.plugins import catalogue

    catalogue.keep_in(Path(sys.argv[1]))
    client = Client(headers={"host": "localhost"})
    client.get("/healthz")  # import what every request needs
    for path in ("/", "/plugins/", "/plugins/"):
        start = time.perf_counter()
        answer = client.get(path)
        spent = (time.perf_counter() - start) * 1000
        assert answer.status_code == 200, answer.content
        print(spent)


if __name__ == "__main__":
    main()
