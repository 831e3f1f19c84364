"""`manage.py evaluate`: HarpIA Lab's documents, without a database or a server."""

from __future__ import annotations

import io
import json
import os
import pty
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.cache import cache
from django.core.management import CommandError, call_command

from leaderboard.services.evaluation import documents, runs
from leaderboard.services.plugins import sandboxes
from tests.processes import MANAGE, ROOT
from tests.services.house import house

VECTORS = json.loads((ROOT / "tests" / "seeds" / "harpia_documents.json").read_text())["vectors"]
ROW = {"id": 1, "input": "q", "actual-output": "one two", "expected-output": "one"}


@pytest.fixture(scope="module", autouse=True)
def _in_house() -> Iterator[None]:
    with house():
        yield


@pytest.fixture
def evaluate(tmp_path: Path) -> Any:
    """Return a function that evaluates a document: the output document, the log lines, stderr."""

    def evaluated(document: Any, **options: Any) -> tuple[Any, list[Any], str]:
        source, output, log = (tmp_path / name for name in ("in.json", "out.json", "log.jsonl"))
        source.write_text(document if isinstance(document, str) else json.dumps(document))
        errors = io.StringIO()
        call_command(
            "evaluate", str(source), output=str(output), log=str(log), stderr=errors, **options
        )
        lines = [json.loads(line) for line in log.read_text().splitlines()]
        return json.loads(output.read_text()), lines, errors.getvalue()

    return evaluated


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """The file of a document with one metric."""
    path = tmp_path / "in.json"
    path.write_text(json.dumps({"instances": [ROW], "metrics": ["f1"]}))
    return path


def close(actual: Any, expected: Any) -> bool:
    if isinstance(expected, float):
        return bool(actual == pytest.approx(expected, abs=1e-9))
    if isinstance(expected, dict):
        assert actual.keys() == expected.keys()
        return all(close(actual[key], expected[key]) for key in expected)
    return bool(actual == expected)


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: str(vector["name"]))
def test_documents_of_harpia_lab_give_the_same_output(evaluate: Any, vector: Any) -> None:
    output, log, errors = evaluate(vector["input"])
    for entry in (*output, *(expected := vector["expected"]["output"])):
        entry["elapsed time"] = float(entry["elapsed time"] == 0)
    assert len(output) == len(expected)
    assert all(map(close, output, expected))
    assert len(log) == len(vector["expected"]["log"])
    assert all(map(close, log, vector["expected"]["log"]))
    assert errors == "", "no bar where nobody looks"


