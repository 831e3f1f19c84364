"""What a child may say about plugins: a plugin may forge the answer while it is imported."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from leaderboard.sandbox import PluginDescription, Sandbox, SandboxSettings
from leaderboard.sandbox.contract import MAX_DOC_BYTES, MAX_NAME_BYTES

_FORGES = """
import os
os.write(4, {line!r})
class Own:
    id = "OWN"
    def score(self, metrics, config, ctx): return {{"score": 1}}
    def evaluate(self, instances, parameters): return {{"score": {{"own": 1}}}}
"""


def _described(entrypoint: str, **more: Any) -> dict[str, Any]:
    """A description with which a secret setting would be public, and the source as well."""
    texts = {"name": "FORGED", "doc": "", "over": "", "direction": "asc", "unit": ""}
    public = {"config_schema": {}, "public_details": True, "public_source": True}
    return {"entrypoint": entrypoint, "defaults": None, **texts, **public, **more}


class Forger:
    """Writes a plugin `forger.NAME:Own` that answers with these descriptions."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "forger" / "text").mkdir(parents=True)
        self.sandbox = Sandbox(SandboxSettings(packages=("scorers", "forger"), path=(str(folder),)))

    def write(self, name: str, *answers: dict[str, Any]) -> None:
        line = json.dumps(answers).encode() + b"\n"
        (self.folder / "forger" / f"{name}.py").write_text(_FORGES.format(line=line))

    def discover(self, kind: str) -> dict[str, PluginDescription]:
        return {plugin.entrypoint: plugin for plugin in self.sandbox.discover(kind)}


@pytest.fixture
def forger(public_tmp: Path) -> Iterator[Forger]:
    forger = Forger(public_tmp)
    with forger.sandbox:
        yield forger


@pytest.mark.parametrize(
    ("kind", "name", "victim"),
    [
        ("scorer", "evil", "scorers.weighted:WeightedScorer"),
        ("scorer", "evil", "forger.evil_too:Own"),
        ("text_metric", "text/evil", "scorers.text.exact_match:ExactMatch"),
    ],
)
def test_a_plugin_cannot_describe_another_one(
    forger: Forger, kind: str, name: str, victim: str
) -> None:
    module = "forger." + name.replace("/", ".")
    forger.write(name, _described(f"{module}:Own"), _described(victim))
    descriptions = forger.discover(kind)
    assert victim not in descriptions or descriptions[victim].name != "FORGED"
    assert "scorers.weighted:WeightedScorer" in descriptions or kind != "scorer"
    error = descriptions[module].error
    assert error is not None
    assert (error.code, error.detail) == ("crashed", "the description of another plugin")


def test_a_plugin_is_described_once(forger: Forger) -> None:
    cases: list[int] = [0, 2]
    for answers in cases:
        forger.write("evil", *[_described("forger.evil:Own")] * answers)
        error = forger.sandbox.describe("forger.evil:Own").error
        assert error is not None, answers
        assert error.code == "crashed", answers


def _nested(levels: int) -> dict[str, Any]:
    nested: dict[str, Any] = {}
    for _ in range(levels):
        nested = {"in": nested}
    return nested


def test_a_description_can_be_shown_and_stored(forger: Forger) -> None:
    """Otherwise one plugin makes the page and the list of all plugins fail."""
    cases: list[tuple[dict[str, Any], str]] = [
        ({"doc": "\ud800"}, "not valid Unicode"),
        ({"unit": "\0"}, "hold a NUL character"),
        ({"defaults": {"\0": 1}}, "hold a NUL character"),
        ({"config_schema": _nested(900)}, "deeper than 32 levels"),
    ]
    for forged, why in cases:
        forger.write("evil", _described("forger.evil:Own", **forged))
        error = forger.discover("scorer")["forger.evil"].error
        assert error is not None, why
        assert error.detail.endswith(why), why


def test_the_texts_of_a_description_are_cut(forger: Forger) -> None:
    """A page takes seconds to format a documentation of 200 kB."""
    forger.write("evil", _described("forger.evil:Own", name="n" * 9_000, doc="[" * 100_000))
    description = forger.sandbox.describe("forger.evil:Own")
    assert (len(description.name), len(description.doc)) == (MAX_NAME_BYTES, MAX_DOC_BYTES)


def test_a_schema_that_forms_cannot_read_is_an_error(forger: Forger) -> None:
    """Otherwise one plugin makes the page of all plugins fail, by forging or by mistake."""
    cases: list[dict[str, Any]] = [
        {"properties": 5},
        {"properties": {"a": True}},
        {"properties": {"a": {"type": ["string", "null"]}}},
        {"properties": {"a": {"anyOf": [{"enum": []}]}}},
        {"$defs": {"A": {"items": False}}},
        {"additionalProperties": {"minimum": "1"}},
        {"properties": {"a": {"maximum": 10**400}}},
    ]
    too_large = "its values hold an integer that is too large for a number"
    for schema in cases:
        forger.write("evil", _described("forger.evil:Own", config_schema=schema))
        odd = f"def odd(schema): schema.update({schema!r})\n"
        (forger.folder / "forger" / "odd.py").write_text(odd + _ODD)
        descriptions = forger.discover("scorer")
        forged, odd_one = descriptions["forger.evil"].error, descriptions["forger.odd:Odd"].error
        assert forged is not None, schema
        assert forged.detail in ("not a description", too_large), schema
        assert odd_one is not None, schema
        assert "ValueError" in odd_one.message, schema
        assert descriptions["forger.odd:Sound"].error is None, schema


_ODD = """
from pydantic import BaseModel
class Sound:
    def score(self, metrics, config, ctx): return {"score": 1}
class Odd(Sound):
    class Config(BaseModel, json_schema_extra=odd): a: int = 1
"""
