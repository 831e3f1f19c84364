"""Run the hostile table, a model and the report without pytest, and print one JSON object.

`test_hostile.py` starts it as another user.
"""

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from leaderboard.sandbox import Evaluated, Sandbox, SandboxSettings
from tests.sandbox import cases, scripts
from tests.sandbox.watching import RATING, processes, score, verdict

PLUGINS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "plugins")


def main() -> None:
    wrong: dict[str, str] = {}
    with Sandbox(SandboxSettings(packages=("hostile",), path=(PLUGINS,))) as sandbox:
        for case in cases.ALL:
            outcome = score(sandbox, case.entrypoint, case.config, case.timeout_ms)
            problem = verdict(outcome, case.expected)
            if len(processes(sandbox)) > 1:
                problem += " left processes behind"
            if score(sandbox, "hostile.good:Good").value != RATING * 10:
                problem += " harmed the next attempt"
            if problem:
                wrong[str(case)] = problem
        report = sandbox.report()
    wrong |= run_scripts()
    model, layers = read_a_model()
    summary = {
        "uid": os.getuid(),
        "cases": len(cases.ALL) + len(scripts.ALL),
        "wrong": wrong,
        "open": [threat.name for threat in report.threats if threat.enforced is False],
        "missing": report.missing,
        "layers": report.layers,
        "model": model,
        "lost": sorted(set(report.layers) - layers),
    }
    sys.stdout.write(json.dumps(summary))


def read_a_model() -> tuple[Any, frozenset[str]]:
    """Return what a text metric reads of a model, and the layers in force while it does."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        (Path(folder) / "small").mkdir()
        (Path(folder) / "small" / "config.json").write_text("{}")
        settings = SandboxSettings(packages=("hostile",), path=(PLUGINS,), models=(folder,))
        parameters = {"model_path": "small"}
        with (
            Sandbox(settings) as sandbox,
            sandbox.evaluating("hostile.text.modelled:Loads", parameters) as line,
        ):
            answer = line.evaluate([("1", "", ["out"], ["ref"])], timeout_ms=60_000)
            layers = frozenset() if line._child is None else line._child.layers
    return answer[2] if isinstance(answer, Evaluated) else answer, layers


def run_scripts() -> dict[str, str]:
    """Run the table of metric scripts; return each script's problem, "" if there is none."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        parent = Path(folder)
        scripts.folder_of(parent, "other", "secret = 1")
        with Sandbox(scripts.settings_for(parent)) as sandbox:
            problems = {
                str(script): scripts.problem_with(scripts.run(sandbox, parent, script), script)
                for script in scripts.ALL
            }
    return {name: problem for name, problem in problems.items() if problem}


if __name__ == "__main__":
    main()
