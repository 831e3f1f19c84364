"""BLEU_NLTK compared with NLTK itself."""

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from nltk.tokenize import NLTKWordTokenizer
from nltk.translate.bleu_score import SmoothingFunction, corpus_bleu, sentence_bleu
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

from leaderboard.sandbox.child.configs import check
from scorers.protocol import Unmeasurable
from scorers.text.bleu_nltk import BleuNltk
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

METHODS = [None, *(f"method{number}" for number in range(8))]


def nltks(parameters: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments that NLTK's functions take."""
    method = parameters.get("smoothing_function")
    return {
        "weights": tuple(parameters["weights"]),
        "auto_reweigh": parameters["auto_reweigh"],
        "smoothing_function": method and getattr(SmoothingFunction(), method),
    }


def test_sentence_scores_equal_nltks() -> None:
    for vector in vectors("nltk_sentence_bleu"):
        cases_of_mode: list[tuple[str, str]] = [
            ("best", "best_of_references"),
            ("union", "multi_reference"),
        ]
        for mode, key in cases_of_mode:
            asked = dict(vector["input"])
            instance = case(asked.pop("hypothesis"), *asked.pop("references"))
            outcome = evaluate(BleuNltk, [instance], reference_mode=mode, **asked)
            expected = pytest.approx(vector["expected"]["value"][key], abs=vector["tolerance"])
            assert outcome["results"] == [expected], vector["name"]
            assert outcome["score"] == {
                "mean_of_sentence_bleu": expected,
                "corpus_bleu": expected,
            }


def test_corpus_scores_equal_nltks() -> None:
    for vector in vectors("nltk_corpus_bleu"):
        asked = dict(vector["input"])
        pairs = zip(asked.pop("hypotheses"), asked.pop("list_of_references"), strict=True)
        given = [case(output, *references) for output, references in pairs]
        score = evaluate(BleuNltk, given, reference_mode="union", **asked)["score"]
        expected = vector["expected"]
        assert score == pytest.approx(
            {
                "mean_of_sentence_bleu": expected["mean_of_sentence_bleu"],
                "corpus_bleu": expected["value"],
            },
            abs=vector["tolerance"],
        ), vector["name"]


def test_document_scores_equal_those_of_the_source_system() -> None:
    for vector in vectors("harpia_documents"):
        document, expected = vector["input"], vector["expected"]
        given = [
            case(entry["actual-output"], *entry["expected-output"])
            for entry in document["instances"]
        ]
        outcome = evaluate(BleuNltk, given, **document["metrics"][0]["parameters"])
        [output] = expected["output"]
        assert outcome["score"] == pytest.approx(output["score"], abs=vector["tolerance"])
        results = [line["result"] for line in expected["log"]]
        assert outcome["results"] == pytest.approx(results, abs=vector["tolerance"]), vector["name"]


def quietly(compute: Callable[..., Any], *texts: Any, **parameters: Any) -> float | None:
    """Return the value that NLTK computes; None where it raises, as some smoothing functions do."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return float(compute(*texts, **parameters))
        except AssertionError:
            return None


parameters = st.fixed_dictionaries(
    {
        "weights": st.sampled_from([[1.0], [0.5, 0.5], [0.3, 0.0, 0.7], [0.25] * 4, [0.2] * 5]),
        "smoothing_function": st.sampled_from(METHODS),
        "auto_reweigh": st.booleans(),
    }
)


@settings(max_examples=examples(150), deadline=None)
@given(st.lists(instances, min_size=1, max_size=6), parameters, st.sets(st.integers(1, 5)))
def test_the_union_of_references_equals_nltks(
    given: list[Said], parameters: dict[str, Any], cuts: set[int]
) -> None:
    assume(not check(BleuNltk, parameters)[0])
    outputs = [instance.output.split() for instance in given]
    references = [[text.split() for text in instance.references] for instance in given]
    asked = nltks(parameters)
    expected_results = [
        quietly(sentence_bleu, *pair, **asked) for pair in zip(references, outputs, strict=True)
    ]
    if None in expected_results:
        with pytest.raises(Unmeasurable):
            evaluate(BleuNltk, given, reference_mode="union", **parameters)
        return
    outcome = evaluate(BleuNltk, given, reference_mode="union", **parameters)
    assert outcome["results"] == expected_results
    apart = score_in_blocks(
        BleuNltk,
        given,
        [cut for cut in cuts if cut < len(given)],
        reference_mode="union",
        **parameters,
    )
    expected = quietly(corpus_bleu, references, outputs, **asked)
    assert outcome["score"]["corpus_bleu"] == apart["corpus_bleu"] == expected


@settings(max_examples=examples(100), deadline=None)
@given(st.lists(instances, min_size=1, max_size=6), parameters)
def test_the_best_reference_equals_nltks(given: list[Said], parameters: dict[str, Any]) -> None:
    assume(not check(BleuNltk, parameters)[0])
    asked = nltks(parameters)
    best, chosen = [], []
    for instance in given:
        alone = {
            text: quietly(sentence_bleu, [text.split()], instance.output.split(), **asked)
            for text in instance.references
        }
        text = max(alone, key=lambda text: -1.0 if alone[text] is None else alone[text] or 0.0)
        best.append(None if None in alone.values() and not alone[text] else alone[text])
        chosen.append([text.split()])
    if None in best:
        with pytest.raises(Unmeasurable):
            evaluate(BleuNltk, given, **parameters)
        return
    outcome = evaluate(BleuNltk, given, **parameters)
    assert outcome["results"] == best
    outputs = [instance.output.split() for instance in given]
    assert outcome["score"]["corpus_bleu"] == quietly(corpus_bleu, chosen, outputs, **asked)


def test_the_best_reference_and_the_union_differ() -> None:
    given = [case("the cat is here now", "the cat is there now", "a dog is here now")]
    best = evaluate(BleuNltk, given, weights=[0.5, 0.5])
    union = evaluate(BleuNltk, given, weights=[0.5, 0.5], reference_mode="union")
    assert best["results"][0] < union["results"][0]


@pytest.mark.filterwarnings("ignore:(?s).*0 counts of")
def test_tokenizers_equal_those_of_their_libraries() -> None:
    cases: list[tuple[str, Callable[[str], Sequence[str]]]] = [
        ("whitespace", str.split),
        ("13a", lambda text: Tokenizer13a()(text).split()),  # type: ignore[no-untyped-call]
        ("nltk", NLTKWordTokenizer().tokenize),
    ]
    for name, cut in cases:
        output, reference = "It's 3.5%, isn't it?", "It's 3.5 %, is it not?"
        expected = sentence_bleu([cut(reference)], cut(output), weights=(0.5, 0.5))
        outcome = evaluate(BleuNltk, [case(output, reference)], tokenizer=name, weights=[0.5, 0.5])
        assert outcome["results"] == [expected], name


def test_perfect_short_answers_get_a_warning() -> None:
    cases: list[tuple[str, float]] = [("yes", 1.8e-231), ("good morning all", 1.2e-77)]
    for output, zero in cases:
        given = [case(output, "no", output), case("a b c d", "a b c d"), case("x y", "z")]
        outcome = evaluate(BleuNltk, given)
        assert outcome["results"][0] == pytest.approx(zero, rel=0.1), output
        assert list(outcome["warnings"]) == [0], output
        assert "no 4-grams" in outcome["warnings"][0], output
        assert "method1 or auto_reweigh" in outcome["warnings"][0], output
        for remedy in ({"smoothing_function": "method1"}, {"auto_reweigh": True}):
            mended = evaluate(BleuNltk, given, **remedy)
            assert not mended["warnings"], output
            assert mended["results"][0] > 0.1, output


def test_a_warning_names_no_remedy_that_would_not_help() -> None:
    outcome = evaluate(BleuNltk, [case("yes", "yes")], weights=[0.5, 0.5], auto_reweigh=True)
    assert outcome["warnings"][0].endswith("use smoothing_function method1.")
    assert not evaluate(BleuNltk, [case("yes", "yes")], weights=[1])["warnings"]


def test_an_output_for_which_nltk_raises_is_an_error() -> None:
    for mode in ("best", "union"):
        given = [case("a b c d e", "a b c d e"), case("a x", "a b"), case("", "a b c")]
        method6 = SmoothingFunction().method6
        with pytest.raises(AssertionError):
            sentence_bleu([["a", "b"]], ["a", "x"], smoothing_function=method6)
        with pytest.raises(Unmeasurable, match="method6"):
            evaluate(BleuNltk, given, smoothing_function="method6", reference_mode=mode)
        smoothable = evaluate(BleuNltk, [given[0], given[2]], smoothing_function="method6")
        assert smoothable["results"][0] > 0.9, mode
        assert smoothable["results"][1] == 0.0, "NLTK gives 0 where nothing matches"
        assert smoothable["score"]["corpus_bleu"] > 0, mode


def test_a_reference_that_can_be_smoothed_is_preferred() -> None:
    outcome = evaluate(
        BleuNltk, [case("a b c d", "a x y z", "a b c x")], smoothing_function="method6"
    )
    assert outcome["results"][0] > 0
    assert not outcome["warnings"]


def test_the_statistics_hold_no_texts() -> None:
    outcome = evaluate(BleuNltk, [case("secret words of mine are here", "secret words of mine")])
    assert "secret" not in str(outcome["statistics"]) + str(outcome["warnings"])


def test_wrong_parameters_are_refused_by_name() -> None:
    cases: list[tuple[dict[str, Any], str, str]] = [
        ({"weights": []}, "weights", "at least 1 item"),
        ({"weights": [0.5, -0.5]}, "weights.1", "0 or more"),
        ({"weights": [float("nan")]}, "weights.0", "finite number"),
        ({"weights": "0.25"}, "weights", "a list"),
        ({"weights": [True]}, "weights.0", "a number"),
        ({"smoothing_function": "method8"}, "smoothing_function", "'method7'"),
        ({"smoothing_function": "method6", "weights": [1]}, "smoothing_function", "three weights"),
        (
            {"smoothing_function": "method6", "weights": [0.1] * 11},
            "smoothing_function",
            "at most 10 weights",
        ),
        ({"weights": [1e308]}, "weights.0", "100 or less"),
        ({"auto_reweigh": "no"}, "auto_reweigh", "true or false"),
        ({"reference_mode": "worst"}, "reference_mode", "'best', 'union'"),
        ({"tokenizer": "spm"}, "tokenizer", "'whitespace', '13a', 'nltk'"),
        ({"weight": [1]}, "weight", "(auto_reweigh"),
    ]
    for parameters, field, message in cases:
        assert_wrong(BleuNltk, parameters, field, message)


def test_null_means_not_given() -> None:
    errors, filled = check(BleuNltk, dict.fromkeys(["weights", "tokenizer", "smoothing_function"]))
    assert not errors
    assert filled == check(BleuNltk, {})[1]
