"""What the author of a plugin learns by trying it: where it was, what was refused, which task."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from leaderboard.sandbox.__main__ import main
from tests.plugin_files import folder_with

PACKAGE = {
    "tried/__init__.py": "",
    "tried/scorers.py": """
import socket
import subprocess
import time
import urllib.request

import numpy as np


class Sleeps:
    def score(self, metrics, config, ctx):
        return self.innermost()

    def innermost(self):
        time.sleep(60)


class Backtracks:
    def score(self, metrics, config, ctx):
        import re
        re.match("(a+)+$", "a" * 60 + "b")


class Opens:
    def score(self, metrics, config, ctx):
        if metrics["of"] == "url":
            urllib.request.urlopen("http://example.org/")
        if metrics["of"] == "socket":
            socket.socket().connect(("192.0.2.1", 80))
        if metrics["of"] == "wrapped":
            try:
                socket.create_connection(("192.0.2.1", 80))
            except OSError as error:
                raise RuntimeError("no answer") from error
        if metrics["of"] == "program":
            subprocess.run(["ls"])
        if metrics["of"] == "own":
            raise OSError("my own words")
        open(metrics["of"])


class Numpy:
    def score(self, metrics, config, ctx):
        value = getattr(np, metrics["kind"])(1)
        return {"score": value, "details": {"value": value, "inside": [value]}}
""",
    "tried/rewards.py": '''
"""Metrics."""

import time


class Lowest:
    """The lowest mean."""

    name = "lowest"

    def compute(self, task_rewards):
        print("tasks:", len(task_rewards))
        return min(sum(rewards) / len(rewards) for rewards in task_rewards)


class Hangs:
    """Hangs on three samples."""

    name = "hangs"

    def compute(self, task_rewards):
        if any(len(rewards) == 3 for rewards in task_rewards):
            time.sleep(60)
        return 1.0


class AtLeast:
    """Numbered."""

    name = "at_least@K"

    def compute(self, task_rewards):
        return float(self.k)
''',
    "tried/texts.py": '''
class Length:
    """The length."""

    id = "LENGTH"
    averaged = True

    def evaluate(self, instances, parameters):
        results = [len(each.output) + 100 * len(each.references[0]) for each in instances]
        return {"score": {"length": sum(results) / len(results)}, "results": results}
''',
}
SCRIPT = """
import argparse, json, time
parser = argparse.ArgumentParser()
parser.add_argument("-i")
parser.add_argument("-o")
given = parser.parse_args()
rewards = [json.loads(line)["reward"] for line in open(given.i)]
print("rewards:", len(rewards))
if len(rewards) == 3:
    time.sleep(60)
