"""The text metrics that a challenge declares, and the errors for wrong declarations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from leaderboard.models import Challenge, Tenant
from leaderboard.sandbox import Failure, PluginDescription
from leaderboard.schemas.scoring import MAX_TEXT_TIMEOUT_MS
from leaderboard.services.challenges.challenges import change_challenge, create_challenge
from leaderboard.services.errors import ServiceError
from leaderboard.services.evaluation import text_fields
from leaderboard.services.evaluation.text_fields import why_not_ranked
from tests.services.evaluation.text import translation

BLEU = {"id": "bleu_nltk", "parameters": {"weights": [0.5, 0.5]}, "name": "bleu"}


def refused(tenant: Tenant, **fields: Any) -> Mapping[str, list[str]]:
    plain = {"name": "Plain", "scoring_strategy": "first"}
    with pytest.raises(ServiceError) as caught:
        create_challenge(tenant=tenant, user=None, fields=plain | fields)
    assert caught.value.code == "invalid"
    assert not Challenge.objects.exists()
    return caught.value.fields


def test_metrics_are_stored_under_their_registered_ids(tenant: Tenant) -> None:
    config = translation(tenant, None, text_metrics=["exact_match", BLEU]).newest
    assert config.text_metrics == ["EXACT_MATCH", BLEU | {"id": "BLEU_NLTK"}]
    assert [spec.name for spec in config.text_specs] == ["EXACT_MATCH", "bleu"]
    assert config.text_timeout_ms == 600_000
    assert config.references_id is None


def test_an_unknown_field_is_refused(tenant: Tenant) -> None:
    """A document may have unknown fields, but an unknown field of a challenge's metric is a
    mistake."""
    wrong = {"id": "F1", "min_coverage": 0.5}
    assert refused(tenant, text_metrics=["EXACT_MATCH", wrong]) == {
        "text_metrics.1.min_coverage": [
            'must be a known field (id, enable, parameters, name, reported); got "min_coverage"'
        ]
    }


def test_a_change_of_text_metrics_makes_a_new_config(tenant: Tenant) -> None:
    challenge = translation(tenant, None)
    change_challenge(challenge, user=None, fields={"text_metrics": ["EXACT_MATCH"]})
    assert challenge.newest.number == 1
    change_challenge(challenge, user=None, fields={"text_timeout_ms": 5000})
    change_challenge(challenge, user=None, fields={"text_metrics": ["EXACT_MATCH", "f1"]})
    assert (challenge.newest.number, challenge.newest.text_timeout_ms) == (3, 5000)
    change_challenge(challenge, user=None, fields={"references_visibility": "public"})
    assert challenge.newest.number == 3
    assert challenge.references_visibility == "public"


@pytest.mark.parametrize(
    ("entries", "place", "message"),
    [
        (["METEOR"], "text_metrics.0.id", 'got "METEOR"'),
        (["F1", {"id": "METEOR"}], "text_metrics.1.id", 'got "METEOR"'),
        (["F1", "f1"], "text_metrics.1.name", 'must be a name of its own; got "F1" twice'),
        ({"id": "F1"}, "text_metrics", "must be a list"),
        ([BLEU | {"parameters": {"weights": "x"}}], "text_metrics.0.parameters.weights", ""),
        ([BLEU | {"parameters": {"colour": 1}}], "text_metrics.0.parameters.colour", "weights"),
        ([BLEU | {"parameters": [1]}], "text_metrics.0.parameters", "must be an object"),
    ],
)
def test_errors_name_the_wrong_text_metrics(
    tenant: Tenant, entries: Any, place: str, message: str
) -> None:
    wrong = refused(tenant, text_metrics=entries)
    assert place in wrong
    assert message in wrong[place][0]


def test_disabled_text_metrics_are_not_checked(tenant: Tenant) -> None:
    off = {"id": "METEOR", "enable": False, "parameters": {"what": "ever"}}
    assert translation(tenant, None, text_metrics=["f1", off], rank_by=[{"key": "F1"}])


def test_a_metric_that_is_not_installed_may_be_named(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The module that it needs may be installed here, so the test replaces that check."""
    error = Failure("not_installed", "BERTSCORE is not installed here: pip install bert-score")
    missing = PluginDescription("scorers.text.bertscore:BertScore", name="BERTSCORE", error=error)
    monkeypatch.setattr(text_fields, "find_text_metric", lambda metric_id: missing)
    config = translation(
        tenant, None, text_metrics=["bertscore"], rank_by=[{"key": "BERTSCORE:recall"}]
    ).newest
    assert config.text_metrics == ["BERTSCORE"]


@pytest.mark.parametrize("taken", ["bleu", {"type": "mean", "name": "bleu:x"}])
def test_a_text_metric_cannot_have_the_name_of_another_metric(tenant: Tenant, taken: Any) -> None:
    entry = {"type": "mean", "name": "bleu"} if taken == "bleu" else taken
    wrong = refused(tenant, metrics=[entry], text_metrics=["F1", BLEU])
    assert list(wrong) == ["text_metrics.1.name"]
    assert translation(
        tenant, None, metrics=[entry], text_metrics=["EXACT_MATCH", BLEU | {"enable": False}]
    )


@pytest.mark.parametrize("wrong", [0, -1, True, 1.5, "5", MAX_TEXT_TIMEOUT_MS + 1])
def test_the_time_limit_must_be_in_range(tenant: Tenant, wrong: Any) -> None:
    assert list(refused(tenant, text_timeout_ms=wrong)) == ["text_timeout_ms"]


@pytest.mark.parametrize("key", ["bleu", "bleu:corpus_bleu", "EXACT_MATCH", "reported", "f1"])
def test_a_board_can_rank_by_a_text_metric(tenant: Tenant, key: str) -> None:
    challenge = translation(
        tenant, None, text_metrics=["EXACT_MATCH", BLEU], rank_by=[{"key": key}]
    )
    assert challenge.newest.rank_by == [{"key": key, "direction": "desc"}]


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("F1", "add it to text_metrics"),
        ("F1:other", "add it to text_metrics"),
        ("BLEU_NLTK", "add it to text_metrics"),
        ("exact_match", 'got "exact_match": did you mean "EXACT_MATCH"'),
        ("Bleu:corpus_bleu", 'did you mean "bleu:corpus_bleu"?'),
    ],
)
def test_a_board_cannot_rank_by_an_undeclared_text_metric(
    tenant: Tenant, key: str, message: str
) -> None:
    fields = {"scoring_strategy": "metric", "text_metrics": ["EXACT_MATCH", BLEU]}
    wrong = refused(tenant, **fields, rank_by=[{"key": key}])
    assert message in wrong["rank_by.0.key"][0]


def test_a_board_can_rank_by_a_name_with_any_characters(tenant: Tenant) -> None:
    named = {"id": "F1", "name": "F1 (Wörter)"}
    challenge = translation(tenant, None, text_metrics=[named], rank_by=[{"key": "F1 (Wörter)"}])
    assert why_not_ranked("F1 (Wörter)", challenge.newest.text_specs) == ""
    fields = {"scoring_strategy": "metric", "text_metrics": [named]}
    with pytest.raises(ServiceError, match=r"must be one of .*, F1 \(Wörter\), or the name"):
        create_challenge(
            tenant=tenant,
            user=None,
            fields={"name": "B", **fields, "rank_by": [{"key": "F1 (Wort)"}]},
        )


def test_text_metrics_have_a_coverage(tenant: Tenant) -> None:
    assert translation(tenant, None, min_coverage=0.5).newest.min_coverage == 0.5
