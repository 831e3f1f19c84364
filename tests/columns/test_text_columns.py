"""Columns of text metrics: which there are, and what they say."""

from __future__ import annotations

from typing import Any

import pytest

from leaderboard.columns import columns_for, get_column
from leaderboard.columns.text_metric import TextNote, text_keys
from leaderboard.rules.text_specs import parse_text_metrics

NOTE: TextNote = {
    "description": "BLEU by\nNLTK.\n\nThe formula.",
    "direction": "desc",
    "directions": {"distance": "asc"},
    "unit": "points",
    "bounds": [0.0, 1.0],
}


def texts(*entries: Any) -> Any:
    return parse_text_metrics(entries)


def test_they_stand_between_the_ranking_and_the_facts() -> None:
    specs = texts("BLEU", {"id": "F1", "enable": False}, {"id": "F1", "name": "f"})
    columns = columns_for(
        "metric", [("f", "desc")], texts=specs, seen=["BLEU:corpus", "gone", "BLEUX:y"]
    )
    assert [column.key for column in columns[:3]] == ["f", "BLEU", "BLEU:corpus"]
    assert columns[0].ranked


def test_further_numbers_have_columns_once_they_were_seen() -> None:
    assert text_keys(texts("A", "B"), []) == ["A", "B"]
    assert text_keys(texts("A", "B"), ["B:y", "A:x", "A"]) == ["A", "A:x", "B", "B:y"]


def test_a_column_says_what_the_metric_says() -> None:
    spec = {"id": "BLEU", "parameters": {"smoothing_function": "method1", "weights": [1.0]}}
    column = get_column("BLEU", notes={"text:BLEU": NOTE}, texts=texts(spec))
    said = "BLEU by NLTK. With smoothing_function method1, weights [1.0]."
    assert (column.description, column.unit, column.direction) == (said, "points", "desc")
    further = get_column("BLEU:distance", notes={"text:BLEU": NOTE}, texts=texts("BLEU"))
    assert further.description == "BLEU by NLTK. Here: distance."
    assert further.direction == "asc"


def test_a_metric_that_says_nothing_has_a_column_all_the_same() -> None:
    column = get_column("X", texts=texts("X"))
    assert (column.direction, column.description) == ("desc", "What X makes of the outputs.")


@pytest.mark.parametrize(
    ("bounds", "decimals"),
    [([0.0, 1.0], 4), ([0.0, 100.0], 2), ([0.0, None], 3), (None, 3)],
)
def test_decimals_follow_the_scale(bounds: Any, decimals: int) -> None:
    note: TextNote = {**NOTE, "bounds": bounds}
    assert get_column("B", notes={"text:B": note}, texts=texts("B")).decimals == decimals
