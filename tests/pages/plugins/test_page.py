"""The page of one plugin: its source where public, and the form that tries it."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from leaderboard.pages.plugins import trial as plugin_trial
from leaderboard.rules.plugins.descriptions import SHIPPED
from leaderboard.sandbox import PluginDescription
from leaderboard.services.plugins import sandboxes
from leaderboard.services.plugins.sources import is_public, source_of
from leaderboard.services.scoring import trials
from tests.pages.reading import get, words

pytestmark = pytest.mark.django_db

WEIGHTED = "/plugins/scorers.weighted:WeightedScorer/"
MEAN = "/plugins/scorers.metrics.mean:Mean/"
F1 = "/plugins/scorers.text.f1:F1/"
FACTS = {"succeeded": "on", "rating": "4", "elapsed_ms": "10000", "tokens_total": "1000"}
OF = {"settings_of": "scorers.weighted:WeightedScorer"}
SECRET = PluginDescription("scorers.secret:Secret", "Secret", "It knows the answer.")


@pytest.fixture(autouse=True)
def fresh() -> None:
    cache.clear()


def sent(client: Client, path: str, **fields: Any) -> str:
    response = client.post(path, fields)
    assert response.status_code == 200
    return response.content.decode()


def test_everybody_may_read_a_shipped_plugin(client: Client) -> None:
    html = get(client, WEIGHTED)
    assert "class WeightedScorer:" in html
    assert "token_penalty 0.01 Points" in words(html)
    assert '<form class="trial' not in html
    assert "class Mean:" in get(client, MEAN)
    listed = get(client, "/plugins/")
    for path in (WEIGHTED, MEAN, F1):
        assert f'href="{path}"' in listed
    of_texts = ("scorers.text.", "scorers.predictions.")
    linked = [module for module in SHIPPED if not module.startswith(of_texts)]
    assert all(f'href="/plugins/{module}:' in listed for module in linked)
    for path in ("/plugins/os:system/", "/plugins/nothing/", "/plugins/a.b:C/"):
        assert client.get(path).status_code == 404, path


def test_the_address_before_metrics_of_predictions_had_folders_leads_on(client: Client) -> None:
    name = "rmse:RootMeanSquaredError"
    moved = client.get(f"/plugins/scorers.predictions.{name}/")
    assert (moved.status_code, moved["Location"]) == (
        301,
        f"/plugins/scorers.predictions.values.{name}/",
    )
    assert client.get(moved["Location"]).status_code == 200


def test_a_user_tries_a_scorer_in_the_sandbox(as_ben: Client) -> None:
    # 100 + 4 × 10 − 10 × 1 − 1000 × 0.01 = 120; with a rating weight of 20: 160.
    text = words(sent(as_ben, WEIGHTED, **FACTS, **OF, values=""))
    assert "Result 120.00" in text
    assert "Rating contribution +40" in text
    fields = {**FACTS, **OF, "scoring_config.rating_weight": "20"}
    assert "Result 160.00" in words(sent(as_ben, WEIGHTED, **fields))


def test_wrong_input_is_named(as_ben: Client) -> None:
    fields = {**FACTS, **OF, "scoring_config.rating_weight": "x", "values": '{"a": "b"}'}
    html = sent(as_ben, WEIGHTED, **fields)
    assert 'id="id_scoring_config.rating_weight_error"' in html
    assert 'id="id_values_error"' in html


def test_an_error_of_the_scorer_has_no_value(as_ben: Client) -> None:
    path = "/plugins/scorers.efficiency:EfficiencyScorer/"
    fields = {**FACTS, "settings_of": "scorers.efficiency:EfficiencyScorer"}
    html = sent(as_ben, path, **fields, **{"scoring_config.half_cost_usd": "-1"})
    text = words(html.partition('id="source"')[0])
    assert "No value" in text
    assert "above 0" not in text, "messages of exceptions are for organisers"


def test_a_user_tries_a_metric(as_ben: Client) -> None:
    text = words(sent(as_ben, MEAN, rewards="1 0\n0.5, 0.5\n\n1 1\n0 1\n0 0\n1 0"))
    assert "Result 0.5 95% interval: " in text
    html = get(as_ben, "/plugins/")
    path = html.split("<code>pass@K</code>")[0].rpartition('href="')[2].partition('"')[0]
    text = words(sent(as_ben, path, k="2", rewards="0 1 1\n0 0 1"))
    assert "Result 0.5" in text
    for rewards in ("1 x", "1 " * 1001):
        assert 'id="id_rewards_error"' in sent(as_ben, MEAN, rewards=rewards)


def test_a_user_tries_a_text_metric(as_ben: Client) -> None:
    fields = {"settings_of": "scorers.text.f1:F1", "output": "The quay is long."}
    text = words(sent(as_ben, F1, **fields, references="a long quay\nthe quay is long"))
    assert "Result 0.5" in text, "the best of two references counts"
    fields["scoring_config.ignore_punctuation"] = "on"
    assert "Result 1" in words(sent(as_ben, F1, **fields, references="The quay is long"))
    assert "Result 0" in words(sent(as_ben, F1, output="", references="quay"))
    assert 'id="id_references_error"' in sent(as_ben, F1, output="quay")


def test_further_numbers_of_a_text_metric_and_wrong_parameters(as_ben: Client) -> None:
    path = "/plugins/scorers.text.rouge:Rouge/"
    fields = {"settings_of": "scorers.text.rouge:Rouge", "output": "a b", "references": "a b c"}
    text = words(sent(as_ben, path, **fields, **{"scoring_config.types": "rouge1, rougeL"}))
    assert "Result 0.8" in text
    assert "rougeL" in text.partition("Result 0.8")[2]
    html = sent(as_ben, path, **fields, **{"scoring_config.types": "rouge0"})
    assert "Result" not in words(html).partition("Source")[0]


def test_a_text_metric_that_is_not_installed_has_no_form(as_ben: Client) -> None:
    html = get(as_ben, "/plugins/scorers.text.bertscore:BertScore/")
    assert '<form class="trial' not in html
    assert "python -m pip install bert-score" in words(html)


def test_visitors_are_asked_to_sign_in(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trials, "try_scorer", None)
    response = client.post(WEIGHTED, FACTS)
    assert response.status_code == 302
    assert response.headers["Location"].startswith("/sign-in/?next=")


def test_trials_are_limited(
    as_ben: Client, as_zoe: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plugin_trial, "RATE_OF_USER", "2/day")
    for _ in range(2):
        sent(as_ben, MEAN, rewards="1")
    refused = as_ben.post(MEAN, {"rewards": "1"})
    assert refused.status_code == 429
    seconds = int(refused["Retry-After"])
    assert 1 <= seconds <= 86400
    assert "Retry-After" not in as_zoe.get(MEAN)
    sent(as_zoe, MEAN, rewards="1")


def test_a_plugin_is_public_only_if_it_says_so(
    as_ben: Client, as_ann: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandboxes, "discover", lambda: [SECRET])
    path = "/plugins/scorers.secret:Secret/"
    html = get(as_ben, path)
    assert "not public" in html
    assert '<form class="trial' not in html
    assert as_ben.post(path, FACTS).status_code == 404
    html = get(as_ann, path)
    assert '<form class="trial' in html
    assert '<div lang=""><p>It knows' in html


def test_only_files_of_plugin_packages_are_read(settings: Any, tmp_path: Any) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "odd.py").write_text("class Odd: ...")
    settings.SCORER_PATH, settings.SCORER_PACKAGES = [tmp_path], ["mine"]
    odd = PluginDescription("mine.odd:Odd", "Odd", public_source=True)
    assert is_public(odd)
    assert source_of(odd) == "class Odd: ..."
    for entrypoint in ("mine.../odd:Odd", "leaderboard.settings:X", "mine.nothing:X"):
        assert source_of(PluginDescription(entrypoint)) == ""


def test_only_what_is_imported_is_shown(settings: Any, tmp_path: Any) -> None:
    """Beside its own code, a package may have a link to a secret that Podium can read; and a later
    folder may have a package of the same name, which belongs to somebody else."""
    first, later = tmp_path / "first", tmp_path / "later"
    for folder in (first / "mine" / "odd", later / "mine"):
        folder.mkdir(parents=True)
    for path in (first / "mine", first / "mine" / "odd", later / "mine"):
        (path / "__init__.py").write_text("class Odd: ...")
    for path in (tmp_path / "secret", later / "mine" / "theirs.py"):
        path.write_text("hunter2")
    for name in ("odd.py", "link.py"):
        (first / "mine" / name).symlink_to(tmp_path / "secret")
    settings.SCORER_PATH, settings.SCORER_PACKAGES = [first, later], ["mine"]
    assert source_of(PluginDescription("mine.odd:Odd")) == "class Odd: ..."
    assert source_of(PluginDescription("mine:Odd")) == "class Odd: ..."
    for entrypoint in ("mine.link:Odd", "mine.theirs:Odd"):
        assert source_of(PluginDescription(entrypoint)) == ""


def test_plugins_are_found(client: Client) -> None:
    for search, expected, absent in (
        ("TOKEN penalty", "WeightedScorer", "EfficiencyScorer"),
        ("pass@", "pass@K", "WeightedScorer"),
        ("junit", "junit", "WeightedScorer"),
        ("zebra", "“zebra”", "WeightedScorer"),
    ):
        html = client.get("/plugins/", {"q": search}).content.decode()
        assert expected in html, search
        assert absent not in html, search


def test_built_in_plugins_are_described_in_german(client: Client) -> None:
    german = {"accept-language": "de"}
    page = client.get(WEIGHTED, headers=german).content.decode()
    about = page.partition('id="source"')[0]
    assert "<p>Erfolgsbonus" in about
    assert "Verlorene Punkte" in about
    text = words(client.get("/plugins/", headers=german).content.decode())
    assert "ersten K Durchläufe" in text
    assert "gemeinsamen Wörter" in text
    api = client.get("/api/v1/plugins/", headers=german)
    assert "Erfolgsbonus" not in api.content.decode()
