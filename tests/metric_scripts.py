"""Metric scripts for tests, and the packages that they depend on."""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from leaderboard.rules.rewards.metric_inputs import ScriptInput
from leaderboard.sandbox.scripts import uv
from leaderboard.services.plugins import sandboxes
from leaderboard.services.scripts.prepare import Prepared, ScriptRefused, prepare_script

EXAMPLE = """# /// script
# dependencies = [
#     "numpy==2.3.4",
# ]
# ///
import argparse
import json
from pathlib import Path

import numpy as np


def main(input_path: Path, output_path: Path):
    rewards = []

    for line in input_path.read_text().splitlines():
        reward = json.loads(line)
        if reward is None:
            rewards.append(0)
        elif len(reward) != 1:
            raise ValueError(
                f"Expected exactly one key in reward dictionary, got {len(reward)}"
            )
        else:
            rewards.extend(reward.values())

    result = np.mean(rewards)
    output_path.write_text(json.dumps({"mean": result}))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument(
        "-i",
        "--input-path",
        type=Path,
        required=True,
        help="Path to a jsonl file containing rewards, one json object per line.",
    )
    parser.add_argument(
        "-o",
        "--output-path",
        type=Path,
        required=True,
        help="Path to a json file where the metric will be written as a json object.",
    )
    args = parser.parse_args()
    main(args.input_path, args.output_path)
"""
"""The example in Harbor's documentation, unchanged."""

TEMPLATE = (
    EXAMPLE.partition("# ///\n")[2]
    .replace("import numpy as np\n", "")
    .replace("np.mean(rewards)", "sum(rewards) / len(rewards) if rewards else 0")
)
"""Harbor's template for a script: the example without numpy."""

COUNT = "import json, sys\njson.dump({'n': len(list(open(sys.argv[2])))}, open(sys.argv[4], 'w'))\n"

SEVENS = """# /// script
# dependencies = ["sevens>=1"]
# ///
import json, sys
from sevens import SEVEN
json.dump({'n': SEVEN}, open(sys.argv[4], 'w'))
"""
"""A script that depends on a package that only `wheel_of_sevens` provides."""


@contextmanager
def scripts_turned_on(settings: Any) -> Iterator[Path]:
    """Turn scripts on; yield a new DATA_DIR outside pytest's folder, which the scripts' user cannot
    enter."""
    folder = Path(tempfile.mkdtemp(prefix="podium-data-"))
    folder.chmod(0o711)
    settings.DATA_DIR, settings.METRIC_SCRIPTS = folder, True
    sandboxes.close_sandboxes()
    yield folder
    sandboxes.close_sandboxes()
    shutil.rmtree(folder)


def lines_of(*rows: dict[str, float] | None) -> ScriptInput:
    return ScriptInput(list(rows), len(rows), len(rows), rows.count(None))


def header(*lines: str) -> str:
    return "\n".join(["# /// script", *(f"# {line}" for line in lines), "# ///", ""])


def refused(text: str) -> ScriptRefused:
    with pytest.raises(ScriptRefused) as caught:
        prepare_script(text)
    return caught.value


def prepared_or_skip(text: str) -> Prepared:
    """Prepare a script that needs packages; skip the test if no packages can be downloaded."""
    try:
        return prepare_script(text)
    except ScriptRefused as error:
        if "Failed to fetch" in error.detail or "error sending request" in error.detail:
            pytest.skip(f"the registry of packages is out of reach: {error.detail}")
        raise


def wheel(folder: Path, name: str, files: dict[str, str], version: str = "1.0") -> None:
    about = f"{name}-{version}.dist-info"
    described = {
        f"{about}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{path},,\n" for path in [*files, *described, f"{about}/RECORD"])
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as archive:
        for path, text in {**files, **described, f"{about}/RECORD": record}.items():
            archive.writestr(path, text)


def wheel_of_sevens(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a folder with the package sevens that serves as the package index."""
    only_from(folder, monkeypatch)
    wheel(folder, "sevens", {"sevens.py": "SEVEN = 7\n"})


def only_from(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UV_FIND_LINKS", str(folder))
    monkeypatch.setenv("UV_NO_INDEX", "1")


class Gate:
    """A uv that waits before it installs until the gate is opened. It counts its installations."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._open, self._calls = folder / "open", folder / "calls"
        program = folder / "uv"
        program.write_text(
            "#!/bin/sh\n"
            f'case "$*" in *" pip install "*) echo x >> {self._calls}; echo "At the gate" >&2;\n'
            f"while [ ! -e {self._open} ]; do sleep 0.02; done;; esac\n"
            f'exec {uv.find_uv()} "$@"\n'
        )
        program.chmod(0o755)
        monkeypatch.setattr(uv, "find_uv", lambda: str(program))

    def open(self) -> None:
        self._open.touch()

    @property
    def calls(self) -> int:
        return len(self._calls.read_text().splitlines()) if self._calls.exists() else 0
