"""Declarations of text metrics, and the errors for wrong ones."""

from __future__ import annotations

import json
from typing import Any

from leaderboard.schemas.text_metrics import (
    MAX_TEXT_METRICS,
    TextSpec,
    enabled,
    parse_text_metrics,
    text_spec_of,
)
from tests.schemas.refusals import refused

REGISTERED = ("BLEU_NLTK", "F1", "length_ratio")


def registered_id(metric_id: str) -> str:
    for registered in REGISTERED:
        if registered.casefold() == metric_id.casefold():
            return registered
    raise LookupError(f"no such text metric; there are: {', '.join(REGISTERED)}")


def parsed(*entries: Any, **more: Any) -> list[TextSpec]:
    return list(parse_text_metrics(entries, registered_id, **more))


def test_a_metric_is_an_id_or_an_object() -> None:
    weights = {"weights": [0.5, 0.5]}
    entry: Any = {"id": "bleu_nltk", "enable": True, "parameters": weights, "colour": "red"}
    assert parsed("f1", entry) == [
        TextSpec("F1", "F1", True, {}, {"id": "f1"}),
        TextSpec("BLEU_NLTK", "BLEU_NLTK", True, weights, entry),
    ]
    assert parse_text_metrics([]) == ()


def test_null_means_absent() -> None:
    (spec,) = parsed({"id": "F1", "enable": None, "parameters": None, "name": None})
    assert (spec.enable, spec.parameters, spec.name) == (True, {}, "F1")


def test_ids_are_kept_if_no_metrics_are_known() -> None:
    (spec,) = parse_text_metrics(["gone_metric"])
    assert (spec.id, spec.name) == ("gone_metric", "gone_metric")


def test_a_disabled_metric_may_be_unknown_and_reserves_no_name() -> None:
    off = {"id": "NONE_SUCH", "enable": False}
    specs = parsed(off, {**off, "name": "F1"}, "F1", {"id": "f1", "enable": False})
    assert [spec.name for spec in enabled(specs)] == ["F1"]


def test_a_document_may_name_a_metric_twice() -> None:
    specs = parsed("F1", {"id": "f1"}, "f1", number_doubles=True)
    assert [spec.name for spec in specs] == ["F1", "F1-2", "F1-3"]


def test_keys_belong_to_the_metric_of_that_name() -> None:
    specs = parsed({"id": "BLEU_NLTK", "name": "bleu"}, {"id": "F1", "enable": False})
    assert text_spec_of("bleu", specs) == text_spec_of("bleu:corpus_bleu", specs) == specs[0]
    for other in ("BLEU_NLTK", "bleu2", "F1", ""):
        assert text_spec_of(other, specs) is None


def test_metrics_are_equal_if_id_and_parameters_are() -> None:
    first, second, third = parse_text_metrics(
        [
            {"id": "bleu_nltk", "parameters": {"a": 1}},
            {"id": "BLEU_NLTK", "parameters": {"a": 1}, "name": "mine"},
            {"id": "BLEU_NLTK", "parameters": {"a": 2}, "name": "theirs"},
        ]
    )
    assert first.computes_as(second)
    assert not first.computes_as(third)


def test_a_challenge_stores_a_metric_under_its_registered_id() -> None:
    cases: list[tuple[Any, Any]] = [
        ("f1", "F1"),
        ({"id": "f1"}, "F1"),
        ({"id": "f1", "name": "mine", "why": [1]}, {"id": "F1", "name": "mine", "why": [1]}),
        ({"id": "f1", "enable": False}, {"id": "f1", "enable": False}),
    ]
    for entry, written in cases:
        (spec,) = parsed(entry)
        assert spec.as_json() == written, entry
        assert parsed(json.loads(json.dumps(written)))[0].as_json() == written, entry


def test_errors_name_the_wrong_entry() -> None:
    cases: list[tuple[Any, str, str]] = [
        ("F1", "text_metrics", "must be a list"),
        ({"id": "F1"}, "text_metrics", "must be a list"),
        (None, "text_metrics", "must be a list"),
        (["F1"] * (MAX_TEXT_METRICS + 1), "text_metrics", "at most 50"),
        ([7], "text_metrics.0", "the id of a text metric"),
        ([None], "text_metrics.0", "the id of a text metric"),
        (["F1", {}], "text_metrics.1.id", "is required; got nothing"),
        ([{"id": None}], "text_metrics.0.id", "text of 1 to 80"),
        ([{"id": 7}], "text_metrics.0.id", "text of 1 to 80"),
        ([""], "text_metrics.0.id", "text of 1 to 80"),
        (["x" * 81], "text_metrics.0.id", "text of 1 to 80"),
        (["F1\n"], "text_metrics.0.id", "text of 1 to 80"),
        (["METEOR"], "text_metrics.0.id", "BLEU_NLTK, F1, length_ratio"),
        ([{"id": "F1", "enable": "yes"}], "text_metrics.0.enable", "true or false"),
        ([{"id": "F1", "enable": 1}], "text_metrics.0.enable", "true or false"),
        ([{"id": "F1", "parameters": []}], "text_metrics.0.parameters", "must be an object"),
        ([{"id": "F1", "parameters": "a"}], "text_metrics.0.parameters", "must be an object"),
        ([{"id": "F1", "name": ""}], "text_metrics.0.name", "text of 1 to 80"),
        ([{"id": "F1", "name": "a:b"}], "text_metrics.0.name", "no colon"),
        ([{"id": "F1", "name": "score"}], "text_metrics.0.name", "another value"),
        ([{"ID": "F1"}], "text_metrics.0.ID", "did you mean id?"),
        ([{"id": "F1", "Parameters": {}}], "text_metrics.0.Parameters", "did you mean parameters?"),
        (["F1", "f1"], "text_metrics.1.name", 'got "F1" twice'),
        (["F1", {"id": "BLEU_NLTK", "name": "F1"}], "text_metrics.1.name", 'got "F1" twice'),
        ([{"id": 7, "enable": False}], "text_metrics.0.id", "text of 1 to 80"),
    ]
    for entries, field, message in cases:
        error = refused(parse_text_metrics, entries, registered_id)
        assert error.field == field, error.message
        assert message in error.message


def test_errors_have_the_path_within_the_document() -> None:
    error = refused(parse_text_metrics, [{"id": "METEOR"}], registered_id, "evaluation.metrics")
    assert error.field == "evaluation.metrics.0.id"
