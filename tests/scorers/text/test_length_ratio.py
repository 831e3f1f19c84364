"""LENGTH_RATIO, the example to copy."""

from scorers.text.length_ratio import LengthRatio
from tests.scorers.text.cases import case, evaluate


def test_the_reference_closest_in_length_counts() -> None:
    cases: list[tuple[str, list[str], float | None]] = [
        ("a b c", ["a b c d e f"], 0.5),
        ("a b c", ["a b c d e f", "a b"], 1.5),
        ("", ["a"], 0.0),
        ("a b", [""], None),
        ("", [""], 1.0),
        ("", ["a", ""], 1.0),
        ("a", ["", "a b c d"], 0.25),
    ]
    for output, references, ratio in cases:
        outcome = evaluate(LengthRatio, [case(output, *references)])
        assert outcome["score"] == {"length_ratio": ratio}, output
        assert (outcome["results"], outcome["warnings"]) == ([ratio], {})


def test_an_undefined_ratio_is_left_out_of_the_mean() -> None:
    outcome = evaluate(LengthRatio, [case("a b", ""), case("a", "a b")])
    assert (outcome["score"], outcome["results"]) == ({"length_ratio": 0.5}, [None, 0.5])


def test_characters_may_be_counted() -> None:
    given = [case("abcd", "ab cd ef"), case("ab", "ab")]
    assert evaluate(LengthRatio, given, characters=True)["score"] == {"length_ratio": 0.75}
    unspaced = [case("我爱北京", "我爱中国北京")]
    assert list(evaluate(LengthRatio, unspaced)["warnings"]) == [0]
    assert evaluate(LengthRatio, unspaced, characters=True)["warnings"] == {}
