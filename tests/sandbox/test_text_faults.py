"""Text metrics with contradictory declarations, and classes that miss being one by a slip."""

import math
from pathlib import Path
from typing import Any

import pytest

from leaderboard.sandbox import PluginDescription, Sandbox, SandboxSettings
from leaderboard.sandbox.child.text_faults import fault_of
from tests.sandbox.asking import failure, row

METRIC = """
class {name}:
    {said}

    def evaluate(self, instances, parameters):
        return {{"score": {{"n": 1}}}}
"""


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"averaged": True, "supervised": False, "parallel": False},
        {"direction": "asc", "directions": {"similarity": "desc"}, "unit": "words"},
        {"bounds": None, "directions": None, "defaults": None},
        {"notes": {"mode": {"best": "The best."}}, "variants": {"idf": "OTHER"}},
        {"notes": None, "variants": None},
        {"bounds": (0, 1)},
        {"ranges": {"similarity": (0, 1), "other": [None, 3.5]}},
        {"ranges": None},
        {"bounds": [0.0, None]},
        {"bounds": (-math.inf, math.inf)},
        {"needs": "numpy", "install": "pip install numpy"},
        {"needs": ("numpy", "scipy.stats"), "defaults": {"n": 4}},
        {"combine": lambda metric, statistics, parameters: {}},
    ],
)
def test_valid_declarations_are_accepted(said: dict[str, Any]) -> None:
    assert fault_of(type("Fine", (), {"id": "FINE", **said})) is None


@pytest.mark.parametrize(
    ("name", "wrong", "accepted"),
    [
        ("averaged", "yes", "must be True or False"),
        ("averaged", 1, "must be True or False"),
        ("supervised", None, "must be True or False"),
        ("parallel", "no", "must be True or False"),
        ("combine", "sum", "must be a method"),
        ("direction", "down", 'must be "asc" or "desc"'),
        ("direction", None, 'must be "asc" or "desc"'),
        ("directions", ("asc",), 'must be a dict of names with "asc" or "desc"'),
        ("directions", {"n": "up"}, 'must be a dict of names with "asc" or "desc"'),
        ("directions", {1: "asc"}, 'must be a dict of names with "asc" or "desc"'),
        ("notes", {"mode": "best"}, "must be a dict of parameters, each with a dict"),
        ("notes", {"mode": {"best": 1}}, "must be a dict of parameters, each with a dict"),
        ("variants", {"idf": None}, "must be a dict of parameters, each with the id"),
        ("variants", "OTHER", "must be a dict of parameters, each with the id"),
        ("ranges", ("n", (0, 1)), "must be a dict of names with the lowest and the highest"),
        ("ranges", {"n": (1, 0)}, "must be a dict of names with the lowest and the highest"),
        ("ranges", {"n": None}, "must be a dict of names with the lowest and the highest"),
        ("bounds", "01", "must be the lowest and the highest value"),
        ("bounds", 1, "must be the lowest and the highest value"),
        ("bounds", (0, 1, 2), "must be the lowest and the highest value"),
        ("bounds", (1, 0), "must be the lowest and the highest value"),
        ("bounds", (0, "1"), "must be the lowest and the highest value"),
        ("bounds", (math.nan, 1), "must be the lowest and the highest value"),
        ("bounds", (False, True), "must be the lowest and the highest value"),
        ("unit", 5, "must be a text"),
        ("defaults", ["n"], "must be a dict of parameters with their defaults"),
        ("needs", {"numpy"}, "must be the names of modules"),
        ("needs", (1,), "must be the names of modules"),
        ("install", ["numpy"], "must be a text"),
        ("id", "", "must be a text of 1 to 80 characters"),
        ("id", " spaced ", "must be a text of 1 to 80 characters"),
        ("id", "A" * 81, "must be a text of 1 to 80 characters"),
        ("id", "NAME:other", "must have no colon"),
        ("id", "score", "score is the name of another value"),
    ],
)
def test_invalid_declarations_are_reported(name: str, wrong: Any, accepted: str) -> None:
    fault = fault_of(type("Odd", (), {"id": "ODD", name: wrong}))
    assert fault is not None
    assert fault.code == "load_error"
    assert f"cannot be used: its `{name}` {accepted}" in fault.message


def described(folder: Path, source: str) -> list[PluginDescription]:
    """Return the descriptions found in a module of text metrics with this source."""
    package = folder / "odd" / "text"
    package.mkdir(parents=True)
    for each in (package.parent / "__init__.py", package / "__init__.py"):
        each.touch()
    (package / "written.py").write_text(source)
    with Sandbox(
        SandboxSettings(packages=("odd",), path=(str(folder),), isolation="off")
    ) as sandbox:
        return sandbox.discover("text_metric")


def test_a_faulty_metric_is_listed_with_its_error(tmp_path: Path) -> None:
    found, fine = described(
        tmp_path,
        METRIC.format(name="Odd", said="id = 'ODD'; direction = 'down'")
        + METRIC.format(name="Plain", said="id = 'PLAIN'"),
    )
    assert (found.name, found.entrypoint) == ("ODD", "odd.text.written:Odd")
    assert found.error is not None
    told = 'ODD cannot be used: its `direction` must be "asc" or "desc".'
    assert found.error == ("load_error", told, "")
    assert (fine.name, fine.error) == ("PLAIN", None)


def test_a_faulty_metric_computes_nothing(tmp_path: Path) -> None:
    described(tmp_path, METRIC.format(name="Odd", said="id = 'ODD'; bounds = (1, 0)"))
    settings = SandboxSettings(packages=("odd",), path=(str(tmp_path),), isolation="off")
    with Sandbox(settings) as sandbox, sandbox.evaluating("odd.text.written:Odd", {}) as line:
        found = failure(line.evaluate([row(1, "a")], timeout_ms=8000))
    assert (found.code, "its `bounds` must be" in found.message) == ("load_error", True)


@pytest.mark.parametrize(
    ("source", "told"),
    [
        (METRIC.format(name="Slip", said="ID = 'SLIP'"), "class Slip has no attribute `id`"),
        (METRIC.format(name="Slip", said="id = 7"), "class Slip has no attribute `id`"),
        ("class Slip:\n    id = 'SLIP'", "no class Slip with a method `evaluate`"),
    ],
)
def test_a_class_that_is_almost_a_metric_reports_why(
    tmp_path: Path, source: str, told: str
) -> None:
    (found,) = described(tmp_path, source)
    assert found.entrypoint == "odd.text.written:Slip"
    assert found.error is not None
    assert told in found.error.message


@pytest.mark.parametrize(
    "source",
    [
        "words = str.split",
        METRIC.format(name="_Base", said="averaged = True"),
        "from typing import NamedTuple\n\n\nclass Pair(NamedTuple):\n    id: str",
        "import abc\n\n\nclass Base(abc.ABC):\n    @abc.abstractmethod\n"
        "    def evaluate(self, instances, parameters): ...",
        METRIC.format(name="Base", said="averaged = True")
        + "\n\nclass Real(Base):\n    id = 'REAL'",
    ],
)
def test_helper_classes_are_not_reported(tmp_path: Path, source: str) -> None:
    found = described(tmp_path, source)
    assert [(each.name, each.error) for each in found] in ([], [("REAL", None)])
