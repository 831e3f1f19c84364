"""Discovery of objects in the modules of a package."""

from pathlib import Path

import pytest

from leaderboard.rules.plugins.modules import offered

THING = "class THING:\n    key = {!r}\n"


def package(folder: Path, name: str, **modules: str) -> Path:
    (folder / name).mkdir()
    for module, text in {"__init__": "", **modules}.items():
        (folder / name / f"{module}.py").write_text(text)
    return folder


def test_each_module_with_an_object_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(
        package(tmp_path, "offers_two", a=THING.format("one"), b="", c=THING.format("two"))
    )
    plugins = offered("offers_two", "THING")
    assert {key: plugin.__module__ for key, plugin in plugins.items()} == {
        "one": "offers_two.a",
        "two": "offers_two.c",
    }


def test_two_objects_cannot_have_one_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = THING.format("one")
    monkeypatch.syspath_prepend(package(tmp_path, "offers_one_twice", a=module, b=module))
    with pytest.raises(RuntimeError, match=r"twice\.b: .*'one'"):
        offered("offers_one_twice", "THING")
