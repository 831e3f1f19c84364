"""The client without a server."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import pytest
from podium.challenges import Challenge
from podium.commands.attempts import attempts_table
from podium.commands.main import MODULES, SUMMARIES
from podium.config import Config, Target, read_config, target_for, write_config
from podium.errors import WrongUse
from podium.submissions import submission_of
from podium.version import VERSION

from leaderboard import version
from tests.client.conftest import Run
from tests.client.type_module import TYPES, type_module, written_schemas

CLIENT: Final = Path(__file__).parents[2] / "client"


def test_a_stored_token_goes_to_no_other_address(folder: Path) -> None:
    own = Target("lab", "https://lab.example", "secret")
    write_config(Config("lab", {"lab": own}))
    assert read_config() == Config("lab", {"lab": own})
    assert target_for(environ={}) == own
    assert target_for(url="https://LAB.example/", environ={}) == own
    for other in ("https://lab.example:444", "http://lab.example", "https://lab.example/sub"):
        assert target_for(environ={"PODIUM_URL": other}).token == ""
    environ = {"PODIUM_URL": "https://other.example", "PODIUM_TOKEN": "mine"}
    assert target_for(environ=environ) == Target("", "https://other.example", "mine")
    with pytest.raises(WrongUse, match="server"):
        target_for("nowhere", environ={})
    for wrong in ("http://[::1", "http://a b/", "https://lab.example:99999", "https://:443"):
        with pytest.raises(WrongUse, match="url"):
            target_for(url=wrong, environ={})


def test_a_file_is_submitted_as_what_it_holds(tmp_path: Path) -> None:
    files = {
        "attempt": ("a.json", '{"participant": "x", "values": {"y": 1}}'),
        "evaluation": ("b.json", '{"instances": []}'),
        "file": ("c.json", '{"results": []}'),
        "attempts": ("d.jsonl", '{"participant": "x", "metrics": {}}\n'),
        "outputs": ("e.jsonl", '{"id": 1, "output": "x"}\n'),
    }
    for kind, (name, text) in files.items():
        (tmp_path / name).write_text(text, "utf-8")
        made = submission_of(tmp_path / name, {}, None)
        assert kind in (made.kind, *made.body), name
    (tmp_path / "p.csv").write_text("id,x\n1,2\n", "utf-8")
    predicted = submission_of(tmp_path / "p.csv", {}, "predictions")
    other = submission_of(tmp_path / "p.csv", {"note": "x"}, "predictions")
    assert predicted.key() == predicted.key() != other.key()
    packed = submission_of(tmp_path, {"participant": "x"}, None)
    assert (packed.kind, packed.file_name) == ("file", f"{tmp_path.name}.zip")
    with pytest.raises(WrongUse):
        submission_of(tmp_path / "none", {}, None)


def test_the_check_of_a_large_file_says_what_the_rules_make_of_it(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "a.csv").write_text("participant,points\natlas,1\n", "utf-8")
    result: dict[str, Any] = {"verdicts": {"ok": 6000, "refused": 1}, "rows": [], "warnings": []}
    session: Any = SimpleNamespace(
        url="https://lab.example",
        json=lambda *_parts, **_options: {"state": "done", "error": None, "result": result},
    )
    sprint = Challenge(session, "sprint")
    assert sprint.check("a.csv", kind="file") == [result]
    monkeypatch.setattr("podium.commands.attempts.challenge_of", lambda *_parts: sprint)
    assert "would not count" in run("check", "a.csv", "--as", "file", "-c", "sprint").stderr


def test_the_command_explains_itself_without_http(run: Run) -> None:
    assert MODULES.keys() == SUMMARIES.keys()
    for name in MODULES:
        assert SUMMARIES[name] in run("--help").stdout
        assert name in run(name, "--help").stdout
    run("whoami", code=2)
    heavy = "{'httpx2', 'yaml', 'tomli_w', 'zipfile', 'podium.challenges'} & {*sys.modules}"
    program = f"import sys; from podium.commands.main import main; assert not {heavy}, {heavy}"
    subprocess.run([sys.executable, "-c", program], check=True, env={"PYTHONPATH": str(CLIENT)})


def test_a_line_of_an_attempt_has_its_score_or_its_metrics() -> None:
    unscored: Any = {
        "id": "a1",
        "score": None,
        "rank": 1,
        "metric_values": {"rmse": {"value": 2.5}},
    }
    assert attempts_table([unscored]).split()[4:] == [
        "rmse",
        "rank",
        "submitted_at",
        "a1",
        "2.5",
        "1",
    ]
    scored: Any = {**unscored, "score": 7.0}
    assert attempts_table([unscored, scored]).split()[4:] == [
        *("score", "rank", "submitted_at", "a1", "1", "a1", "7", "1")
    ]


def test_the_types_are_those_of_the_server() -> None:
    assert type_module(written_schemas()) == TYPES.read_text("utf-8")
    assert VERSION == version.VERSION


def test_types_cost_nothing_at_run_time() -> None:
    for file in (CLIENT / "podium").rglob("*.py"):
        for node in ast.parse(file.read_text("utf-8")).body:
            assert not (isinstance(node, ast.ImportFrom) and node.module == "podium.types"), file
