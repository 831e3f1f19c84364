"""Metric scripts: what is accepted, how they are prepared, what becomes of a run."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from leaderboard.rules.metric_specs import SCRIPT, MetricSpec, parse_metrics
from leaderboard.rules.reductions import metric_values
from leaderboard.rules.rewards import Evidence, Lines, Sample
from leaderboard.sandbox import SandboxError
from leaderboard.services import sandboxes, scripts, uv
from leaderboard.services.plugin_metrics import reduce_of
from leaderboard.services.script_headers import HeaderError, read_header
from leaderboard.services.scripts import (
    Prepared,
    ScriptFailed,
    ScriptRefused,
    prepare_script,
    run_script,
    script_of,
    why_unavailable,
)

PAGE = Path(__file__).parents[2] / "docs" / "metrics.md"
SEED = Path(__file__).parents[1] / "seeds" / "harbor_uv_script.json"
VECTORS: list[dict[str, Any]] = json.loads(SEED.read_text())["vectors"]

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
"""The example of Harbor's documentation, as it stands there."""

TEMPLATE = (
    EXAMPLE.partition("# ///\n")[2]
    .replace("import numpy as np\n", "")
    .replace("np.mean(rewards)", "sum(rewards) / len(rewards) if rewards else 0")
)
"""The script that Harbor gives to start from: the example without numpy."""

COUNT = "import json, sys\njson.dump({'n': len(list(open(sys.argv[2])))}, open(sys.argv[4], 'w'))\n"


@pytest.fixture(autouse=True)
def data_dir(settings: Any) -> Iterator[Path]:
    """Scripts are on. Not under pytest's own folder, which is closed to the scripts' user."""
    folder = Path(tempfile.mkdtemp(prefix="podium-data-"))
    folder.chmod(0o711)
    settings.DATA_DIR, settings.METRIC_SCRIPTS = folder, True
    sandboxes.close_sandboxes()
    yield folder
    sandboxes.close_sandboxes()
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def numpy_dir() -> Iterator[Path]:
    """Where numpy is installed once for several tests."""
    folder = Path(tempfile.mkdtemp(prefix="podium-data-"))
    folder.chmod(0o711)
    yield folder
    shutil.rmtree(folder)


def lines_of(*rows: dict[str, float] | None) -> Lines:
    return Lines(list(rows), len(rows), len(rows), rows.count(None))


def header(*lines: str) -> str:
    return "\n".join(["# /// script", *(f"# {line}" for line in lines), "# ///", ""])


def refused(text: str) -> ScriptRefused:
    with pytest.raises(ScriptRefused) as caught:
        prepare_script(text)
    return caught.value


def prepared_or_skip(text: str) -> Prepared:
    """A script that needs packages, unless there are none to be had here."""
    try:
        return prepare_script(text)
    except ScriptRefused as error:
        if "Failed to fetch" in error.detail or "error sending request" in error.detail:
            pytest.skip(f"the registry of packages is out of reach: {error.detail}")
        raise


# What they compute


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_harbor_computes_alike(vector: dict[str, Any]) -> None:
    given = vector["input"]
    text = TEMPLATE if given["script"] == "harbor template metric.py" else given["script"]
    found = run_script(prepare_script(text), lines_of(*given["rewards"]))
    assert found == pytest.approx(vector["expected"]["value"], abs=vector["tolerance"])


def test_the_example_runs(numpy_dir: Path, settings: Any) -> None:
    settings.DATA_DIR = numpy_dir
    prepared = prepared_or_skip(EXAMPLE)
    assert "numpy==2.3.4" in prepared.said
    rows = ({"reward": 1.0}, {"reward": 0.0}, {"reward": 1.0}, {"reward": 0.5}, None)
    assert run_script(prepared, lines_of(*rows)) == {"mean": 0.5}
    with pytest.raises(ScriptFailed, match="Expected exactly one key") as caught:
        run_script(prepared, lines_of({"a": 1, "b": 2}))
    assert (caught.value.code, "Traceback" in caught.value.detail) == ("exception", True)
    assert str(prepared.folder) not in str(caught.value)


