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


def test_valid_declarations_are_accepted() -> None:
    declarations: list[dict[str, Any]] = [
        {},
        {"averaged": True, "supervised": False, "parallel": False},
        {"direction": "asc", "directions": {"similarity": "desc"}, "unit": "words"},
        {"bounds": None, "directions": None, "defaults": None},
        {"notes": {"mode": {"best": "The best."}}, "variants": {"idf": "OTHER"}},
        {"notes": None, "variants": None, "ranges": None},
        {"bounds": (0, 1)},
        {"ranges": {"similarity": (0, 1), "other": [None, 3.5]}},
        {"bounds": [0.0, None]},
        {"bounds": (-math.inf, math.inf)},
        {"needs": "numpy", "install": "pip install numpy"},
        {"needs": ("numpy", "scipy.stats"), "defaults": {"n": 4}},
        {"combine": lambda metric, statistics, parameters: {}},
    ]
    for declared in declarations:
        assert fault_of(type("Fine", (), {"id": "FINE", **declared})) is None, declared


def test_invalid_declarations_are_reported() -> None:
    wrong: dict[str, tuple[Any, ...]] = {
        "averaged": ("yes", 1),
        "supervised": (None,),
        "parallel": ("no",),
        "combine": ("sum",),
        "direction": ("down", None),
        "directions": (("asc",), {"n": "up"}, {1: "asc"}),
        "notes": ({"mode": "best"}, {"mode": {"best": 1}}),
        "variants": ({"idf": None}, "OTHER"),
        "ranges": (("n", (0, 1)), {"n": (1, 0)}, {"n": None}),
        "bounds": ("01", 1, (0, 1, 2), (1, 0), (0, "1"), (math.nan, 1), (False, True)),
        "unit": (5,),
        "defaults": (["n"],),
        "needs": ({"numpy"}, (1,)),
        "install": (["numpy"],),
        "id": ("", " spaced ", "A" * 81, "NAME:other", "score"),
    }
    for name, values in wrong.items():
        for value in values:
            fault = fault_of(type("Odd", (), {"id": "ODD", name: value}))
            assert fault is not None, (name, value)
            assert fault.code == "load_error"
            assert f"its `{name}` " in fault.message, value


HELPERS = f"""
import abc
from typing import NamedTuple

words = str.split


class Pair(NamedTuple):
    id: str


class Abstract(abc.ABC):
    @abc.abstractmethod
    def evaluate(self, instances, parameters): ...


{METRIC.format(name="_Hidden", said="averaged = True")}
{METRIC.format(name="Base", said="averaged = True")}

class Real(Base):
    id = "REAL"
"""


def described(folder: Path, source: str) -> list[PluginDescription]:
    """Return the descriptions found in a module of text metrics with this source."""
    package = folder / "odd" / "text"
    package.mkdir(parents=True)
    for file in (package.parent / "__init__.py", package / "__init__.py"):
        file.touch()
    (package / "written.py").write_text(source)
    with Sandbox(
        SandboxSettings(packages=("odd",), path=(str(folder),), isolation="off")
    ) as sandbox:
        return sandbox.discover("text_metric")


def test_a_faulty_metric_is_listed_with_its_error(tmp_path: Path) -> None:
    faulty, fine = described(
        tmp_path,
        METRIC.format(name="Odd", said="id = 'ODD'; direction = 'down'")
        + METRIC.format(name="Plain", said="id = 'PLAIN'"),
    )
    assert (faulty.name, faulty.entrypoint) == ("ODD", "odd.text.written:Odd")
    assert faulty.error is not None
    assert (faulty.error.code, faulty.error.detail) == ("load_error", "")
    assert 'ODD cannot be used: its `direction` must be "asc" or "desc"' in faulty.error.message
    assert (fine.name, fine.error) == ("PLAIN", None)


def test_a_faulty_metric_computes_nothing(tmp_path: Path) -> None:
    described(tmp_path, METRIC.format(name="Odd", said="id = 'ODD'; bounds = (1, 0)"))
    settings = SandboxSettings(packages=("odd",), path=(str(tmp_path),), isolation="off")
    with Sandbox(settings) as sandbox, sandbox.evaluating("odd.text.written:Odd", {}) as line:
        error = failure(line.evaluate([row(1, "a")], timeout_ms=60_000))
    assert (error.code, "its `bounds` must be" in error.message) == ("load_error", True)


@pytest.mark.parametrize(
    ("source", "missing"),
    [
        (METRIC.format(name="Slip", said="ID = 'SLIP'"), "attribute `id`"),
        (METRIC.format(name="Slip", said="id = 7"), "attribute `id`"),
        ("class Slip:\n    id = 'SLIP'", "method `evaluate`"),
    ],
)
def test_a_class_that_is_almost_a_metric_reports_why(
    tmp_path: Path, source: str, missing: str
) -> None:
    (slip,) = described(tmp_path, source)
    assert slip.entrypoint == "odd.text.written:Slip"
    assert slip.error is not None
    assert missing in slip.error.message


def test_helper_classes_are_not_reported(tmp_path: Path) -> None:
    metrics = described(tmp_path, HELPERS)
    assert [(metric.name, metric.error) for metric in metrics] == [("REAL", None)]
