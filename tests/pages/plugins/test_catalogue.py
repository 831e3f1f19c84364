"""The page of this server's plugins, and the display of configs."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from leaderboard.importers import known_importers
from leaderboard.pages.tables.config_table import ConfigField, fields_of
from leaderboard.sandbox import Failure, SandboxError
from leaderboard.services.plugins import sandboxes
from leaderboard.services.plugins.descriptions import PluginDescription
from scorers.metrics.registry import shipped
from tests.pages.reading import get, words


@pytest.mark.django_db
def test_the_page_shows_every_plugin_with_its_settings(client: Client) -> None:
    text = words(get(client, "/plugins/"))
    for name in shipped().names():
        assert f" {name} " in text
    for key, importer in known_importers().items():
        assert f"{key} {importer.label} {importer.accepts}" in text
    for part in (
        "WeightedScorer scorers.weighted:WeightedScorer",
        "EfficiencyScorer scorers.efficiency:EfficiencyScorer",
        "token_penalty 0.01 Points",
        "BLEU_NLTK installed scorers.text.bleu_nltk:BleuNltk",
        "Range 0 to 1 Best highest",
        "Range from 0 up Best lowest",
        "weights list of numbers [0.25, 0.25, 0.25, 0.25] each at least 0",
        "reference_mode text best best or union",
    ):
        assert part in text


@pytest.mark.django_db
def test_broken_plugins_are_shown_with_their_errors(
    client: Client, as_ann: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = "python -m pip install moonlight"
    missing = PluginDescription(
        "scorers.text.moon:Moon",
        "MOON",
        "How lunar it is.",
        defaults={"phase": "full"},
        supervised=False,
        install=line,
        error=Failure("not_installed", f"MOON is not installed here: {line}"),
    )
    failure = Failure("load_error", "No import.", "Traceback: in secret.py")
    sun, scorer, metric = (
        PluginDescription(entrypoint, error=failure)
        for entrypoint in (
            "scorers.text.sun:Sun",
            "scorers.broken:Broken",
            "scorers.metrics.bad:Bad",
        )
    )
    monkeypatch.setattr(sandboxes, "discover_text_metrics", lambda: [missing, sun])
    monkeypatch.setattr(sandboxes, "discover", lambda: [scorer])
    monkeypatch.setattr(sandboxes, "discover_metrics", lambda **_: [metric])
    html = get(client, "/plugins/")
    text = words(html)
    assert f"MOON not installed scorers.text.moon:Moon {line} How lunar it is." in text
    assert "no references 1 parameter" in text
    for plugin in (sun, scorer, metric):
        assert f"{plugin.entrypoint} No import." in text
    assert "pass_rate" in html
    assert "secret.py" not in html
    assert "secret.py" in get(as_ann, "/plugins/")


@pytest.mark.django_db
def test_the_page_works_without_a_sandbox(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> list[PluginDescription]:
        raise SandboxError("no fork here")

    monkeypatch.setattr(sandboxes, "discover", refuse)
    html = get(client, "/plugins/")
    assert "WeightedScorer" not in html
    assert "no fork here" not in html


SCHEMA = {
    "properties": {
        "bonus": {"type": "number", "default": 100.0, "minimum": 0, "description": "Points"},
        "mode": {"type": "string"},
    }
}


def test_a_config_is_shown_field_by_field() -> None:
    plugin = PluginDescription("a:B", config_schema=SCHEMA)
    assert fields_of(plugin, {"bonus": 50.0, "extra": [1]}) == [
        ConfigField("bonus", "Points", "number", "at least 0", "50", "100", is_default=False),
        ConfigField("mode", "", "text", "", "", "", is_default=True),
        ConfigField("extra", "", "", "", "[1]", "", is_default=False),
    ]


def test_null_and_the_default_value_are_shown_as_the_default() -> None:
    plugin = PluginDescription("a:B", defaults={"half": 0.1, "other": 2.0})
    assert [field.is_default for field in fields_of(plugin, {"half": None, "other": 2.0})] == [
        True,
        True,
    ]


def test_types_and_limits_are_described() -> None:
    optional = {"anyOf": [{"enum": ["a", "b", "c"], "type": "string"}, {"type": "null"}]}
    numbers = {"type": "array", "items": {"type": "number", "minimum": 0}, "minItems": 1}
    table: list[tuple[dict[str, Any], str, str]] = [
        ({"type": "integer", "minimum": 1, "maximum": 9}, "whole number", "at least 1, at most 9"),
        ({"enum": ["best", "union"], "type": "string"}, "text", "best or union"),
        (optional, "text or null", "a, b or c"),
        (numbers, "list of numbers", "each at least 0; at least 1 of them"),
        ({"const": "cpu", "type": "string"}, "text", "only cpu"),
        ({"type": "string", "pattern": "^[a-z]+$"}, "text", "of the pattern ^[a-z]+$"),
        ({"type": "boolean"}, "true or false", ""),
        ({"type": "array", "items": {"$ref": "#/$defs/X"}}, "list of values", ""),
        ({}, "", ""),
    ]
    for schema, kind, limits in table:
        plugin = PluginDescription("a:B", config_schema={"properties": {"x": schema}})
        (field,) = fields_of(plugin, {})
        assert (field.type, field.limits) == (kind, limits), schema
