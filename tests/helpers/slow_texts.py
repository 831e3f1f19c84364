"""Slow text metrics, and documents for them, for tests that kill workers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.processes import Site, eventually

SECONDS_PER_BLOCK = 0.4
BLOCKS = 24
ROWS_PER_BLOCK = 250

SLOW = f"""
import time


class Slow:
    \"\"\"Takes a while for each block.\"\"\"

    id = "SLOW"
    averaged = True

    def evaluate(self, instances, parameters):
        time.sleep({SECONDS_PER_BLOCK})
        results = [float(each.output == each.references[0]) for each in instances]
        return {{"score": {{"same": sum(results) / len(results)}}, "results": results}}


class Whole:
    \"\"\"Takes a long while for all instances at once.\"\"\"

    id = "WHOLE"

    def evaluate(self, instances, parameters):
        time.sleep(parameters.get("seconds", 500))
        return {{"score": {{"instances": float(len(instances))}}}}
"""
CHALLENGE: dict[str, Any] = {
    "name": "Long texts",
    "scoring_strategy": "metric",
    "text_metrics": ["SLOW"],
    "rank_by": [{"key": "SLOW"}],
}


def write_package(folder: Path) -> None:
    """Write the package `ours` with the metrics, for SCORER_PATH."""
    (folder / "ours" / "text").mkdir(parents=True)
    for name, text in (("__init__", ""), ("text/__init__", ""), ("text/slow", SLOW)):
        (folder / "ours" / f"{name}.py").write_text(text)


def submit(site: Site, challenge: str, participant: str, blocks: int = BLOCKS) -> str:
    """Submit an attempt with instances for this many blocks, 3/4 with right answers; return its id.

    Its document enables the metric SLOW.
    """
    rows = [
        {"id": at, "actual-output": "wrong" if at % 4 == 0 else "right", "expected-output": "right"}
        for at in range(blocks * ROWS_PER_BLOCK)
    ]
    evaluation = {"instances": rows, "metrics": ["SLOW"]}
    body = {"participant": participant, "evaluation": evaluation}
    answer = site.ask("POST", f"/api/v1/challenges/{challenge}/attempts/", body)
    assert answer.status == 202, answer
    attempt_id: str = answer.json["id"]
    return attempt_id


def half_done(site: Site, attempt_id: str) -> None:
    """Return when some blocks of the attempt are computed, and most are not."""

    def look() -> bool:
        progress = site.attempt(attempt_id)["progress"]
        assert progress is not None, "it was too fast"
        return bool(progress["done"] >= 2 * ROWS_PER_BLOCK)

    eventually(look)


def check_documents(site: Site, attempt_id: str, blocks: int = BLOCKS) -> None:
    """Check that each result is there exactly once."""
    (entry,) = site.get(f"/attempts/{attempt_id}/output.json")
    assert entry["score"] == {"same": 0.75}, entry
    assert entry["elapsed time"] >= blocks * SECONDS_PER_BLOCK
    lines = site.page(f"/api/v1/attempts/{attempt_id}/log.jsonl").splitlines()
    ids = [json.loads(line)["instance_id"] for line in lines]
    assert ids == list(range(blocks * ROWS_PER_BLOCK))
