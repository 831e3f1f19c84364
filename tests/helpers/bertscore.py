"""The last part of `make test-all`: BERTScore, in a separate environment, with PyTorch.

`python -m tests.helpers.bertscore [PYTEST ARGUMENTS]`. If no CPU build of PyTorch is available, it
prints why and ends with 0; TORCH=any accepts any build.
"""

import json
import os
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
VENV = f"{Path(sys.prefix).name}-bertscore"  # each version of Python has its own
TORCH = "requirements-torch.txt"
TESTS = ["tests/scorers/text/test_bertscore.py"]
OF_CUDA = ("nvidia-", "cuda-", "triton")


def main(arguments: list[str]) -> int:
    """Return pytest's exit code, 0 if there is no PyTorch, or that of a failed installation."""
    print(f"== BERTScore, with PyTorch in {VENV}", flush=True)
    failed = make(f"{VENV}/bin/pip")
    if failed:
        return failed
    lend_what_is_here()
    why_not = "" if is_installed() else missing_torch()
    if why_not:
        print(f"BERTScore is not tested: {why_not}", flush=True)
        return 0
    return make("bertscore") or run("-m", "pytest", *TESTS, *arguments)


def lend_what_is_here() -> None:
    """Let the environment see the packages of this one: pip then installs only what is missing."""
    packages = Path(sysconfig.get_path("purelib", "venv", {"base": str(ROOT / VENV)}))
    (packages / "project.pth").write_text(sysconfig.get_path("purelib") + "\n")


def make(target: str) -> int:
    command = ["make", "--no-print-directory", f"VENV={VENV}", f"PYTHON={sys.executable}", target]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def run(*arguments: str) -> int:
    environment = os.environ | {"DATABASE_URL_TEST": ""}
    command = [python(), *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode


def python() -> str:
    return str(ROOT / VENV / "bin" / "python")


def is_installed() -> bool:
    return (ROOT / VENV / ".bertscore").exists() or os.environ.get("TORCH") == "any"


def missing_torch() -> str:
    """Return why PyTorch cannot be installed here, "" if it can."""
    pip = [python(), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    asked = subprocess.run(
        [*pip, "--dry-run", "--ignore-installed", "--report", "-", "--requirement", TORCH],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if asked.returncode:
        return (asked.stderr.strip().splitlines() or ["pip does not say why."])[-1]
    names = [package["metadata"]["name"] for package in json.loads(asked.stdout)["install"]]
    return too_large(names)


def too_large(names: Sequence[str]) -> str:
    """Return why these packages are too large to install, "" if they are not."""
    if not any(name.lower().startswith(OF_CUDA) for name in names):
        return ""
    return (
        "the package index has PyTorch with CUDA, which are gigabytes; set PIP_INDEX_URL to one "
        "that has it for the processor alone, or TORCH=any."
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
