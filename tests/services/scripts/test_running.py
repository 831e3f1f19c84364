"""Running metric scripts: their values and their failures."""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from leaderboard.rules.rewards.evidence import RewardEvidence, Sample
from leaderboard.rules.rewards.reducible import SCRIPT
from leaderboard.rules.rewards.reductions import metric_values
from leaderboard.sandbox import SandboxError
from leaderboard.schemas.metrics import parse_metrics
from leaderboard.services.plugins import sandboxes
from leaderboard.services.plugins.metric_registry import reduce_of
from leaderboard.services.scripts import prepare, running
from leaderboard.services.scripts.prepare import Prepared, ScriptRefused, prepare_script
from leaderboard.services.scripts.running import ScriptFailed, run_script, script_of
from tests.metric_scripts import COUNT, EXAMPLE, TEMPLATE, header, lines_of, prepared_or_skip

pytestmark = pytest.mark.usefixtures("scripts_dir")

PAGE = Path(__file__).parents[3] / "docs" / "metrics.md"
SEED = Path(__file__).parents[2] / "seeds" / "harbor_uv_script.json"
VECTORS: list[dict[str, Any]] = json.loads(SEED.read_text())["vectors"]


@pytest.fixture(scope="module")
def numpy_dir() -> Iterator[Path]:
    """Yield a data folder in which numpy is installed once for several tests."""
    folder = Path(tempfile.mkdtemp(prefix="podium-data-"))
    folder.chmod(0o711)
    yield folder
    shutil.rmtree(folder)


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_scripts_give_the_same_values_as_harbor(vector: dict[str, Any]) -> None:
    inputs = vector["input"]
    text = TEMPLATE if inputs["script"] == "harbor template metric.py" else inputs["script"]
    values = run_script(prepare_script(text), lines_of(*inputs["rewards"]))
    assert values == pytest.approx(vector["expected"]["value"], abs=vector["tolerance"])


@pytest.mark.slow
def test_the_example_runs(numpy_dir: Path, settings: Any) -> None:
    settings.DATA_DIR = numpy_dir
    prepared = prepared_or_skip(EXAMPLE)
    assert "numpy==2.3.4" in prepared.messages
    rows = ({"reward": 1.0}, {"reward": 0.0}, {"reward": 1.0}, {"reward": 0.5}, None)
    assert run_script(prepared, lines_of(*rows)) == {"mean": 0.5}
    with pytest.raises(ScriptFailed, match="Expected exactly one key") as caught:
        run_script(prepared, lines_of({"a": 1, "b": 2}))
    assert (caught.value.code, "Traceback" in caught.value.detail) == ("exception", True)
    assert str(prepared.folder) not in str(caught.value)


def test_the_example_in_the_documentation_runs() -> None:
    (text,) = re.findall(r"^```python\n(.+?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    prepared = prepared_or_skip(text)
    rows = ({"reward": 1.0}, {"reward": 0.0}, None, {"reward": 0.5})
    assert run_script(prepared, lines_of(*rows)) == {"low": 0.0, "high": 0.625}


def test_a_script_works_beside_other_metrics() -> None:
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
    evidence = RewardEvidence([Sample("a", 0, {"reward": 1}), Sample("b", 0, None)])
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
    assert {key: error["code"] for key, error in errors.items()} == {
        "broken": "exception",
        "strange": "load_error",
    }
    assert "ValueError: odd" in errors["broken"]["message"]
    assert 'got "x"' in errors["strange"]["message"]


def test_a_run_has_its_own_timeout() -> None:
    prepared = prepare_script("while True: pass")
    assert running.RUN_TIMEOUT_MS == 60_000
    with pytest.raises(ScriptFailed, match=r"0\.5 s") as caught:
        run_script(prepared, lines_of(None), timeout_ms=500)
    assert caught.value.code == "timeout"


def test_a_script_that_cannot_be_prepared_is_tried_again_after_a_minute(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tried: list[str] = []

    def refuse(text: str) -> Prepared:
        tried.append(text)
        raise ScriptRefused("not_installed", "no such package")

    monkeypatch.setattr(running, "prepare_script", refuse)
    for _ in range(3):
        with pytest.raises(ScriptRefused, match="no such package"):
            script_of(parse_metrics([{"type": SCRIPT, "kwargs": {"script": COUNT}}])[0])
    assert tried == [COUNT]


def test_a_host_with_another_python_tries_a_refused_script(monkeypatch: pytest.MonkeyPatch) -> None:
    text = header('requires-python = "<3"') + COUNT
    (spec,) = parse_metrics([{"type": SCRIPT, "kwargs": {"script": text}}])
    with pytest.raises(ScriptRefused, match="Python"):
        script_of(spec)
    monkeypatch.setattr(prepare, "_PYTHON", "/usr/bin/python2.7 2.7.18")
    monkeypatch.setattr(running, "prepare_script", lambda text: Prepared(Path("/"), ""))
    script_of(spec)


def test_a_broken_sandbox_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise SandboxError("no zygote")

    prepared = prepare_script(COUNT)
    monkeypatch.setattr(sandboxes, "run_script", refuse)
    with pytest.raises(ScriptFailed, match="at the moment") as caught:
        run_script(prepared, lines_of(None))
    assert caught.value.detail == "no zygote"


def test_a_script_cannot_see_other_scripts() -> None:
    secret = prepare_script("secret = 42\n")
    prying = f"open({str(secret.folder / 'script.py')!r})\n"
    report = sandboxes.sandbox("scripts").report()
    if "landlock" not in report.layers:
        pytest.skip(f"this host lacks Landlock: {report.missing}")
    with pytest.raises(ScriptFailed, match=r"PermissionError|FileNotFoundError"):
        run_script(prepare_script(prying), lines_of(None))
    assert os.path.exists(secret.folder / "script.py")