json.dump({"mean": sum(rewards) / len(rewards)}, open(given.o, "w"))
"""


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with folder_with(PACKAGE) as path:
        yield path


class Try:
    """`python -m leaderboard.sandbox try` in this process."""

    def __init__(self, folder: Path, files: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self._environment = {
            "SCORER_PATH": str(folder),
            "SCORER_PACKAGES": "tried",
            "DATA_DIR": str(files / "data"),
        }
        self._files, self._capsys = files, capsys
        self.errors = ""

    def __call__(self, *arguments: str, **contents: Any) -> dict[str, Any]:
        """The printed object; {} if nothing was tried. contents: of files, by option."""
        options = [*arguments]
        for name, content in contents.items():
            file = self._files / name
            file.write_text(content if isinstance(content, str) else json.dumps(content))
            options += [f"--{name}", str(file)]
        status = main(["try", *options], self._environment)
        printed = self._capsys.readouterr()
        self.errors = printed.err
        tried: dict[str, Any] = json.loads(printed.out) if printed.out else {}
        assert status == (2 if not tried else int(tried["error"] is not None)), printed.err
        return tried


@pytest.fixture
def tries(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Try:
    return Try(folder, tmp_path, capsys)


@pytest.mark.parametrize(("name", "where"), [("Sleeps", "innermost"), ("Backtracks", "score")])
def test_a_timeout_says_where_the_code_was(tries: Try, name: str, where: str) -> None:
    tried = tries(f"tried.scorers:{name}", "--timeout-ms", "2000", metrics={})
    assert tried["error"]["code"] == "timeout"
    assert f" in {where}" in tries.errors
    assert "tried/scorers.py" in tries.errors
    assert "leaderboard/sandbox" not in tries.errors
    assert tried["output"] == ""


def test_a_refusal_says_what_the_sandbox_has_refused(tries: Try) -> None:
    for of, reason in {
        "url": "no network",
        "socket": "no network",
        "wrapped": "no network",
        "program": "no other programs",
        "/etc/shadow": "read only its own package",
        "data.json": "read only its own package",
    }.items():
        message = tries("tried.scorers:Opens", metrics={"of": of})["error"]["message"]
        assert reason in message, of
        assert "/etc" not in message
    own = tries("tried.scorers:Opens", metrics={"of": "own"})["error"]["message"]
    assert own == "The scorer stopped with OSError."


def test_scalars_of_numpy_are_numbers(tries: Try) -> None:
    for kind in ("float64", "float32", "float16", "longdouble", "int64", "uint8"):
        tried = tries("tried.scorers:Numpy", metrics={"kind": kind})
        assert (tried["score"], tried["details"]) == (1.0, {"value": 1, "inside": [1]}), kind
    for kind in ("bool_", "str_", "complex128"):
        tried = tries("tried.scorers:Numpy", metrics={"kind": kind})
        assert tried["error"]["code"] == "invalid_result", kind


def test_a_metric_of_rewards_can_be_tried(tries: Try) -> None:
    rewards = {"a": [1, 0], "b": [0.25, None], "c": [{"reward": 1, "style": 0}]}
    tried = tries("tried.rewards:Lowest", rewards=rewards)
    assert (tried["value"], tried["failing_task"]) == (0.125, None)
    assert tried["output"] == "tasks: 3\n"
    assert tries("tried.rewards:Lowest", rewards={"task_rewards": rewards})["value"] == 0.125
    tried = tries("tried.rewards:Lowest", rewards={**rewards, "d": []})
    assert (tried["error"]["code"], tried["failing_task"]) == ("exception", "d")
    assert "ZeroDivisionError" in tries.errors
    tried = tries("tried.rewards:Hangs", "--timeout-ms", "2000", rewards=[[1], [1, 1, 1]])
    assert (tried["error"]["code"], tried["failing_task"]) == ("timeout", "task 2")
    assert " in compute" in tries.errors
    assert tries("tried.rewards:AtLeast", "--k", "3", rewards=[[1]])["value"] == 3.0
    cases: list[Any] = [{}, [], {"a": 1}, {"a": ["x"]}, {"a": [True]}]
    for wrong in cases:
        assert tries("tried.rewards:Lowest", rewards=wrong) == {}
        assert "must be" in tries.errors


def test_a_metric_script_can_be_tried(tries: Try) -> None:
    pytest.importorskip("uv")
    tried = tries(script=SCRIPT, rewards={"a": [1, 0.5]})
    assert tried["values"] == {"mean": 0.75}
    assert tried["output"] == "rewards: 2\n"
    tried = tries(script=SCRIPT, rewards={"a": [1], "b": [None]})
    assert (tried["error"]["code"], tried["failing_task"]) == ("exception", "b")
    assert "TypeError" in tries.errors
    tried = tries("--timeout-ms", "6000", script=SCRIPT, rewards=[[1], [1, 1]])
    assert (tried["error"]["code"], tried["failing_task"]) == ("timeout", None)
    assert "script.py" in tries.errors
    assert tries(script=SCRIPT, metrics={}) == {}


def test_instances_have_the_names_that_a_text_metric_sees(tries: Try) -> None:
    by_attribute = [{"id": 1, "input": "q", "output": "ab", "references": ["xyz"]}]
    by_field = [{"id": 1, "input": "q", "actual-output": "ab", "expected-output": "xyz"}]
    mixed = {"instances": [{"id": 1, "outputs": ["ab"], "expected-output": ["xyz"]}]}
    for instances in (by_attribute, by_field, mixed):
        assert tries("tried.texts:Length", instances=instances)["score"] == {"length": 302.0}
    cases: list[Any] = [[], [{"id": 1}], [{"id": 1, "answer": "ab"}], {"instances": []}, {}]
    for wrong in cases:
        assert tries("tried.texts:Length", instances=wrong) == {}, wrong
        assert tries.errors
