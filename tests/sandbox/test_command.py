"""`python -m leaderboard.sandbox`, as the author of a scorer runs it."""

import json
import os
import subprocess
import sys
from math import nan
from pathlib import Path
from typing import Any

import pytest

from leaderboard.sandbox.host.fork_servers import PROJECT
from tests.sandbox.conftest import PLUGINS

WEIGHTED = "scorers.weighted:WeightedScorer"


def run(*arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "leaderboard.sandbox", *arguments],
        cwd=PROJECT,
        env={
            **os.environ,
            "SCORER_PACKAGES": "scorers,hostile",
            "SCORER_PATH": PLUGINS,
            **settings,
        },
        capture_output=True,
        text=True,
        check=False,
    )


def written(folder: Path, contents: dict[str, Any]) -> dict[str, str]:
    """Write JSON files; return their paths by their names."""
    for name, content in contents.items():
        (folder / f"{name}.json").write_text(json.dumps(content))
    return {name: str(folder / f"{name}.json") for name in contents}


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    contents: dict[str, Any] = {
        "metrics": {"succeeded": True, "tokens_total": 1500, "elapsed_ms": 12500, "rating": 8},
        "config": {"rating_weight": 15.0, "time_penalty": 0.5, "token_penalty": 0.02},
        "ctx": {"challenge_id": "here"},
        "list": [1],
    }
    return written(tmp_path, {**contents, "torn": {"a": nan}})


def test_try_prints_one_json_object(files: dict[str, str]) -> None:
    done = run("try", WEIGHTED, "--metrics", files["metrics"], "--config", files["config"])
    assert (done.returncode, done.stderr) == (0, "")
    printed = json.loads(done.stdout)
    assert printed.pop("duration_ms") >= 0
    assert printed == {
        "score": 183.75,
        "raw_score": 183.75,
        "clamped": False,
        "details": {
            "base": 100.0,
            "rating_contribution": 120.0,
            "time_penalty": 6.25,
            "token_penalty": 30.0,
        },
        "error": None,
        "output": "",
    }


def test_try_passes_the_context_to_the_scorer(files: dict[str, str]) -> None:
    printed = json.loads(
        run(
            "try",
            "hostile.good:Echoes",
            "--metrics",
            files["metrics"],
            "--ctx",
            files["ctx"],
            "--timeout-ms",
            "60000",
        ).stdout
    )
    assert printed["details"]["ctx"] == {
        "tenant_id": "default",
        "app_id": "",
        "workflow_id": "",
        "challenge_id": "here",
        "end_user_id": None,
        "received_at": 0,
        "closes_at": None,
        "timeout_ms": 60_000,
    }


def test_a_failure_is_exit_code_1_with_the_traceback_for_the_author(files: dict[str, str]) -> None:
    done = run("try", "hostile.deaths:Raises", "--metrics", files["metrics"])
    assert done.returncode == 1
    error = json.loads(done.stdout)["error"]
    assert (error["code"], "FileNotFoundError" in error["message"]) == ("exception", True)
    assert "raise FileNotFoundError" in done.stderr


def test_the_timeout_is_read_from_the_setting_or_the_argument(files: dict[str, str]) -> None:
    loop = ("try", "hostile.endless:Loop", "--metrics", files["metrics"])
    for done in (run(*loop, SCORER_TIMEOUT_MS="200"), run(*loop, "--timeout-ms", "200")):
        assert done.returncode == 1
        error = json.loads(done.stdout)["error"]
        assert (error["code"], "0.2 s" in error["message"]) == ("timeout", True)


def test_invalid_input_is_exit_code_2(files: dict[str, str]) -> None:
    cases: list[tuple[str, tuple[str, ...], dict[str, str], str]] = [
        ("/nowhere/m.json", (), {}, "/nowhere/m.json: No such file"),
        ("list", (), {}, "not a JSON object"),
        ("torn", (), {}, "torn.json, a: must be a finite number"),
        ("metrics", ("--timeout-ms", "soon"), {}, "'soon'"),
        ("metrics", (), {"SCORER_TIMEOUT_MS": "0"}, "'0'"),
        ("metrics", (), {"SCORER_ISOLATION": "maybe"}, "SCORER_ISOLATION: one of require"),
        ("metrics", (), {"SCORER_PACKAGES": "a-b"}, "SCORER_PACKAGES"),
    ]
    for metrics, more, settings, message in cases:
        done = run("try", WEIGHTED, "--metrics", files.get(metrics, metrics), *more, **settings)
        assert (done.returncode, done.stdout) == (2, ""), message
        assert message.replace("require", "") in done.stderr.replace("require", ""), message


