"""EXACT_MATCH, F1 and EDIT_DISTANCE: letters and words, and what the options ignore."""

import re
import string
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk import edit_distance

from scorers.text.edit_distance import EditDistance, levenshtein
from scorers.text.exact_match import ExactMatch
from scorers.text.f1 import F1
from tests.helpers.examples import examples
from tests.scorers.text.cases import Said, assert_wrong, case, evaluate, instances

SQUAD = {"ignore_case": True, "ignore_punctuation": True, "ignore_articles": True}
PLAIN = [ExactMatch, F1, EditDistance]


def squads_answer(text: str) -> str:
    """Normalise as `normalize_answer` of SQuAD's evaluate-v1.1.py."""
    text = "".join(character for character in text.lower() if character not in string.punctuation)
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", text).split())


def squads_f1(output: str, reference: str) -> float:
    """Compute `compute_f1` of SQuAD's evaluation for version 2, where answers may be empty."""
    gold, answer = squads_answer(reference).split(), squads_answer(output).split()
    shared = sum((Counter(gold) & Counter(answer)).values())
    if not gold or not answer:
        return float(gold == answer)
    if shared == 0:
        return 0.0
    precision, recall = shared / len(answer), shared / len(gold)
    return 2 * precision * recall / (precision + recall)


ascii_texts = st.lists(
    st.sampled_from(["a", "An", "the", "cat", "Cat.", "cats,", "-", "mat!", "\t"]), max_size=7
).map(" ".join)


@given(ascii_texts, st.lists(ascii_texts, min_size=1, max_size=3))
def test_with_all_three_options_values_equal_squads(output: str, references: list[str]) -> None:
    given = [case(output, *references)]
    f1 = max(squads_f1(output, text) for text in references)
    assert evaluate(F1, given, **SQUAD)["results"] == [pytest.approx(f1, abs=1e-12)]
    exact = max(squads_answer(output) == squads_answer(text) for text in references)
    assert evaluate(ExactMatch, given, **SQUAD)["results"] == [float(exact)]


def test_a_match_is_exact_except_for_what_is_ignored() -> None:
    cases: list[tuple[str, str, dict[str, Any], float]] = [
        ("Paris", "Paris", {}, 1.0),
        ("paris", "Paris", {}, 0.0),
        ("paris", "Paris", {"ignore_case": True}, 1.0),
        ("Paris.", "Paris", {}, 0.0),
        ("Paris.", "Paris", {"ignore_punctuation": True}, 1.0),
        ("¿París?", "París", {"ignore_punctuation": True}, 1.0),
        ("巴黎。", "巴黎", {"ignore_punctuation": True}, 1.0),
        ("well - known", "well known", {"ignore_punctuation": True}, 1.0),
        ("The cat", "cat", {"ignore_articles": True}, 1.0),
        ("theatre", "atre", {"ignore_articles": True}, 0.0),
        ("Paris ", "Paris", {}, 0.0),
        ("Paris\n", "Paris", {"ignore_punctuation": True}, 1.0),
        ("", "", {}, 1.0),
    ]
    for output, reference, parameters, match in cases:
        outcome = evaluate(ExactMatch, [case(output, "something else", reference)], **parameters)
        assert outcome["results"] == [match], (output, parameters)


def test_the_score_is_the_share_that_matches() -> None:
    given = [case("a", "a"), case("b", "c", "b"), case("c", "d"), case("", "x")]
    assert evaluate(ExactMatch, given)["score"] == {"exact_match": 0.5}


def test_f1_counts_words() -> None:
    cases: list[tuple[str, list[str], float]] = [
        ("the cat sat", ["the cat"], 0.8),
        ("the cat sat", ["dog", "sat cat the"], 1.0),
        ("cat cat", ["cat"], 2 / 3),
        ("", ["cat"], 0.0),
        ("", [""], 1.0),
        ("cat", [" "], 0.0),
    ]
    for output, references, f1 in cases:
        outcome = evaluate(F1, [case(output, *references)])
        assert outcome["results"] == [pytest.approx(f1, abs=1e-12)], output
        assert outcome["score"] == {"f1": pytest.approx(f1, abs=1e-12)}, output


letters = st.text("abcé猫 ", max_size=12)


@settings(max_examples=examples(400))
@given(letters, letters)
def test_the_distance_equals_nltks(one: str, other: str) -> None:
    assert levenshtein(one, other) == edit_distance(one, other) == levenshtein(other, one)


def test_the_distance_of_longer_texts_equals_nltks() -> None:
    cases: list[tuple[str, str]] = [("ab" * 100, "ba" * 90), ("x" * 70, "x" * 64 + "y")]
    for one, other in cases:
        assert levenshtein(one, other) == edit_distance(one, other), one


@given(st.lists(instances, min_size=1, max_size=4))
def test_similarity_is_the_unchanged_share(given: list[Said]) -> None:
    for pair, outcome in zip(given, evaluate(EditDistance, given)["results"], strict=True):
        assert outcome["edit_distance"] == min(
            levenshtein(pair.output, text) for text in pair.references
        )
        assert 0 <= outcome["similarity"] <= 1
        assert (outcome["similarity"] == 1) == (pair.output in pair.references)


def test_the_nearest_reference_counts_or_the_longer_of_two() -> None:
    [outcome] = evaluate(EditDistance, [case("abcd", "abcdef", "ab", "x")])["results"]
    assert outcome == {"edit_distance": 2.0, "similarity": pytest.approx(1 - 2 / 6)}


def test_a_smaller_distance_is_better() -> None:
    assert EditDistance.direction == "asc"
    assert EditDistance.directions == {"similarity": "desc"}


def test_wrong_parameters_are_refused_by_name() -> None:
    for metric in PLAIN:
        cases_of_parameters: list[tuple[dict[str, Any], str]] = [
            ({"ignore_case": "yes"}, "true or false"),
            ({"ignore_case": 1}, "true or false"),
            ({"ignorecase": True}, "ignore_articles, ignore_case, ignore_punctuation); got"),
        ]
        for parameters, message in cases_of_parameters:
            assert_wrong(metric, parameters, next(iter(parameters)), message)


UNSPACED = [
    ("我爱北京", "我爱中国", 0.5),
    ("東京タワー", "京都タワー", 0.8),
    ("แมว", "แมวดำ", 0.75),
]
"""Output, reference, and F1 by the character."""


def test_f1_of_texts_without_spaces_is_by_the_character_or_warned_of() -> None:
    for output, reference, shared in UNSPACED:
        given = [case(output, reference), case("the cat", "a cat"), case("좋은 아침", "좋은 밤")]
        by_words, by_characters = evaluate(F1, given), evaluate(F1, given, characters=True)
        assert by_words["results"] == [0.0, 0.5, 0.5]
        assert list(by_words["warnings"]) == [0]
        assert by_characters["results"] == [pytest.approx(shared), 0.5, 0.5]
        assert by_characters["warnings"] == {}


def test_a_match_that_differs_only_in_spaces_or_width_is_warned_of() -> None:
    given = [
        case("我 爱 北京", "我爱北京"),
        case("カタカナ", "ｶﾀｶﾅ"),
        case("我爱北京", "我爱中国"),
        case("a b", "ab"),
        case("我爱北京", "我爱北京"),
    ]
    outcome = evaluate(ExactMatch, given)
    assert outcome["results"] == [0.0, 0.0, 0.0, 0.0, 1.0]
    assert list(outcome["warnings"]) == [0, 1]