def test_a_failed_metric_does_not_affect_the_others(
    evaluate: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = runs.steps

    def limited(metric: Any, *given: Any, timeout_ms: int, **more: Any) -> Any:
        """The others get more time, which they may need on a busy machine."""
        limit = timeout_ms if metric.name == "HANGS" else 60_000
        return steps(metric, *given, timeout_ms=limit, **more)

    monkeypatch.setattr(documents, "steps", limited)
    row = {**ROW, "actual-output": "secret"}
    document = {"instances": [row], "metrics": ["words", "fails", "hangs"]}
    output, log, errors = evaluate(document, timeout_ms=500)
    assert [entry["score"] for entry in output] == [{"words": 1.0}, None, None]
    assert [line.get("error", {}).get("code") for line in log] == [None, "exception", "timeout"]
    first, *traceback, last = errors.splitlines()
    assert first.startswith("fails: ")
    assert traceback[-1] == "ValueError: cannot take secret", "for whoever wrote the metric"
    assert last.startswith("hangs: ")
    assert "0.5 s" in last


def test_a_wrong_document_is_refused_by_name(evaluate: Any) -> None:
    cases: list[tuple[Any, str]] = [
        ("{", "must be JSON"),
        ({"metrics": ["f1"]}, "instances: is required"),
        ({"instances": [{"actual-output": "a"}], "metrics": ["f1"]}, "instances.0.id"),
        ({"instances": [ROW, ROW], "metrics": ["f1"]}, "instances.1.id"),
        ({"instances": [ROW]}, "metrics: must name a metric"),
        ({"instances": [ROW], "metrics": ["meteor"]}, "metrics.0.id"),
        (
            {"instances": [ROW], "metrics": ["f1", {"id": "f1", "parameters": {"colour": 1}}]},
            "metrics.1.parameters.colour",
        ),
    ]
    for document, named in cases:
        with pytest.raises(CommandError) as refused:
            evaluate(document)
        assert named in str(refused.value), named
        assert refused.value.returncode == 1, named


def test_an_exception_of_nltk_is_an_error_and_no_zero(evaluate: Any) -> None:
    method6 = {"id": "BLEU_NLTK", "parameters": {"smoothing_function": "method6"}}
    output, log, _ = evaluate({"instances": [ROW], "metrics": [method6, "f1"]})
    assert output[0]["score"] is None
    assert output[0]["error"]["code"] == "exception"
    assert "method6" in output[0]["error"]["message"]
    assert output[1]["score"] is not None
    assert [line["instance_id"] for line in log] == [None, 1]


def test_a_document_that_enables_no_metric_has_an_empty_output(evaluate: Any) -> None:
    cases: list[list[Any]] = [[], [{"id": "f1", "enable": False}]]
    for metrics in cases:
        assert evaluate({"instances": [ROW], "metrics": metrics}) == ([], [], "")


def test_a_metric_that_is_listed_twice_is_computed_once(evaluate: Any) -> None:
    twice = [{"id": "words"}, {"id": "Words", "parameters": {}}, "words"]
    other = {"id": "words", "parameters": {"times": 2.0}}
    output, log, _ = evaluate({"instances": [ROW], "metrics": [*twice, other]})
    assert [(entry["id"], entry["score"]["words"]) for entry in output] == [
        ("words", 2.0),
        ("Words", 2.0),
        ("words", 2.0),
        ("words", 4.0),
    ]
    assert len({entry["elapsed time"] for entry in output[:3]}) == 1
    assert [line["id"] for line in log] == ["words", "Words", "words", "words"]


def test_errors_name_every_wrong_place(evaluate: Any) -> None:
    rows = [{"actual-output": 1}, ROW, {"id": 2, "actual_output": "x"}]
    with pytest.raises(CommandError) as refused:
        evaluate({"instances": rows, "metrics": ["f1"]})
    assert [line.partition(":")[0] for line in str(refused.value).splitlines()] == [
        "instances.0.id",
        "instances.0.actual-output",
        "instances.2.actual_output",
    ]


def test_a_broken_file_is_reported_if_its_metric_is_missing(evaluate: Any, broken: None) -> None:
    with pytest.raises(CommandError) as refused:
        evaluate({"instances": [ROW], "metrics": ["mine"]})
    message = str(refused.value)
    assert "metrics.0.id: " in message
    assert "house.text.mine: " in message
    assert "package nowhere_to_be_found" in message
    assert "ModuleNotFoundError" in message


@pytest.fixture
def broken() -> Iterator[None]:
    """Make a text metric of the package `house` that cannot be imported."""
    file = Path(settings.SCORER_PATH[0], "house", "text", "mine.py")
    file.write_text("import nowhere_to_be_found\n")
    sandboxes.close_sandboxes()
    cache.clear()
    yield
    file.unlink()
    sandboxes.close_sandboxes()
    cache.clear()


def test_a_byte_order_mark_is_ignored(evaluate: Any) -> None:
    output, _, _ = evaluate("\ufeff" + json.dumps({"instances": [ROW], "metrics": ["f1"]}))
    assert output[0]["score"] == {"f1": pytest.approx(2 / 3)}


def test_the_same_file_cannot_be_given_twice(source: Path, tmp_path: Path) -> None:
    other = str(tmp_path / "." / "out.json")
    with pytest.raises(CommandError, match="the document and --output"):
        call_command("evaluate", str(source), output=str(source))
    with pytest.raises(CommandError, match="--output and --log"):
        call_command("evaluate", str(source), output=other, log=other)
    (tmp_path / "same.json").hardlink_to(source)
    with pytest.raises(CommandError, match="the document and --log"):
        call_command("evaluate", str(source), log=str(tmp_path / "same.json"))
    assert json.loads(source.read_text())["metrics"] == ["f1"]
    call_command("evaluate", str(source), output=os.devnull, log=os.devnull)


def test_json_is_utf_8_in_any_locale(tmp_path: Path) -> None:
    source = tmp_path / "in.json"
    source.write_text(json.dumps({"instances": [{**ROW, "id": "é–日"}], "metrics": ["f1"]}))
    written = io.BytesIO()
    ascii_only = io.TextIOWrapper(written, encoding="ascii")
    call_command("evaluate", str(source), output=os.devnull, log="-", stdout=ascii_only)
    ascii_only.flush()
    assert json.loads(written.getvalue())["instance_id"] == "é–日"


def test_a_closed_standard_input_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(CommandError, match="it is closed"):
        call_command("evaluate", "-")


def test_an_interruption_keeps_the_existing_files(
    evaluate: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output, log = tmp_path / "out.json", tmp_path / "log.jsonl"
    output.write_text("of last week, and long enough to show behind what is written now" * 100)
    log.write_text("of last week")

    def interrupted(*_: Any, **__: Any) -> Iterator[Any]:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("leaderboard.management.commands.evaluate.answered", interrupted)
        with pytest.raises(CommandError, match="interrupted") as ended:
            evaluate({"instances": [ROW], "metrics": ["f1"]})
    assert ended.value.returncode == 130
    assert (output.read_text()[:12], log.read_text()) == ("of last week", "of last week")
    files, lines, _ = evaluate({"instances": [ROW], "metrics": ["longest"]})
    assert (len(files), lines) == (1, []), "nothing of what was there is left"


def test_a_full_disk_is_reported(source: Path, tmp_path: Path) -> None:
    for full in ("output", "log"):
        files = {"output": str(tmp_path / "out.json"), "log": str(tmp_path / "log.jsonl")}
        with pytest.raises(CommandError, match="/dev/full: No space left"):
            call_command("evaluate", str(source), **{**files, full: "/dev/full"})


def test_missing_files_are_reported(source: Path, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"cannot read .*nowhere"):
        call_command("evaluate", str(tmp_path / "nowhere"))
    with pytest.raises(CommandError, match="cannot write"):
        call_command("evaluate", str(source), output=str(tmp_path / "no" / "out.json"))
    with pytest.raises(CommandError, match="both"):
        call_command("evaluate", str(source), log="-")
    with pytest.raises(CommandError, match="timeout-ms"):
        call_command("evaluate", str(source), timeout_ms=0)


@pytest.mark.once
@pytest.mark.slow
def test_the_command_works_with_pipes_and_a_terminal(tmp_path: Path) -> None:
    """It needs no database: the setting names one that cannot be reached."""
    environment = {
        "PATH": os.environ["PATH"],
        "DATA_DIR": str(tmp_path / "var"),
        "DATABASE_URL": "postgresql://nobody@127.0.0.1:1/nowhere",
    }
    document = json.dumps({"instances": [ROW], "metrics": ["f1", "exact_match"]}).encode()
    terminal, theirs = pty.openpty()
    ended = subprocess.run(
        [*MANAGE, "evaluate", "-", "--log", str(tmp_path / "log.jsonl")],
        input=document,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=theirs,
        check=False,
    )
    os.close(theirs)
    output = os.read(terminal, 65536).decode()
    os.close(terminal)
    assert ended.returncode == 0, output
    assert [entry["id"] for entry in json.loads(ended.stdout)] == ["f1", "exact_match"]
    assert output.count("2 / 2") == 1
    assert "█" in output
    ended = subprocess.run(
        [*MANAGE, "evaluate", "-"], input=b"[]", env=environment, capture_output=True, check=False
    )
    assert (ended.returncode, ended.stdout) == (1, b"")
    assert b"instances" in ended.stderr
