"""SACREBLEU and CHRF compared with sacrebleu itself."""

from collections.abc import Sequence
from itertools import zip_longest
from statistics import fmean
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF

from leaderboard.sandbox.child.configs import check
from scorers.text.chrf import Chrf
from scorers.text.sacrebleu_bleu import TOKENIZERS, Sacrebleu
from tests.helpers.examples import examples
from tests.helpers.vectors import vectors
from tests.scorers.text.cases import (
    Said,
    assert_wrong,
    case,
    evaluate,
    instances,
    score_in_blocks,
)

MANY = [
    case("The cat sat on the mat.", "The cat is on the mat.", "A cat sat on a mat."),
    case("hello world again pal", "hello world again friend", "hi world once more pal"),
    case("", "nothing", "no words"),
    case("yes", "yes", "no"),
]


def streams(given: Sequence[Said]) -> Any:
    """Return references as sacrebleu takes them: all first ones, all second ones…; None if
    missing."""
    return [list(stream) for stream in zip_longest(*(instance.references for instance in given))]


def test_the_corpus_score_equals_sacrebleus() -> None:
    for vector in vectors("extra_text_metrics", "sacrebleu"):
        asked, expected = vector["input"], vector["expected"]["value"]
        columns = (asked["hypotheses"], *asked["reference_streams"])
        given = [case(*texts) for texts in zip(*columns, strict=True)]
        outcome = evaluate(Sacrebleu, given, **asked["kwargs"])
        tolerance = vector["tolerance"]
        assert outcome["score"]["corpus_bleu"] == pytest.approx(expected["score"], abs=tolerance)
        made_of = BLEU()._compute_score_from_stats(outcome["statistics"]["counts"])
        assert made_of.precisions == pytest.approx(expected["precisions"], abs=tolerance)
        assert made_of.bp == pytest.approx(expected["bp"], abs=tolerance), vector["name"]
        assert (made_of.sys_len, made_of.ref_len) == (expected["sys_len"], expected["ref_len"])


bleu_parameters = st.fixed_dictionaries(
    {
        "lowercase": st.booleans(),
        "tokenize": st.sampled_from([None, *TOKENIZERS]),
        "smooth_method": st.sampled_from(["exp", "floor", "add-k", "none"]),
        "smooth_value": st.sampled_from([None, 0.5]),
        "max_ngram_order": st.integers(1, 5),
        "effective_order": st.booleans(),
        "trg_lang": st.sampled_from(["", "zh", "de"]),
    }
)
chrf_parameters = st.fixed_dictionaries(
    {
        "char_order": st.integers(1, 7),
        "word_order": st.integers(0, 2),
        "beta": st.integers(1, 3),
        "lowercase": st.booleans(),
        "whitespace": st.booleans(),
        "eps_smoothing": st.booleans(),
    }
)


@settings(max_examples=examples(150), deadline=None)
@given(st.lists(instances, min_size=1, max_size=6), bleu_parameters, st.integers(1, 5))
def test_bleu_equals_sacrebleus(given: list[Said], parameters: dict[str, Any], cut: int) -> None:
    metric = BLEU(**parameters)
    expected = metric.corpus_score([instance.output for instance in given], streams(given))
    outcome = evaluate(Sacrebleu, given, **parameters)
    assert outcome["score"]["corpus_bleu"] == expected.score
    assert outcome["score"]["signature"] == str(metric.get_signature())
    alone = BLEU(**{**parameters, "effective_order": True})
    sentences = [
        alone.sentence_score(instance.output, instance.references).score for instance in given
    ]
    assert outcome["results"] == sentences
    assert outcome["score"]["mean_of_sentence_bleu"] == pytest.approx(fmean(sentences), abs=1e-12)
    apart = score_in_blocks(Sacrebleu, given, [min(cut, len(given))], **parameters)
    assert apart == pytest.approx(outcome["score"], abs=1e-12)


@settings(max_examples=examples(150), deadline=None)
@given(st.lists(instances, min_size=1, max_size=6), chrf_parameters)
def test_chrf_equals_sacrebleus(given: list[Said], parameters: dict[str, Any]) -> None:
    metric = CHRF(**parameters)
    expected = metric.corpus_score([instance.output for instance in given], streams(given))
    outcome = evaluate(Chrf, given, **parameters)
    assert outcome["score"]["corpus_chrf"] == expected.score
    assert outcome["score"]["signature"] == str(metric.get_signature())
    sentences = [
        metric.sentence_score(instance.output, instance.references).score for instance in given
    ]
    assert outcome["results"] == sentences
    assert outcome["score"]["mean_of_sentence_chrf"] == pytest.approx(fmean(sentences), abs=1e-12)


def test_the_signature_has_the_number_of_references() -> None:
    for metric in (Sacrebleu, Chrf):
        single = case("a b", "a")
        assert "nrefs:2|" in evaluate(metric, MANY)["score"]["signature"], metric
        assert "nrefs:1|" in evaluate(metric, [single])["score"]["signature"], metric
        assert "nrefs:var|" in evaluate(metric, [*MANY, single])["score"]["signature"], metric
        apart = score_in_blocks(metric, [*MANY, single], [len(MANY)])
        assert "nrefs:var|" in apart["signature"], metric


def test_the_score_of_a_short_sentence_is_not_zero() -> None:
    assert evaluate(Sacrebleu, [case("yes", "yes")])["results"] == [pytest.approx(100)]


def test_wrong_parameters_of_bleu_are_refused_by_name() -> None:
    cases: list[tuple[dict[str, Any], str, str]] = [
        ({"tokenize": "flores200"}, "tokenize", "flores200"),
        ({"tokenize": "spm"}, "tokenize", "13a, intl, zh, char, none."),
        ({"tokenize": "ja-mecab"}, "tokenize", "needs MeCab"),
        ({"tokenize": "14a"}, "tokenize", "no such tokenizer"),
        ({"tokenize": 13}, "tokenize", "a text"),
        ({"trg_lang": "ja"}, "trg_lang", "which needs MeCab"),
        ({"smooth_method": "method1"}, "smooth_method", "'exp', 'floor', 'add-k', 'none'"),
        ({"smooth_value": -1}, "smooth_value", "0 or more"),
        ({"smooth_value": 1e308}, "smooth_value", "1000 or less"),
        ({"max_ngram_order": 0}, "max_ngram_order", "1 or more"),
        ({"tokenizer": "13a"}, "tokenizer", "(effective_order, force, lowercase"),
    ]
    for parameters, field, message in cases:
        assert_wrong(Sacrebleu, parameters, field, message)


def test_a_language_with_its_own_tokenizer_may_use_another() -> None:
    assert not check(Sacrebleu, {"trg_lang": "ja", "tokenize": "char"})[0]


def test_wrong_parameters_of_chrf_are_refused_by_name() -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"char_order": 0}, "1 or more"),
        ({"word_order": -1}, "0 or more"),
        ({"beta": 2.5}, "a whole number"),
        ({"whitespace": "yes"}, "true or false"),
    ]
    for parameters, message in cases:
        assert_wrong(Chrf, parameters, next(iter(parameters)), message)
