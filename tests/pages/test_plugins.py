"""The plugins of this server, and how their configs are shown."""

from __future__ import annotations

import pytest
from django.test import Client

from leaderboard.importers import known_importers
from leaderboard.pages.config_table import Field, fields_of
from leaderboard.sandbox import Failure, SandboxError
from leaderboard.services import sandboxes
from leaderboard.services.plugins import PluginDescription
from scorers.metrics.registry import shipped
from tests.pages.reading import get, words


@pytest.mark.django_db
def test_shows_every_scorer_with_its_config(client: Client) -> None:
    text = words(get(client, "/plugins/"))
    assert "WeightedScorer scorers.weighted:WeightedScorer" in text
    assert "EfficiencyScorer scorers.efficiency:EfficiencyScorer" in text
    assert "token_penalty 0.01 Points lost for each token (at least 0)" in text


@pytest.mark.django_db
def test_shows_every_metric_and_importer_in_a_line(client: Client) -> None:
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
def test_shows_a_broken_metric_with_its_error(
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
def test_shows_a_broken_one_with_its_error(
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
def test_works_where_scorers_cannot_be_asked(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
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
        Field("bonus", "Points", "at least 0", "50", "100", is_default=False),
        Field("mode", "", "", "", "", is_default=True),
        Field("extra", "", "", "[1]", "", is_default=False),
    ]


def test_null_and_the_default_itself_are_the_default() -> None:
    plugin = PluginDescription("a:B", defaults={"half": 0.1, "other": 2.0})
    assert [field.is_default for field in fields_of(plugin, {"half": None, "other": 2.0})] == [
        True,
        True,
    ]