def test_the_report_has_a_line_for_each_threat() -> None:
    done = run("report", SCORER_ISOLATION="off")
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert "memory: blocked (rlimits)" in lines
    assert "missing: isolation is turned off" in lines


INSTANCES = [
    {"id": "a", "actual-output": "abcdef", "expected-output": "x"},
    {"id": 2, "input": "?", "actual-output": ["ab", "abcd"], "expected-output": ["x", "y"]},
    {"id": 3, "actual-output": "nothing to compare with"},
]
DOCUMENT = {"instances": INSTANCES, "metrics": [{"id": "bleu_nltk"}], "name": "kept"}


@pytest.fixture
def texts(tmp_path: Path) -> dict[str, str]:
    contents: dict[str, Any] = {
        "document": DOCUMENT,
        "list": INSTANCES,
        "parameters": {"times": 2},
        "wrong": [{"id": 1, "actual_output": "?"}],
        "none": {"metrics": []},
    }
    return written(tmp_path, contents)


def test_try_evaluates_instances(texts: dict[str, str]) -> None:
    length = "hostile.text.plain:Length"
    done = run("try", length, "--instances", texts["document"], "--parameters", texts["parameters"])
    assert (done.returncode, done.stderr) == (0, "")
    printed = json.loads(done.stdout)
    assert printed.pop("seconds") > 0
    assert printed == {
        "score": {"how": "counted", "length": 10.0},
        "results": {"a": 12.0, "2": 8.0, "3": None},
        "warnings": {"a": "long a", "2": "long 2"},
        "error": None,
        "output": "",
    }


def test_try_combines_instances_to_a_score(texts: dict[str, str]) -> None:
    done = run("try", "hostile.text.plain:Total", "--instances", texts["list"])
    assert json.loads(done.stdout)["score"] == {"total": 10.0, "blocks": 1.0}


def test_try_reports_why_instances_have_no_score(texts: dict[str, str]) -> None:
    done = run("try", "hostile.text.plain:Needy", "--instances", texts["list"])
    assert done.returncode == 1
    printed = json.loads(done.stdout)
    assert (printed["score"], printed["results"]) == (None, None)
    assert printed["error"]["code"] == "not_installed"


def test_try_refuses_a_file_that_is_no_evaluation(texts: dict[str, str]) -> None:
    cases: list[tuple[str, str]] = [
        ("wrong", "instances.0.actual_output: "),
        ("none", "instances: is required"),
        ("parameters", "instances: is required"),
    ]
    for name, message in cases:
        done = run("try", "hostile.text.plain:Length", "--instances", texts[name])
        assert (done.returncode, done.stdout) == (2, ""), name
        assert f"{name}.json: {message}" in done.stderr, name


def test_try_needs_facts_or_instances(files: dict[str, str], texts: dict[str, str]) -> None:
    with_both = run("try", WEIGHTED, "--metrics", files["metrics"], "--instances", texts["list"])
    for done in (run("try", WEIGHTED), with_both):
        assert done.returncode == 2
        assert "--metrics" in done.stderr
        assert "--instances" in done.stderr


def test_try_refuses_a_plugin_of_another_tenant(files: dict[str, str]) -> None:
    asked = ("try", WEIGHTED, "--metrics", files["metrics"])
    done = run(*asked, SCORER_TENANTS="scorers=acme|globex")
    assert done.returncode == 1
    error = json.loads(done.stdout)["error"]
    assert (error["code"], "another tenant" in error["message"]) == ("load_error", True)
    assert "--tenant" in done.stderr
    done = run(*asked, "--tenant", "globex", SCORER_TENANTS="scorers=acme|globex")
    assert done.returncode == 0, done.stderr


def test_an_invalid_binding_to_tenants_is_reported(files: dict[str, str]) -> None:
    done = run("try", WEIGHTED, "--metrics", files["metrics"], SCORER_TENANTS="acme")
    assert done.returncode == 2
    assert "SCORER_TENANTS: package=tenant" in done.stderr
    done = run("try", WEIGHTED, "--metrics", files["metrics"], SCORER_TENANTS="scorer=acme")
    assert done.returncode == 2
    assert "no package of plugins scorer" in done.stderr