@pytest.mark.slow
def test_a_run_costs_at_most_twice_the_bare_interpreter(numpy_dir: Path, settings: Any) -> None:
    """Medians of runs that take turns, so that a busy machine slows down both alike."""
    settings.DATA_DIR = numpy_dir
    prepared = prepared_or_skip(EXAMPLE)
    rows = lines_of(*({"reward": number / 100} for number in range(100)))
    run_script(prepared, rows)
    with tempfile.TemporaryDirectory() as folder:
        given, asked = Path(folder, "rewards.jsonl"), Path(folder, "metric.json")
        given.write_text("".join(json.dumps(row) + "\n" for row in rows.rows))
        files = ["-i", str(given), "-o", str(asked)]
        bare = [str(prepared.folder / "env/bin/python"), str(prepared.folder / "script.py"), *files]
        ours: list[float] = []
        theirs: list[float] = []
        for _ in range(7):
            started = time.perf_counter()
            run_script(prepared, rows)
            between = time.perf_counter()
            subprocess.run(bare, check=True)
            ours.append(between - started)
            theirs.append(time.perf_counter() - between)
    print(f"sandbox {median(ours) * 1000:.0f} ms, bare {median(theirs) * 1000:.0f} ms")
    assert median(ours) <= 2 * median(theirs)


