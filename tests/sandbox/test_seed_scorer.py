"""The example scorer in the source system's documentation runs unchanged."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from leaderboard.sandbox import Outcome, Request, Sandbox, SandboxSettings
from leaderboard.sandbox.host.fork_servers import PROJECT
from tests.plugin_files import seed_folder, write

EXAMPLE = "services.scorers.custom:MyCustomScorer"
FULL = {"succeeded": True, "tokens_total": 1500, "elapsed_ms": 12500, "rating": 8}

BY_THE_OTHER_NAME = """
from services.scorers.weighted import WeightedScorer
import services.scorers.weighted
import scorers.weighted


class Doubled(WeightedScorer):
    def score(self, metrics, config, ctx):
        found = super().score(metrics, config, ctx)
        same = services.scorers.weighted is scorers.weighted
        return {"score": 2 * found["score"], "details": {"same": same}}
"""
WITH_A_LATE_IMPORT = """
class Late:
    def score(self, metrics, config, ctx):
        from services.challenge_scorer_protocol import ScoringResult
        return ScoringResult(score=metrics["rating"])
"""
WANTS_MORE = """
from services.challenge_scorer_service import ChallengeScorerService


class Wants:
    def score(self, metrics, config, ctx):
        return {"score": 1.0}
"""


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with seed_folder() as folder:
        write(folder / "scorers" / "doubled.py", BY_THE_OTHER_NAME)
        write(folder / "scorers" / "late.py", WITH_A_LATE_IMPORT)
        write(folder / "scorers" / "wants.py", WANTS_MORE)
        yield folder


@pytest.fixture(scope="module")
def seeded(folder: Path) -> Iterator[Sandbox]:
    with Sandbox(SandboxSettings(path=(str(folder),))) as sandbox:
        yield sandbox


def scored(
    sandbox: Sandbox, entrypoint: str, metrics: dict[str, Any], config: dict[str, Any]
) -> Outcome:
    (outcome,) = sandbox.score(
        entrypoint, config, [Request(metrics, {})], timeout_ms=60_000, fresh=True
    )
    return outcome


def test_the_example_scores(seeded: Sandbox) -> None:
    cases: list[tuple[dict[str, Any], float]] = [
        (FULL, 16.0),
        ({**FULL, "rating": None}, 0.0),
        ({"succeeded": True}, 0.0),
        ({"succeeded": None, "rating": 8}, 0.0),
        ({}, 0.0),
    ]
    for metrics, score in cases:
        outcome = scored(seeded, EXAMPLE, metrics, {"multiplier": 2.0})
        assert (outcome.value, outcome.details) == (score, {"multiplier_used": 2.0}), outcome


def test_the_example_scores_a_batch(seeded: Sandbox) -> None:
    requests = [Request({"succeeded": True, "rating": rating}, {}) for rating in (None, 3)]
    outcomes = seeded.score(EXAMPLE, {}, requests, timeout_ms=60_000, fresh=False)
    assert [outcome.value for outcome in outcomes] == [0.0, 3.0]


def test_a_module_has_two_import_names(seeded: Sandbox) -> None:
    ours = scored(seeded, "services.scorers.weighted:WeightedScorer", FULL, {})
    doubled = scored(seeded, "services.scorers.doubled:Doubled", FULL, {})
    assert ours.value
    assert doubled.value == 2 * ours.value
    assert doubled.details == {"same": True}


def test_an_import_inside_the_method_works(seeded: Sandbox) -> None:
    assert scored(seeded, "scorers.late:Late", {"rating": 4}, {}).value == 4.0


def test_services_has_no_other_modules(seeded: Sandbox) -> None:
    error = scored(seeded, "scorers.wants:Wants", {}, {}).error
    assert error is not None
    assert error.code == "not_installed"
    assert "services" in error.message


def test_the_operators_own_package_services_comes_first(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    write(tmp_path / "services" / "challenge_scorer_protocol.py", "ScoringResult = list\n")
    write(
        tmp_path / "own" / "mine.py",
        "from services.challenge_scorer_protocol import ScoringResult\n\n"
        "class Mine:\n    def score(self, metrics, config, ctx):\n"
        "        return {'score': float(ScoringResult is list)}\n",
    )
    settings = SandboxSettings(packages=("own",), path=(str(tmp_path),))
    with Sandbox(settings) as sandbox:
        assert scored(sandbox, "own.mine:Mine", {}, {}).value == 1.0


def test_the_command_tries_the_example(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text(json.dumps(FULL))
    (tmp_path / "c.json").write_text('{"multiplier": 2.0}')
    files = ("--metrics", str(tmp_path / "m.json"), "--config", str(tmp_path / "c.json"))
    done = subprocess.run(
        [sys.executable, "-m", "leaderboard.sandbox", "try", EXAMPLE, *files],
        cwd=PROJECT,
        env={**os.environ, "SCORER_PATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["score"] == 16.0
