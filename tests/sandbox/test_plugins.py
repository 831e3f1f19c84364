"""How scorers describe themselves and their configs, and the errors of broken plugins."""

from pathlib import Path
from typing import Any

import pytest

from leaderboard.rules.texts.messages import Message
from leaderboard.sandbox import Sandbox, SandboxSettings
from leaderboard.sandbox.host import asking as module
from tests.sandbox.watching import failure_of, score

DECLARES = "hostile.good:Declares"
MODELLED = "hostile.modelled:Modelled"
DEFAULTS = {"weight": 1.5, "rounds": 3, "strict": False, "word": "a", "any": None}


def test_a_scorer_with_defaults_describes_itself(sandbox: Sandbox) -> None:
    description = sandbox.describe(DECLARES)
    assert description.name == "A scorer with defaults"
    assert description.doc.startswith("Describes")
    assert description.defaults == DEFAULTS
    assert description.public_details
    assert description.error is None
    assert description.config_schema is not None
    assert description.config_schema["additionalProperties"] is False
    kinds = {
        name: field.get("type") for name, field in description.config_schema["properties"].items()
    }
    assert kinds == {
        "weight": "number",
        "rounds": "integer",
        "strict": "boolean",
        "word": "string",
        "any": None,
    }


def test_a_scorer_with_a_model_describes_itself(sandbox: Sandbox) -> None:
    description = sandbox.describe(MODELLED)
    assert description.error is None
    assert description.defaults == {"bonus": 5.0, "note": None}
    assert description.config_schema is not None
    assert description.config_schema["required"] == ["weight"]
    assert description.config_schema["properties"]["bonus"]["minimum"] == 0
    assert not description.public_details


def test_a_scorer_may_have_no_description(sandbox: Sandbox) -> None:
    description = sandbox.describe("hostile.good:Good")
    assert (description.config_schema, description.defaults) == (None, None)
    assert description.error is None
    assert description.name == "Good"
    check = sandbox.check_config("hostile.good:Good", {"anything": [1]})
    assert (check.errors, check.config, check.failure) == ({}, {"anything": [1]}, None)


def test_defaults_fill_a_config(sandbox: Sandbox) -> None:
    configs: list[tuple[dict[str, Any], dict[str, Any]]] = [
        ({}, DEFAULTS),
        ({"weight": 2}, DEFAULTS | {"weight": 2}),
        ({"weight": None, "any": [1]}, DEFAULTS | {"any": [1]}),
    ]
    for config, filled in configs:
        check = sandbox.check_config(DECLARES, config)
        assert (check.errors, check.config) == ({}, filled)
        assert score(sandbox, DECLARES, config).details == filled


def test_a_config_unlike_the_defaults_is_refused_with_its_field(sandbox: Sandbox) -> None:
    cases: list[tuple[str, Any, str]] = [
        ("weight", True, "a number"),
        ("weight", "2", "a number"),
        ("rounds", 2.5, "a whole number"),
        ("rounds", False, "a whole number"),
        ("strict", 0, "true or false"),
        ("word", 1, "a text"),
        ("wieght", 1, "a known field"),
        ("wieght", None, "a known field"),
    ]
    for name, value, accepted in cases:
        check = sandbox.check_config(DECLARES, {name: value})
        assert list(check.errors) == [name]
        assert accepted in check.errors[name][0]


def test_a_model_fills_and_checks_a_config(sandbox: Sandbox) -> None:
    check = sandbox.check_config(MODELLED, {"weight": 2, "bonus": None, "note": None})
    assert (check.errors, check.config) == ({}, {"weight": 2.0, "bonus": 5.0, "note": None})
    assert score(sandbox, MODELLED, {"weight": 2}).value == 7


def test_every_wrong_field_of_a_config_is_named(sandbox: Sandbox) -> None:
    check = sandbox.check_config(MODELLED, {"bonus": -1, "unheard": 1, "note": 5})
    assert check.errors.keys() == {"weight", "bonus", "unheard", "note"}
    assert "got nothing" in check.errors["weight"][0]
    assert "0 or more" in check.errors["bonus"][0]
    assert '(bonus, note, weight); got "unheard"' in check.errors["unheard"][0]
    assert "got a whole number" in check.errors["note"][0]


def test_a_wrong_config_gives_no_score(sandbox: Sandbox) -> None:
    error = failure_of(sandbox, MODELLED, {"weight": "heavy"})
    assert (error.code, "weight" in error.message) == ("load_error", True)


@pytest.fixture
def broken(tmp_path: Path) -> SandboxSettings:
    """Return settings for a package with one good scorer among modules broken in many ways."""
    package = tmp_path / "broken"
    (package / "inner").mkdir(parents=True)
    good = "class Fine:\n    'Fine.'\n    def score(self, m, c, x):\n        return {'score': 1}\n"
    files = {
        "__init__": "",
        "fine": good,
        "inner/__init__": "",
        "inner/deep": good + "class _Hidden(Fine): pass\nclass NoScorer: pass\nsome = Fine()\n",
        "again": "from broken.fine import Fine\n",
        "protocol": good,
        "_private": good,
        "syntax": "def :\n",
        "raises": "raise ValueError('/secret/path')\n",
        "leaves": "import sys\nsys.exit(0)\n",
        "dies": "import os\nos._exit(3)\n",
        "hangs": "while True: pass\n",
        "needs": "import no_such_library.part\n",
        "greedy": "held = [bytearray(10**9) for _ in range(100)]\n",
        "odd": good.replace("'Fine.'", "Config = 5; defaults = 'x'; public_details = 'yes'"),
        "sick": good.replace("'Fine.'", "defaults = {'a': float('nan')}"),
    }
    for name, text in files.items():
        (package / f"{name}.py").write_text(text)
    return SandboxSettings(packages=("broken",), path=(str(tmp_path),))


