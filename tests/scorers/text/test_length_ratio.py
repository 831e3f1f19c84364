"""LENGTH_RATIO, the example to copy."""

from scorers.text.length_ratio import LengthRatio
from tests.scorers.text.cases import evaluate, said


def test_the_reference_closest_in_length_counts() -> None:
    cases: list[tuple[str, list[str], float]] = [
        ("a b c", ["a b c d e f"], 0.5),
        ("a b c", ["a b c d e f", "a b"], 1.5),
        ("", ["a"], 0.0),
        ("a b", [""], 2.0),
        ("", [""], 0.0),
    ]
    for output, references, ratio in cases:
        found = evaluate(LengthRatio, [said(output, *references)])
        assert found == {"score": {"length_ratio": ratio}, "results": [ratio]}, output


def test_characters_may_be_counted() -> None:
    given = [said("abcd", "ab cd ef"), said("ab", "ab")]
    assert evaluate(LengthRatio, given, characters=True)["score"] == {"length_ratio": 0.75}
