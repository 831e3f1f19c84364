"""Columns of text metrics and their descriptions."""

from __future__ import annotations

from typing import Any

from leaderboard.columns import apply_overrides, check_overrides, columns_for, get_column
from leaderboard.columns.text_metric import TextNote, text_keys
from leaderboard.schemas.text_metrics import parse_text_metrics

NOTE: TextNote = {
    "description": "BLEU by\nNLTK.\n\nThe formula.",
    "direction": "desc",
    "directions": {"distance": "asc"},
    "unit": "points",
    "bounds": [0.0, 1.0],
}


def texts(*entries: Any) -> Any:
    return parse_text_metrics(entries)


def test_text_metrics_are_between_the_rank_keys_and_the_facts() -> None:
    specs = texts("BLEU", {"id": "F1", "enable": False}, {"id": "F1", "name": "f"})
    columns = columns_for([("f", "desc")], texts=specs, named=["BLEU:corpus", "gone", "BLEUX:y"])
    keys = [column.key for column in columns[:5]]
    assert keys == ["f", "BLEU", "BLEU:corpus", "gone", "BLEUX:y"]
    assert columns[0].ranked


def test_further_numbers_have_columns_if_a_challenge_names_them() -> None:
    assert text_keys(texts("A", "B"), []) == ["A", "B"]
    named = ["B:y", "A:z", "A", "C:x", "A:x"]
    assert text_keys(texts("A", "B"), named) == ["A", "A:z", "A:x", "B", "B:y"]


def test_a_further_number_has_a_column_if_the_board_ranks_by_it() -> None:
    value_keys = ["ROUGE", "ROUGE:rouge2", "ROUGE:rougeL"]
    columns = columns_for([("ROUGE:rougeL", "desc")], texts=texts("ROUGE"), value_keys=value_keys)
    assert [column.key for column in columns[:3]] == ["ROUGE:rougeL", "ROUGE", "elapsed_ms"]


def test_a_number_that_no_attempt_has_can_be_named() -> None:
    overrides = [{"key": "Ü:two words", "label": "Two"}]
    columns = columns_for([], texts=texts({"id": "F1", "name": "Ü"}), named=["Ü:two words"])
    check_overrides(columns, overrides)
    assert [column.label for column in apply_overrides(columns, overrides)[:2]] == ["Ü", "Two"]


def test_a_column_has_the_description_of_its_metric() -> None:
    spec = {"id": "BLEU", "parameters": {"smoothing_function": "method1", "weights": [1.0]}}
    column = get_column("BLEU", notes={"text:BLEU": NOTE}, texts=texts(spec))
    description = "BLEU by NLTK. With smoothing_function method1, weights [1.0]."
    assert (column.description, column.unit, column.direction) == (description, "points", "desc")
    further = get_column("BLEU:distance", notes={"text:BLEU": NOTE}, texts=texts("BLEU"))
    assert further.description == "BLEU by NLTK. Here: distance."
    assert further.direction == "asc"


def test_a_metric_without_a_description_has_a_column() -> None:
    column = get_column("X", texts=texts("X"))
    assert (column.direction, column.description) == ("desc", "What X makes of the outputs.")


def test_decimals_follow_the_scale() -> None:
    cases: list[tuple[Any, int]] = [([0.0, 1.0], 4), ([0.0, 100.0], 2), ([0.0, None], 3), (None, 3)]
    for bounds, decimals in cases:
        note: TextNote = {**NOTE, "bounds": bounds}
        assert get_column("B", notes={"text:B": note}, texts=texts("B")).decimals == decimals, (
            bounds
        )