def test_a_broken_file_is_one_error_message(
    broken: SandboxSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "ASK_SECONDS", 2.0)
    with Sandbox(broken) as sandbox:
        scorers = {scorer.entrypoint: scorer for scorer in sandbox.discover()}
    codes = {name: scorer.error.code if scorer.error else "" for name, scorer in scorers.items()}
    assert codes == {
        "broken.fine:Fine": "",
        "broken.inner.deep:Fine": "",
        "broken.odd:Fine": "",
        "broken.sick:Fine": "load_error",
        "broken.syntax": "load_error",
        "broken.raises": "load_error",
        "broken.leaves": "crashed",
        "broken.dies": "crashed",
        "broken.hangs": "timeout",
        "broken.needs": "not_installed",
        "broken.greedy": "out_of_memory",
    }
    assert scorers["broken.fine:Fine"].doc == "Fine."
    assert not scorers["broken.odd:Fine"].public_details
    raised = scorers["broken.raises"].error
    assert raised is not None
    assert "/secret" not in raised.message
    assert "/secret/path" in raised.detail


def test_a_broken_file_is_reported_once(tmp_path: Path) -> None:
    for folder, text in (("metrics", "def :"), ("text", "import no_such_library"), ("more", "1/0")):
        (tmp_path / "ours" / folder).mkdir(parents=True)
        (tmp_path / "ours" / folder / "__init__.py").touch()
        (tmp_path / "ours" / folder / "sick.py").write_text(text)
    (tmp_path / "ours" / "__init__.py").touch()
    settings = SandboxSettings(packages=("ours",), path=(str(tmp_path),), isolation="off")
    with Sandbox(settings) as sandbox:
        kinds = ("scorer", "metric", "text_metric")
        entrypoints = [[plugin.entrypoint for plugin in sandbox.discover(kind)] for kind in kinds]
    assert entrypoints == [["ours.more.sick"], ["ours.metrics.sick"], ["ours.text.sick"]]


def test_a_broken_module_gives_an_outcome_with_an_error(broken: SandboxSettings) -> None:
    with Sandbox(broken) as sandbox:
        for name, code in (
            ("syntax", "load_error"),
            ("raises", "load_error"),
            ("leaves", "crashed"),
            ("dies", "crashed"),
            ("needs", "not_installed"),
            ("greedy", "out_of_memory"),
            ("again", "load_error"),
            ("nowhere", "load_error"),
        ):
            error = failure_of(sandbox, f"broken.{name}:Fine")
            assert error.code == code, name
            described = sandbox.describe(f"broken.{name}:Fine").error
            assert described is not None
            assert described._replace(detail=error.detail) == error
            assert ("no_such_library" in error.message) is (name == "needs")
            assert score(sandbox, "broken.fine:Fine").value == 1


def test_a_library_that_is_missing_when_a_scorer_runs_is_not_installed(tmp_path: Path) -> None:
    text = "class Late:\n    def score(self, m, c, x):\n        import no_such_library.part\n"
    (tmp_path / "late").mkdir()
    (tmp_path / "late" / "late.py").write_text(text)
    with Sandbox(SandboxSettings(packages=("late",), path=(str(tmp_path),))) as sandbox:
        error = failure_of(sandbox, "late.late:Late")
    assert error.code == "not_installed"
    assert "no_such_library" in error.message


def test_hanging_at_import_is_a_timeout(broken: SandboxSettings) -> None:
    with Sandbox(broken) as sandbox:
        assert failure_of(sandbox, "broken.hangs:Fine", timeout_ms=300).code == "timeout"
        assert score(sandbox, "broken.fine:Fine").value == 1


def test_shipped_scorers_are_found_as_others_are() -> None:
    with Sandbox() as sandbox:
        scorers = sandbox.discover()
    assert "scorers.weighted:WeightedScorer" in [scorer.entrypoint for scorer in scorers]
    assert [scorer for scorer in scorers if scorer.error is not None] == []


def test_installed_entry_points_are_found_and_may_be_named(
    broken: SandboxSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        module, "installed_entrypoints", lambda kind: frozenset({"broken.fine:Fine"})
    )
    with Sandbox(SandboxSettings(packages=(), path=broken.path)) as sandbox:
        assert [scorer.entrypoint for scorer in sandbox.discover()] == ["broken.fine:Fine"]
        assert score(sandbox, "broken.fine:Fine").value == 1
        refused = failure_of(sandbox, "broken.inner.deep:Fine")
        assert isinstance(refused.message, Message), "pages translate it"
        assert 'got "broken.inner.deep:Fine"' in refused.message
