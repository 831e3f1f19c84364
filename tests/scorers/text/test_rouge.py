"""ROUGE compared with rouge-score itself."""

from statistics import fmean
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from scorers.text.rouge import Rouge
from tests.helpers.examples import examples
from tests.helpers.vectors import vectors
from tests.scorers.text.cases import Said, assert_wrong, case, evaluate, instances

TYPES = ["rouge1", "rouge2", "rouge5", "rougeL", "rougeLsum"]


def test_values_equal_those_of_rouge_score() -> None:
    for vector in vectors("extra_text_metrics", "rouge"):
        asked = dict(vector["input"])
        instance = case(asked.pop("hypothesis"), asked.pop("reference"))
        outcome = evaluate(Rouge, [instance], **asked)
        expected = {name: score["fmeasure"] for name, score in vector["expected"]["value"].items()}
        assert outcome["results"] == [pytest.approx(expected, abs=vector["tolerance"])]
        assert outcome["score"] == pytest.approx(expected, abs=vector["tolerance"]), vector["name"]


@settings(max_examples=examples(100), deadline=None)
@given(
    st.lists(instances, min_size=1, max_size=5),
    st.lists(st.sampled_from(TYPES), min_size=1, unique=True),
    st.booleans(),
)
def test_the_best_of_several_references_counts(
    given: list[Said], types: list[str], use_stemmer: bool
) -> None:
    scorer = RougeScorer(types, use_stemmer=use_stemmer)
    expected = []
    for instance in given:
        alone = [scorer.score(text, instance.output) for text in instance.references]
        expected.append({name: max(scores[name].fmeasure for scores in alone) for name in types})
    outcome = evaluate(Rouge, given, types=types, use_stemmer=use_stemmer)
    assert outcome["results"] == expected
    assert list(outcome["score"]) == types
    for name in types:
        assert outcome["score"][name] == fmean(score[name] for score in expected)


def test_the_stemmer_removes_endings() -> None:
    given = [case("the cats were running", "the cat was run")]
    [bare] = evaluate(Rouge, given)["results"]
    [stemmed] = evaluate(Rouge, given, use_stemmer=True)["results"]
    assert stemmed["rouge1"] > bare["rouge1"]


def test_lines_may_be_compared_separately() -> None:
    given = [case("one two\nthree four", "three four\none two")]
    [outcome] = evaluate(Rouge, given, types=["rougeL", "rougeLsum"])["results"]
    assert outcome == {"rougeL": 0.5, "rougeLsum": 1.0}


def test_a_warning_names_the_tokenizer_that_other_scripts_need() -> None:
    cases: list[tuple[str, str]] = [
        ("صباح الخير", "صباح الخير"),
        ("नमस्ते दुनिया", "नमस्ते दुनिया"),
        ("早上好。", "早上好"),
        ("Привет, мир!", "привет мир"),
    ]
    for output, reference in cases:
        given = [case("good", "good"), case(output, reference)]
        usual = evaluate(Rouge, given)
        assert usual["results"][1] == {"rouge1": 0.0, "rouge2": 0.0, "rougeL": 0.0}, output
        assert list(usual["warnings"]) == [1], output
        assert "use tokenizer unicode" in usual["warnings"][1], output
        unicode = evaluate(Rouge, given, tokenizer="unicode")
        assert unicode["results"][1] == {"rouge1": 1.0, "rouge2": 1.0, "rougeL": 1.0}, output
        assert not unicode["warnings"], output


def test_no_warning_names_a_tokenizer_that_finds_no_words() -> None:
    for reference in ("", "  ", "?!…"):
        assert not evaluate(Rouge, [case("good", reference)])["warnings"], reference


def test_words_of_other_scripts_stay_whole() -> None:
    outcome = evaluate(Rouge, [case("O gato está", "O gato esta")], tokenizer="unicode")
    assert outcome["results"][0]["rouge1"] == pytest.approx(2 / 3)
    characters = evaluate(Rouge, [case("早上好", "早上坏")], tokenizer="unicode")
    assert characters["results"][0]["rouge1"] == pytest.approx(2 / 3)


def test_wrong_parameters_are_refused_by_name() -> None:
    cases: list[tuple[dict[str, Any], str, str]] = [
        ({"types": []}, "types", "at least 1 item"),
        ({"types": ["rouge0"]}, "types.0", "'rougeLsum'"),
        ({"types": "rouge1"}, "types", "list"),
        ({"types": ["rouge1", "rouge1"]}, "types", "Name each type once."),
        ({"use_stemmer": 1}, "use_stemmer", "true or false"),
        ({"use_stemmer": True, "tokenizer": "unicode"}, "tokenizer", "the tokenizer rouge only"),
        ({"rouge_types": ["rouge1"]}, "rouge_types", "(tokenizer, types, use_stemmer)"),
    ]
    for parameters, field, message in cases:
        assert_wrong(Rouge, parameters, field, message)
