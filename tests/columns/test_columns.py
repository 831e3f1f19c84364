"""Columns: what each one reads, and how it is formatted."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import leaderboard.columns
from leaderboard.columns import Column, columns_for, get_column, known_columns
from leaderboard.facts import rankable_keys
from leaderboard.strategies import known_strategies

FACTS = {"elapsed_ms", "tokens_total", "rating", "cost_usd"}


@pytest.fixture
def folder_of_mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder whose files are columns too, for one test."""
    paths = [*leaderboard.columns.__path__, str(tmp_path)]
    monkeypatch.setattr(leaderboard.columns, "__path__", paths)
    known_columns.cache_clear()
    yield tmp_path
    known_columns.cache_clear()


@pytest.mark.parametrize("column", known_columns().values(), ids=lambda column: column.key)
def test_every_column_describes_itself(column: Column) -> None:
    assert column.label.strip()
    assert column.description.strip()
    assert "\n" not in column.description
    assert column.direction in ("asc", "desc")
    assert column.text(None) == "–"
    assert column.text(0.0) not in ("", "–")
    assert column.value({}) is None
    assert column.value({column.key: None}) is None
    assert column.value({column.key: 3.5, "another": 1.0}) == 3.5


def test_every_rankable_fact_has_a_column() -> None:
    assert set(rankable_keys()) <= set(known_columns())


@pytest.mark.parametrize(
    ("key", "value", "text"),
    [
        ("score", 152.5, "152.50"),
        ("score", 0, "0.00"),
        ("score", 1234567.891, "1,234,567.89"),
        ("tokens_total", 1500, "1,500"),
        ("tokens_total", 10**15, "1,000,000,000,000,000"),
        ("score", 1.7e308, "1.7e+308"),
        ("score", -123456789e100, "-1.23457e+108"),
        ("score", float("-inf"), "-∞"),
        ("cost_usd", 2e20, "$2e+20"),
        ("rating", 8, "8.0"),
        ("cost_usd", 0.04, "$0.0400"),
        ("cost_usd", 1234.5, "$1,234.5000"),
        ("elapsed_ms", 0, "0 ms"),
        ("elapsed_ms", 850, "850 ms"),
        ("elapsed_ms", 999.6, "1.0 s"),
        ("elapsed_ms", 12500, "12.5 s"),
        ("elapsed_ms", 59949, "59.9 s"),
        ("elapsed_ms", 59999, "1 min 00 s"),
        ("elapsed_ms", 1_834_000, "30 min 34 s"),
        ("elapsed_ms", 3_599_999, "1 h 00 min"),
        ("elapsed_ms", 7_500_000, "2 h 05 min"),
        ("elapsed_ms", 3_600_000_000, "1,000 h 00 min"),
        ("submitted_at", 1795161605.25, "2026-11-20 08:00:05"),
        ("submitted_at", 0, "1970-01-01 00:00:00"),
        ("solved", 9, "9.00"),
        ("solved", -9.5, "-9.50"),
        ("solved", -0.0004, "0.00"),
    ],
)
def test_how_values_are_formatted(key: str, value: float, text: str) -> None:
    assert get_column(key).text(value) == text


@pytest.mark.parametrize(("unit", "text"), [("", "66.2"), ("%", "66.2%"), ("kg", "66.2 kg")])
def test_the_unit_follows_the_number(unit: str, text: str) -> None:
    column = Column(key="physics", label="Physics", direction="desc", unit=unit, decimals=1)
    assert column.text(66.24) == text


def test_a_key_without_a_file_is_a_reported_value() -> None:
    column = get_column("penalty_minutes")
    assert (column.key, column.label) == ("penalty_minutes", "penalty_minutes")
    assert column.value({"penalty_minutes": 995.0}) == 995.0


WITH_KEYS = sorted(each.key for each in known_strategies().values() if each.keys)


@pytest.mark.parametrize("strategy", WITH_KEYS)
def test_a_strategy_shows_its_own_key_first_and_then_the_other_facts(strategy: str) -> None:
    (own,) = known_strategies()[strategy].keys
    first, *rest = columns_for([(own.key, own.direction)])
    assert (first.key, first.direction, first.ranked) == (own.key, own.direction, True)
    assert {column.key for column in rest} == FACTS - {own.key}
    assert not any(column.ranked for column in rest)


def test_the_strategy_metric_shows_its_keys_in_their_order() -> None:
    columns = columns_for([("solved", "desc"), ("elapsed_ms", "desc")])
    assert [column.key for column in columns] == [
        "solved",
        "elapsed_ms",
        "tokens_total",
        "rating",
        "cost_usd",
    ]
    assert [column.direction for column in columns[:2]] == ["desc", "desc"]


def test_no_board_shows_a_column_twice() -> None:
    keys = [column.key for column in columns_for([("score", "desc"), ("rating", "asc")])]
    assert len(keys) == len(set(keys))


def test_a_new_file_is_a_new_column(folder_of_mine: Path) -> None:
    (folder_of_mine / "input_tokens.py").write_text(
        "from leaderboard.columns import Column\n"
        "COLUMN = Column(key='input_tokens', label='Input', direction='asc', decimals=0, place=9)\n"
    )
    assert get_column("input_tokens").label == "Input"
    assert columns_for([("score", "desc")])[-1].key == "input_tokens"


def test_two_files_cannot_describe_one_key(folder_of_mine: Path) -> None:
    (folder_of_mine / "zz_score_again.py").write_text(
        "from leaderboard.columns import Column\n"
        "COLUMN = Column(key='score', label='Mine', direction='asc')\n"
    )
    with pytest.raises(RuntimeError, match=r"zz_score_again: its COLUMN 'score' is there already"):
        known_columns()
