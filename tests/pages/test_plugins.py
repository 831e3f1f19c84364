"""The page of this server's plugins, and the display of configs."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from leaderboard.importers import known_importers
from leaderboard.pages.config_table import ConfigField, fields_of
from leaderboard.sandbox import Failure, SandboxError
from leaderboard.services.plugins import sandboxes
from leaderboard.services.plugins.descriptions import PluginDescription
from scorers.metrics.registry import shipped
from tests.pages.reading import get, words


@pytest.mark.django_db
def test_the_page_shows_every_scorer_with_its_config(client: Client) -> None:
    text = words(get(client, "/plugins/"))
    assert "WeightedScorer scorers.weighted:WeightedScorer" in text
    assert "EfficiencyScorer scorers.efficiency:EfficiencyScorer" in text
    assert "token_penalty 0.01 Points lost for each token; a negative number earns points" in text


@pytest.mark.django_db
def test_the_page_shows_every_metric_and_importer(client: Client) -> None:
    text = words(get(client, "/plugins/"))
    for name in shipped().names():
        assert f" {name} " in text
    assert (
        "pass@K Share of tasks where any of the first K samples passes (reward ≥ 1). tasks" in text
    )
    assert "cost_per_task Mean cost of a sample" in text
    for key, importer in known_importers().items():
        assert f"{key} {importer.label} {importer.accepts}" in text


@pytest.mark.django_db
def test_the_page_shows_every_text_metric_with_its_description(client: Client) -> None:
    html = get(client, "/plugins/")
    text = words(html)
    assert "BLEU_NLTK installed scorers.text.bleu_nltk:BleuNltk BLEU by NLTK:" in text
    assert "BLEU = BP · exp(Σ wₙ · log pₙ)" in text
    assert "Several references: the best one counts, in the corpus BLEU as well." in text
    assert "For NLTK's own value, the union of all references" in html.replace("&#x27;", "'")
    assert "Range 0 to 1 Best highest Compares with references 5 parameters" in text
    assert "Range from 0 up Best lowest Best similarity highest" in text
    assert (
        "weights list of numbers [0.25, 0.25, 0.25, 0.25] each at least 0, at most 100; "
        "at least 1, at most 100 of them The weight of each n-gram order, from 1 on" in text
    )
    assert "reference_mode text best best or union best: the reference" in text


@pytest.mark.django_db
def test_a_text_metric_that_is_not_installed_has_its_install_command(
    client: Client, monkeypatch: pytest.MonkeyPatch
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
    broken = PluginDescription(
        "scorers.text.sun:Sun", error=Failure("load_error", "It cannot be imported.", "secret.py")
    )
    monkeypatch.setattr(sandboxes, "discover_text_metrics", lambda: [missing, broken])
    html = get(client, "/plugins/")
    assert f"MOON not installed scorers.text.moon:Moon {line} How lunar it is." in words(html)
    assert "Compares with nothing: it needs no references 1 parameter" in words(html)
    assert "Sun scorers.text.sun:Sun It cannot be imported." in words(html)
    assert "secret.py" not in html


@pytest.mark.django_db
def test_a_broken_metric_is_shown_with_its_error(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    failure = Failure("load_error", "It cannot be imported.", "Traceback: in secret.py")
    broken = PluginDescription("scorers.metrics.broken:Broken", error=failure)
    monkeypatch.setattr(sandboxes, "discover_metrics", lambda **_: [broken])
    html = get(client, "/plugins/")
    assert "scorers.metrics.broken:Broken It cannot be imported." in words(html)
    assert "pass_rate" in html
    assert "secret.py" not in html


@pytest.mark.django_db
def test_a_broken_scorer_is_shown_with_its_error(
    client: Client, as_ann: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    failure = Failure("load_error", "It cannot be imported.", "Traceback: in secret.py")
    broken = PluginDescription("scorers.broken:Broken", error=failure)
    monkeypatch.setattr(sandboxes, "discover", lambda: [broken])
    html = get(client, "/plugins/")
    assert "Broken scorers.broken:Broken It cannot be imported." in words(html)
    assert "secret.py" not in html
    assert "secret.py" in get(as_ann, "/plugins/")


@pytest.mark.django_db
def test_the_page_works_without_a_sandbox(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> list[PluginDescription]:
        raise SandboxError("no fork here")

    monkeypatch.setattr(sandboxes, "discover", refuse)
    html = get(client, "/plugins/")
    assert "Scorers cannot be asked on this server at the moment." in html
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


@pytest.mark.parametrize(
    ("schema", "kind", "limits"),
    [
        ({"type": "integer", "minimum": 1, "maximum": 9}, "whole number", "at least 1, at most 9"),
        ({"enum": ["best", "union"], "type": "string"}, "text", "best or union"),
        (
            {"anyOf": [{"enum": ["a", "b", "c"], "type": "string"}, {"type": "null"}]},
            "text or null",
            "a, b or c",
        ),
        (
            {"type": "array", "items": {"type": "number", "minimum": 0}, "minItems": 1},
            "list of numbers",
            "each at least 0; at least 1 of them",
        ),
        ({"const": "cpu", "type": "string"}, "text", "only cpu"),
        ({"type": "string", "pattern": "^[a-z]+$"}, "text", "of the pattern ^[a-z]+$"),
        ({"type": "boolean"}, "true or false", ""),
        ({"type": "array", "items": {"$ref": "#/$defs/X"}}, "list of values", ""),
        ({}, "", ""),
    ],
)
def test_types_and_limits_are_described(schema: dict[str, Any], kind: str, limits: str) -> None:
    (field,) = fields_of(PluginDescription("a:B", config_schema={"properties": {"x": schema}}), {})
    assert (field.type, field.limits) == (kind, limits)
