"""The text metrics that a challenge declares, and the errors for wrong declarations."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from leaderboard.models import Challenge, Tenant
from leaderboard.sandbox import Failure, PluginDescription
from leaderboard.schemas.scoring import MAX_TEXT_TIMEOUT_MS
from leaderboard.services.challenges.challenges import change_challenge, create_challenge
from leaderboard.services.evaluation import text_fields
from leaderboard.services.evaluation.text_fields import why_not_ranked
from tests.services.evaluation.text import translation
from tests.services.refusals import check_refusals, refusal

BLEU = {"id": "bleu_nltk", "parameters": {"weights": [0.5, 0.5]}, "name": "bleu"}


def test_metrics_are_stored_under_their_registered_ids(tenant: Tenant) -> None:
    config = translation(tenant, None, text_metrics=["exact_match", BLEU]).newest
    assert config.text_metrics == ["EXACT_MATCH", BLEU | {"id": "BLEU_NLTK"}]
    assert [spec.name for spec in config.text_specs] == ["EXACT_MATCH", "bleu"]
    assert config.text_timeout_ms == 600_000
    assert config.references_id is None


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


def test_errors_name_the_wrong_text_metrics(tenant: Tenant) -> None:
    """A document may have unknown fields, but an unknown field of a challenge's metric is a
    mistake. Other wrong entries: tests/schemas."""
    unknown = {"id": "F1", "min_coverage": 0.5}
    cases: list[tuple[Any, ...]] = [
        (["EXACT_MATCH", unknown], "text_metrics.1.min_coverage", 'got "min_coverage"'),
        (["F1", {"id": "METEOR"}], "text_metrics.1.id", 'got "METEOR"'),
        (["F1", "f1"], "text_metrics.1.name", 'got "F1" twice'),
        ({"id": "F1"}, "text_metrics", "list"),
        ([BLEU | {"parameters": {"weights": "x"}}], "text_metrics.0.parameters.weights"),
        ([BLEU | {"parameters": {"colour": 1}}], "text_metrics.0.parameters.colour", "weights"),
        ([BLEU | {"parameters": [1]}], "text_metrics.0.parameters", "object"),
    ]
    plain = {"name": "Plain", "scoring_strategy": "first"}
    check_refusals(
        lambda entries: create_challenge(
            tenant=tenant, user=None, fields={**plain, "text_metrics": entries}
        ),
        cases,
    )
    limits = (0, -1, True, 1.5, "5", MAX_TEXT_TIMEOUT_MS + 1)
    check_refusals(
        lambda limit: create_challenge(
            tenant=tenant, user=None, fields={**plain, "text_timeout_ms": limit}
        ),
        [(limit, "text_timeout_ms") for limit in limits],
    )
    assert not Challenge.objects.exists()


def test_disabled_text_metrics_are_not_checked(tenant: Tenant) -> None:
    off = {"id": "METEOR", "enable": False, "parameters": {"what": "ever"}}
    assert translation(tenant, None, text_metrics=["f1", off], rank_by=[{"key": "F1"}])


def test_a_metric_that_is_not_installed_may_be_named(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The module that it needs may be installed here, so the test replaces that check."""
    error = Failure("not_installed", "BERTSCORE is not installed here: pip install bert-score")
    missing = PluginDescription("scorers.text.bertscore:BertScore", name="BERTSCORE", error=error)
    monkeypatch.setattr(text_fields, "find_text_metric", lambda *names: missing)
    config = translation(
        tenant, None, text_metrics=["bertscore"], rank_by=[{"key": "BERTSCORE:recall"}]
    ).newest
    assert config.text_metrics == ["BERTSCORE"]


def test_a_text_metric_cannot_have_the_name_of_another_metric(tenant: Tenant) -> None:
    for name in ("bleu", "bleu:x"):
        metrics = [{"type": "mean", "name": name}]
        error = refusal(partial(translation, tenant, None, metrics=metrics, text_metrics=[BLEU]))
        assert list(error.fields) == ["text_metrics.0.name"]
        disabled = ["EXACT_MATCH", BLEU | {"enable": False}]
        assert translation(tenant, None, metrics=metrics, text_metrics=disabled)


def test_a_board_can_rank_by_a_text_metric(tenant: Tenant) -> None:
    for key in ("bleu", "bleu:corpus_bleu", "EXACT_MATCH", "reported", "f1"):
        challenge = translation(
            tenant, None, text_metrics=["EXACT_MATCH", BLEU], rank_by=[{"key": key}]
        )
        assert challenge.newest.rank_by == [{"key": key, "direction": "desc"}]


def test_a_board_cannot_rank_by_an_undeclared_text_metric(tenant: Tenant) -> None:
    cases = [
        *((key, "rank_by.0.key", "text_metrics") for key in ("F1", "F1:other", "BLEU_NLTK")),
        ("exact_match", "rank_by.0.key", 'got "exact_match"', 'did you mean "EXACT_MATCH"'),
        ("Bleu:corpus_bleu", "rank_by.0.key", 'did you mean "bleu:corpus_bleu"?'),
    ]
    metrics = ["EXACT_MATCH", BLEU]
    check_refusals(
        lambda key: translation(tenant, None, text_metrics=metrics, rank_by=[{"key": key}]), cases
    )


def test_a_board_can_rank_by_a_name_with_any_characters(tenant: Tenant) -> None:
    named = {"id": "F1", "name": "F1 (Wörter)"}
    challenge = translation(tenant, None, text_metrics=[named], rank_by=[{"key": "F1 (Wörter)"}])
    assert why_not_ranked("F1 (Wörter)", challenge.newest.text_specs) == ""
    check_refusals(
        lambda key: translation(tenant, None, text_metrics=[named], rank_by=[{"key": key}]),
        [("F1 (Wort)", "rank_by.0.key", "F1 (Wörter)")],
    )


def test_text_metrics_have_a_coverage(tenant: Tenant) -> None:
    assert translation(tenant, None, min_coverage=0.5).newest.min_coverage == 0.5
