"""The hostile table and the report, for a user without pytest: prints one JSON object.

Started by `test_hostile.py` as another user.
"""

import json
import os
import sys
import tempfile
from pathlib import Path

from leaderboard.sandbox import Sandbox, SandboxSettings
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
    found = {
        "uid": os.getuid(),
        "cases": len(cases.ALL) + len(scripts.ALL),
        "wrong": wrong,
        "open": [threat.name for threat in report.threats if threat.enforced is False],
        "missing": report.missing,
    }
    sys.stdout.write(json.dumps(found))


def run_scripts() -> dict[str, str]:
    """The table of metric scripts; what is wrong, by the script."""
    with tempfile.TemporaryDirectory() as folder:
        parent = Path(folder)
        scripts.folder_of(parent, "other", "secret = 1")
        with Sandbox(scripts.settings_for(parent)) as sandbox:
            found = {
                str(script): scripts.problem_with(scripts.run(sandbox, parent, script), script)
                for script in scripts.ALL
            }
    return {name: problem for name, problem in found.items() if problem}


if __name__ == "__main__":
    main()
