"""From blocks of results to a score, and from a score to metric values."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.rules.rewards.text_values import BlockScore, Piece, RunningScore, error_values


def piece(number: int, results: Any, score: Any, **more: Any) -> Piece:
    count = len(results or ())
    fields = {"instances": count, "failed": 0, "statistics": None, "seconds": 0.5} | more
    return Piece(number, results, None, BlockScore(score=score, **fields))


def tally(*pieces: Piece, averaged: bool = True) -> RunningScore:
    running = RunningScore(averaged=averaged)
    for block in pieces:
        running.add(block)
    return running


def test_means_are_over_instances_not_over_blocks() -> None:
    running = tally(piece(0, [1.0, 0.0, None], {"f1": 0.5}), piece(1, [1.0], {"f1": 1.0}))
    assert running.score() == {"f1": pytest.approx(2 / 3)}
    (value,) = running.values("F1", running.score(), 4).values()
    assert value["value"] == pytest.approx(2 / 3)
    assert (value["defined"], value["total"]) == (3, 4)
    assert value["interval_reason"] == "few_tasks"
    assert running.seconds == 1.0


@pytest.mark.filterwarnings("ignore:overflow")
def test_a_mean_of_numbers_whose_sum_is_not_finite_has_no_interval() -> None:
    running = tally(*(piece(at, [1.5e308], {"x": 1.5e308}) for at in range(9)))
    (value,) = running.values("X", running.score(), 9).values()
    assert value["value"] == pytest.approx(1.5e308)
    assert (value["defined"], value["interval"]) == (9, None)


def test_each_name_has_its_own_mean() -> None:
    running = tally(
        piece(0, [{"a": 1.0, "b": None}, {"a": 0.0, "b": 4.0}], {"a": 0.5, "b": 4.0, "how": "x"})
    )
    score = running.score()
    assert score == {"a": 0.5, "b": 4.0, "how": "x"}
    values = running.values("M", score, 2)
    assert {key: (value["value"], value["defined"]) for key, value in values.items()} == {
        "M": (0.5, 2),
        "M:b": (4.0, 1),
    }


def test_shares_have_wilsons_interval_and_intervals_stay_within_the_bounds() -> None:
    def share(name: str, *, is_first: bool) -> tuple[float, float]:
        return (0.0, 1.0) if is_first else (-5.0, 9.0)

    ones = tally(piece(0, [1.0] * 10, {"exact": 1.0}))
    (value,) = ones.values("E", ones.score(), 10, share).values()
    assert value["method"] == "wilson"
    assert value["interval"] == [pytest.approx(0.7224672), 1.0]
    high = tally(
        piece(
            0, [{"f1": score, "x": score} for score in (0.5, 1.0, 1.0, 1.0, 1.0)], {"f1": 1, "x": 1}
        )
    )
    values = high.values("F", high.score(), 3, share)
    assert (values["F"]["interval"] or [])[1:] == [1.0]
    assert (values["F:x"]["interval"] or [0, 0])[1] > 1.0


def test_a_combined_score_has_an_interval_only_if_it_is_a_mean() -> None:
    results = [0.2, 0.4, 0.3, 0.2, 0.4]
    running = tally(piece(0, results, {"mean": 0.3, "corpus": 0.1}), averaged=False)
    values = running.values("B", running.score({"mean": 0.3, "corpus": 0.35}), 5)
    assert values["B"]["interval"] is not None
    assert values["B:corpus"]["interval"] is None
    assert values["B:corpus"]["interval_reason"] == "not_estimated"
    assert values["B:corpus"]["defined"] == 5
    equal = tally(piece(0, [0.0, 0.0], {"corpus": 0.0}), averaged=False)
    assert equal.values("C", equal.score(), 2)["C"]["interval"] is None, "it may be no mean"


def test_a_metric_without_instances_is_undefined() -> None:
    running = tally(piece(0, [None, None], {}, instances=0))
    assert running.score() == {}
    (value,) = running.values("M", {}, 2).values()
    assert (value["value"], value["reason"], value["defined"]) == (None, "undefined", 0)
    first_undefined: dict[str, Any] = {"m": None, "n": 2.0}
    running = tally(piece(0, [None], first_undefined, instances=0))
    (value, *_) = running.values("M", running.score(first_undefined), 1).values()
    assert value["reason"] == "undefined"


def test_failed_instances_are_counted() -> None:
    running = tally(
        piece(0, [1.0, 0.0], {"m": 0.5}, failed=1), piece(1, [0.0], {"m": 0.0}, failed=1)
    )
    assert running.values("M", running.score(), 3)["M"]["failed"] == 2


def test_an_error_replaces_the_value_of_the_first_number() -> None:
    values = error_values("M", {"code": "timeout", "message": "too long"}, 5)
    assert values["M"]["error"] == {"code": "timeout", "message": "too long"}
    assert (values["M"]["value"], values["M"]["total"]) == (None, 5)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=40), st.randoms())
def test_the_order_of_blocks_changes_nothing(results: list[float], dice: Random) -> None:
    pieces = [piece(at, [running], {"m": running}) for at, running in enumerate(results)]
    straight = tally(*pieces)
    dice.shuffle(pieces)
    mixed = tally(*pieces)
    assert mixed.score() == straight.score()
    assert mixed.values("M", mixed.score(), 9) == straight.values("M", straight.score(), 9)
    assert mixed.statistics() == straight.statistics()
