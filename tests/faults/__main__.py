"""`python -m tests.faults [PYTEST ARGUMENTS]`: run all faults and write their figures to
docs/reliability.md. FAULT_SEED repeats the random choices of an earlier run."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.faults.page import PAGE, faults_of, with_figures
from tests.processes import ROOT


def main(arguments: list[str]) -> int:
    with tempfile.TemporaryDirectory() as folder:
        figures = Path(folder, "figures")
        command = [sys.executable, "-m", "pytest", "-m", "faults", "tests/faults", *arguments]
        environment = os.environ | {"FAULT_FIGURES": str(figures)}
        code = subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode
        if code == 0:
            records = [json.loads(line) for line in figures.read_text().splitlines()]
            PAGE.write_text(with_figures(PAGE.read_text(), records))
            if untried := faults_of(PAGE.read_text()) - {record["fault"] for record in records}:
                print("named in docs/reliability.md and not tried:", *sorted(untried), sep="\n")
                return 1
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
