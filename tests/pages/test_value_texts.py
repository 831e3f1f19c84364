"""Values, intervals and differences as boards write them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from django.test import Client

from leaderboard.columns.column import Column
from leaderboard.columns.cost_usd import Dollars
from leaderboard.models import User
from leaderboard.pages.board.deciding_key import deciding_key
from leaderboard.pages.labels.metric_labels import spread
from leaderboard.pages.tables.differences import difference_writer
from leaderboard.pages.tables.next_rank import gap_text
from leaderboard.rules.rewards.cells import BoardCell
from leaderboard.rules.rewards.evidence import Sample
from leaderboard.services.board.reading.ranking import columns_of
from leaderboard.services.scoring.single import score_waiting
from tests.helpers.attempts import attempt_of
from tests.pages.conftest import Make
from tests.pages.entries import enter, judge
from tests.pages.reading import get, words

PLAIN = Column("f1", "F1", "desc", decimals=3)
SHARE = Column("f1", "F1", "desc", unit="%", decimals=1, is_share=True)
PERCENT = replace(SHARE, is_share=False)


@pytest.mark.parametrize(
    ("column", "value", "text"),
    [
        (SHARE, 0.975, "97.5%"),
        (SHARE, 0.0, "0.0%"),
        (PERCENT, 66.2, "66.2%"),
        (replace(SHARE, unit=""), 0.975, "1.0"),
    ],
)
def test_a_share_is_written_in_percent(column: Column, value: float, text: str) -> None:
    assert column.text(value) == text


@pytest.mark.parametrize(
    ("column", "difference", "text"),
    [
        (SHARE, 0.033, "3.3 points"),
        (SHARE, 0.0001, "0.010 points"),
        (PERCENT, 3.3, "3.3 points"),
        (PLAIN, 0.0333, "0.033"),
        (PLAIN, 0.00012, "0.00012"),
        (Dollars("cost_usd", "Cost", "asc", "USD", 4), 0.0000123, "$0.000012"),
    ],
)
def test_a_difference_of_percentages_is_in_points(
    column: Column, difference: float, text: str
) -> None:
    assert difference_writer(column)(difference) == text


@pytest.mark.parametrize(
    ("column", "difference", "text"),
    [
        (SHARE, 0.0333, "3.4 points"),
        (PLAIN, 0.03331, "0.034"),
        (PLAIN, 0.012, "0.012"),
        (PLAIN, 0.1, "0.100"),
        (replace(PLAIN, decimals=2), 3.456, "3.46"),
        (replace(PLAIN, decimals=0), 7, "7"),
    ],
)
def test_what_is_missing_to_the_next_rank_is_rounded_up_and_in_points(
    column: Column, difference: float, text: str
) -> None:
    assert gap_text(column, difference) == text


@pytest.mark.parametrize(
    ("column", "value", "interval", "text"),
    [
        (PLAIN, 0.5, [0.4, 0.6], "± 0.100"),
        (PLAIN, 0.92, [0.82, 1.0], "0.820–1.000"),
        (PLAIN, 0.5, [0.3999, 0.6003], "± 0.100"),
        (SHARE, 0.92, [0.82, 1.0], "82.0–100.0"),
        (SHARE, 0.5, [0.45, 0.55], "± 5.0"),
        (PLAIN, 0.5, [0.49995, 0.50005], "± <0.001"),
    ],
)
def test_a_lopsided_interval_has_its_ends(
    column: Column, value: float, interval: list[float], text: str
) -> None:
    state: BoardCell = {"defined": 9, "total": 9, "interval": interval}
    assert spread(column, state, value) == text


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("fields", "is_share"),
    [
        ({"metrics": ["pass_rate"]}, True),
        ({"metrics": ["mean"]}, False),
        ({"metrics": ["mean"], "rewards": [{"name": "r", "min": 0, "max": 1}]}, True),
        ({"metrics": ["mean"], "rewards": [{"name": "r", "min": 0, "max": 100}]}, False),
    ],
)
def test_shares_are_declared(make: Make, fields: dict[str, Any], is_share: bool) -> None:
    (key,) = fields["metrics"]
    columns = [{"key": key, "unit": "%"}]
    challenge = make("Cup", "metric", rank_by=[{"key": key}], columns=columns, **fields)
    column = columns_of(challenge)[0]
    assert (column.is_share, column.decimals) == (is_share, 1 if is_share else 3)


@pytest.mark.django_db
def test_ties_at_the_top_say_which_key_decides(client: Client, make: Make, ben: User) -> None:
    challenge = make(
        "Cup",
        "metric",
        metrics=["mean"],
        rank_by=[{"key": "mean"}, {"key": "cost_usd", "direction": "asc"}],
    )
    for name, cost in (("atlas", 0.5), ("bolt", 0.25)):
        samples = [Sample(f"task {at}", 0, {"r": 1.0}) for at in range(9)]
        attempt_of(ben, challenge, name, samples=samples, metrics={"cost_usd": cost})
    judge()
    text = words(get(client, "/c/cup/"))
    assert "bolt and atlas have the same mean; Cost decides: $0.2500 against $0.5000." in text
    assert not deciding_key([], [])


@pytest.mark.django_db
def test_too_few_samples_are_the_reason(client: Client, make: Make, ben: User) -> None:
    challenge = make(
        "Cup", "metric", metrics=["mean", "pass^3:unbiased"], rank_by=[{"key": "mean"}]
    )
    samples = [Sample("one", number, {"r": 1.0}) for number in range(2)]
    attempt = attempt_of(ben, challenge, "atlas", samples=samples)
    score_waiting()
    for path in ("/c/cup/", f"/attempts/{attempt.pk}/"):
        assert "at most 2 samples of a task, where 3 are needed" in get(client, path), path


@pytest.mark.django_db
def test_a_failed_count_of_zero_is_zero(client: Client, make: Make, ben: User) -> None:
    challenge = make("Cup", "metric", metrics=["mean"], rank_by=[{"key": "mean"}])
    enter(challenge, ben, "atlas", [1.0])
    score_waiting()
    attempt = challenge.attempts.get()
    html = get(client, f"/attempts/{attempt.pk}/")
    cell = html.split('data-label="Samples failed"')[1].split("</td>")[0]
    assert cell.endswith(">0")