def test_the_example_of_the_page_runs() -> None:
    (text,) = re.findall(r"^```python\n(.+?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    prepared = prepared_or_skip(text)
    rows = ({"reward": 1.0}, {"reward": 0.0}, None, {"reward": 0.5})
    assert run_script(prepared, lines_of(*rows)) == {"low": 0.0, "high": 0.625}


def test_a_script_is_a_metric_among_others() -> None:
    several = (
        "import json, sys\n"
        "json.dump({'low': 1, 'high': 2.5, 'none': None}, open(sys.argv[4], 'w'))\n"
    )
    specs = parse_metrics(
        [
            "mean",
            {"type": SCRIPT, "name": "count", "kwargs": {"script": COUNT}},
            {"type": SCRIPT, "name": "range", "kwargs": {"script": several}},
            {"type": SCRIPT, "name": "broken", "kwargs": {"script": "raise ValueError('odd')"}},
            {"type": SCRIPT, "name": "strange", "kwargs": {"script": header("x = 1") + COUNT}},
        ]
    )
    evidence = Evidence([Sample("a", 0, {"reward": 1}), Sample("b", 0, None)])
    values = metric_values(evidence, specs, reduce_of, script_of)
    assert {key: value["value"] for key, value in values.items() if not value["error"]} == {
        "mean": 0.5,
        "count": 2.0,
        "range:low": 1.0,
        "range:high": 2.5,
        "range:none": None,
    }
    assert (values["count"]["defined"], values["count"]["total"]) == (1, 2)
    errors = {key: value["error"] for key, value in values.items() if value["error"]}
    assert errors == {
        "broken": {"code": "exception", "message": "The script stopped: ValueError: odd"},
        "strange": {"code": "load_error", "message": "The header has an unknown field 'x'."},
    }


def test_a_run_has_a_limit_of_its_own() -> None:
    prepared = prepare_script("while True: pass")
    assert scripts.RUN_TIMEOUT_MS == 60_000
    with pytest.raises(ScriptFailed, match=r"The script took longer than 0\.5 s") as caught:
        run_script(prepared, lines_of(None), timeout_ms=500)
    assert caught.value.code == "timeout"


# Preparing


def test_turned_off_says_so_plainly(settings: Any) -> None:
    prepare_script(COUNT)
    settings.METRIC_SCRIPTS = False
    assert why_unavailable() == str(refused(COUNT))
    assert "METRIC_SCRIPTS=on" in why_unavailable()
    assert refused(COUNT).code == "not_installed"
    with pytest.raises(ScriptRefused, match="turned off"):
        script_of(MetricSpec(SCRIPT, SCRIPT, kwargs={"script": COUNT}))


def test_without_uv_the_line_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert refused(COUNT).code == "not_installed"
    assert "python -m pip install uv" in str(refused(COUNT))


def test_a_prepared_script_needs_neither_uv_nor_preparing(monkeypatch: pytest.MonkeyPatch) -> None:
    prepared = prepare_script(COUNT)
    with monkeypatch.context() as patched:
        patched.setattr(sys, "executable", "/nowhere/python")
        assert "uv" in why_unavailable()
        assert prepare_script(COUNT) == prepared
        assert prepare_script(COUNT.replace("\n", "\r\n")) == prepared, "as a browser sends it"
    assert run_script(prepared, lines_of(None, None)) == {"n": 2}


def test_each_python_has_an_environment_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    prepared = prepare_script(COUNT)
    monkeypatch.setattr(scripts, "_PYTHON", "/usr/bin/python3.99 3.99.0")
    assert prepare_script(COUNT).folder != prepared.folder


def test_what_has_been_deleted_is_prepared_again() -> None:
    for _ in range(2):
        prepared = prepare_script(COUNT)
        assert run_script(prepared, lines_of(None)) == {"n": 1}
        shutil.rmtree(prepared.folder)


def test_many_may_prepare_the_same_script_at_once(data_dir: Path) -> None:
    with ThreadPoolExecutor(4) as threads:
        found = set(threads.map(prepare_script, [COUNT] * 4))
    assert len({prepared.folder for prepared in found}) == 1
    assert [path.name for path in (data_dir / "scripts").iterdir()] == [found.pop().folder.name]


def test_a_failure_leaves_nothing_behind(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UV_OFFLINE", "1")
    text = header('dependencies = ["no-such-package-of-anybody"]') + COUNT
    error = refused(text)
    assert error.code == "not_installed"
    assert "no-such-package-of-anybody" in str(error)
    assert "no-such-package-of-anybody" in error.detail
    assert list((data_dir / "scripts").iterdir()) == []


def test_what_a_killed_process_has_left_is_cleared_away(data_dir: Path) -> None:
    prepare_script(COUNT)
    left, busy = data_dir / "scripts" / ".preparing-left", data_dir / "scripts" / ".preparing-busy"
    for folder in (left, busy):
        folder.mkdir()
    os.utime(left, (0, 0))
    prepare_script(f"# another\n{COUNT}")
    assert (left.exists(), busy.exists()) == (False, True)


def test_a_script_that_cannot_be_prepared_is_tried_again_after_a_minute(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tried: list[str] = []

    def refuse(text: str) -> Prepared:
        tried.append(text)
        raise ScriptRefused("not_installed", "no such package")

    monkeypatch.setattr(scripts, "prepare_script", refuse)
    for _ in range(3):
        with pytest.raises(ScriptRefused, match="no such package"):
            script_of(MetricSpec(SCRIPT, SCRIPT, kwargs={"script": COUNT}))
    assert tried == [COUNT]


def test_where_the_sandbox_cannot_work_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise SandboxError("no zygote")

    prepared = prepare_script(COUNT)
    monkeypatch.setattr(sandboxes, "run_script", refuse)
    with pytest.raises(ScriptFailed, match="at the moment") as caught:
        run_script(prepared, lines_of(None))
    assert caught.value.detail == "no zygote"


def wheel(folder: Path, name: str, files: dict[str, str]) -> None:
    about = f"{name}-1.0.dist-info"
    described = {
        f"{about}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{path},,\n" for path in [*files, *described, f"{about}/RECORD"])
    with zipfile.ZipFile(folder / f"{name}-1.0-py3-none-any.whl", "w") as archive:
        for path, text in {**files, **described, f"{about}/RECORD": record}.items():
            archive.writestr(path, text)


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of packages in the place of an index, as an operator would name it."""
    monkeypatch.setenv("UV_FIND_LINKS", str(tmp_path))
    monkeypatch.setenv("UV_NO_INDEX", "1")
    return tmp_path


def test_dependencies_are_there_and_nothing_of_them_has_run(wheels: Path, data_dir: Path) -> None:
    mark = data_dir / "mark"
    files = {
        "sevens.py": "SEVEN = 7\n",
        "sevens_start.pth": f"import pathlib; pathlib.Path({str(mark)!r}).touch()\n",
        "broken.py": "this does not compile\n",
    }
    wheel(wheels, "sevens", files)
    use = (
        "import json, sys\n"
        "from sevens import SEVEN\n"
        "json.dump({'n': SEVEN}, open(sys.argv[4], 'w'))\n"
    )
    prepared = prepare_script(header('dependencies = ["sevens>=1"]') + use)
    assert not mark.exists()
    assert "sevens==1.0" in prepared.said
    assert list(prepared.folder.rglob("sevens.*.pyc")), "compiled, for nobody may write there later"
    assert run_script(prepared, lines_of(None)) == {"n": 7}


def test_nothing_is_built(wheels: Path, data_dir: Path) -> None:
    source = data_dir / "builds-1.0"
    source.mkdir()
    mark = data_dir / "mark"
    (source / "setup.py").write_text(f"open({str(mark)!r}, 'w')\n")
    (source / "PKG-INFO").write_text("Metadata-Version: 2.1\nName: builds\nVersion: 1.0\n")
    with tarfile.open(wheels / "builds-1.0.tar.gz", "w:gz") as archive:
        archive.add(source, "builds-1.0")
    error = refused(header('dependencies = ["builds"]') + COUNT)
    assert error.code == "not_installed"
    assert not mark.exists()


def test_uv_sees_nothing_of_the_environment_but_the_way_to_packages(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_KEY", "hunter2")
    monkeypatch.setenv("UV_INDEX", "https://packages.example.org/simple")
    seen = uv._environment(data_dir / "cache")
    assert "SECRET_KEY" not in seen
    assert seen["UV_INDEX"] == "https://packages.example.org/simple"
    assert seen["UV_PYTHON_DOWNLOADS"] == "never"


def test_uv_that_does_not_end_is_ended(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = data_dir / "bin" / "uv"
    slow.parent.mkdir()
    slow.write_text("#!/bin/sh\nsleep 600 &\nwait\n")
    slow.chmod(0o755)
    monkeypatch.setattr(uv, "find_uv", lambda: str(slow))
    monkeypatch.setattr(uv, "PREPARE_SECONDS", 0.3)
    started = time.monotonic()
    assert "took longer than 0.3 s" in str(refused(COUNT))
    assert time.monotonic() - started < 10


# Headers


def test_a_header_is_read() -> None:
    python = f">={sys.version_info[0]}.{sys.version_info[1]}"
    text = header(
        f'requires-python = "{python}"',
        "dependencies = [",
        '  "numpy==2.3.4",',
        "  \"rich[jupyter]>13,<14; python_version > '3.8'\",",
        "]",
        "[tool.black]",
        "line-length = 100",
    )
    assert read_header(text).dependencies == (
        "numpy==2.3.4",
        'rich[jupyter]<14,>13; python_version > "3.8"',
    )
    assert read_header("print()").dependencies == ()


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["[tool.uv]", 'index-url = "https://evil.invalid"'], "[tool.uv]"),
        (["[tool.uv.sources]"], "[tool.uv]"),
        (['tool = "uv"'], "[tool.uv]"),
        (['dependencies = ["evil @ https://evil.invalid/evil.whl"]'], "names a place"),
        (['dependencies = ["evil @ git+https://evil.invalid/evil"]'], "names a place"),
        (['dependencies = ["evil @ file:///tmp/evil"]'], "names a place"),
        (['dependencies = ["./evil"]'], "no package by name"),
        (['dependencies = ["/tmp/evil.whl"]'], "no package by name"),
        (['dependencies = ["https://evil.invalid/evil.whl"]'], "no package by name"),
        (['dependencies = ["git+https://evil.invalid/evil"]'], "no package by name"),
        (['dependencies = ["--index-url=https://evil.invalid"]'], "no package by name"),
        (['dependencies = ["-e ."]'], "no package by name"),
        (['dependencies = ["a\\nb"]'], "no package by name"),
        (['dependencies = "numpy"'], "must be a list"),
        (["dependencies = [1]"], "must be a list"),
        ([f"dependencies = {['a'] * 101}"], "at most 100"),
        (["dependencies = ["], "no TOML"),
        (["name = 'x'"], "unknown field 'name'"),
        (["requires-python = 'soon'"], "no version specifier"),
        (["requires-python = 3"], "no version specifier"),
    ],
)
def test_a_header_that_is_not_accepted_says_why(lines: list[str], said: str) -> None:
    with pytest.raises(HeaderError) as caught:
        read_header(header(*lines) + COUNT)
    assert said in str(caught.value)


def test_another_python_is_not_installed() -> None:
    error = refused(header('requires-python = ">=3.99"') + COUNT)
    assert error.code == "not_installed"
    assert str(error).startswith("The script requires Python >=3.99, and this server has 3.")


def test_two_headers_are_refused() -> None:
    empty = header("dependencies = []")
    assert "more than one header" in str(refused(f"{empty}\n{empty}{COUNT}"))


def test_a_header_without_an_end_is_refused() -> None:
    assert "ends with '# ///'" in str(refused("# /// script\n# dependencies = []\n" + COUNT))


def test_another_script_is_out_of_sight() -> None:
    secret = prepare_script("secret = 42\n")
    prying = f"open({str(secret.folder / 'script.py')!r})\n"
    report = sandboxes.sandbox("scripts").report()
    if "landlock" not in report.layers:
        pytest.skip(f"this host lacks Landlock: {report.missing}")
    with pytest.raises(ScriptFailed, match=r"PermissionError|FileNotFoundError"):
        run_script(prepare_script(prying), lines_of(None))
    assert os.path.exists(secret.folder / "script.py")
