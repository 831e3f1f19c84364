"""Columns: what each one reads, and how it is formatted."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import leaderboard.columns
from leaderboard.columns import Column, columns_for, get_column, known_columns
from leaderboard.facts import facts_on_pages, rankable_facts, rankable_keys
from leaderboard.strategies import known_strategies

FACTS = {fact.key for fact in rankable_facts()}


@pytest.fixture
def folder_of_mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder whose files are columns too, for one test."""
    paths = [*leaderboard.columns.__path__, str(tmp_path)]
    monkeypatch.setattr(leaderboard.columns, "__path__", paths)
    known_columns.cache_clear()
    yield tmp_path
    known_columns.cache_clear()


def test_every_column_describes_itself() -> None:
    for column in known_columns().values():
        assert column.label.strip(), column
        assert column.description.strip(), column
        assert "\n" not in column.description, column
        assert column.direction in ("asc", "desc"), column
        assert column.text(None) == "–", column
        assert column.text(0.0) not in ("", "–"), column
        assert column.value({}) is None, column
        assert column.value({column.key: None}) is None, column
        assert column.value({column.key: 3.5, "another": 1.0}) == 3.5, column


def test_every_rankable_fact_has_a_column() -> None:
    assert set(rankable_keys()) <= set(known_columns())


def test_how_values_are_formatted() -> None:
    cases: list[tuple[str, float, str]] = [
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
    ]
    for key, value, text in cases:
        assert get_column(key).text(value) == text, key


def test_the_unit_follows_the_number() -> None:
    cases: list[tuple[str, str]] = [("", "66.2"), ("%", "66.2%"), ("kg", "66.2 kg")]
    for unit, text in cases:
        column = Column(key="physics", label="Physics", direction="desc", unit=unit, decimals=1)
        assert column.text(66.24) == text, unit


def test_a_key_without_a_file_is_a_reported_value() -> None:
    column = get_column("penalty_minutes")
    assert (column.key, column.label) == ("penalty_minutes", "penalty_minutes")
    assert column.value({"penalty_minutes": 995.0}) == 995.0


WITH_KEYS = sorted(strategy.key for strategy in known_strategies().values() if strategy.keys)


def test_a_strategy_shows_its_own_key_first_and_then_the_other_facts() -> None:
    for strategy in WITH_KEYS:
        (own,) = known_strategies()[strategy].keys
        first, *rest = columns_for([(own.key, own.direction)])
        assert (first.key, first.direction, first.ranked) == (own.key, own.direction, True)
        assert {column.key for column in rest} == FACTS - {own.key}, strategy
        assert not any(column.ranked for column in rest), strategy


def test_the_strategy_metric_shows_its_keys_in_their_order() -> None:
    columns = columns_for([("solved", "desc"), ("elapsed_ms", "desc")])
    facts = [fact.key for fact in facts_on_pages() if fact.key in FACTS - {"elapsed_ms"}]
    assert [column.key for column in columns] == ["solved", "elapsed_ms", *facts]
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
    assert "input_tokens" in [column.key for column in columns_for([("score", "desc")])]


def test_two_files_cannot_describe_one_key(folder_of_mine: Path) -> None:
    (folder_of_mine / "zz_score_again.py").write_text(
        "from leaderboard.columns import Column\n"
        "COLUMN = Column(key='score', label='Mine', direction='asc')\n"
    )
    with pytest.raises(RuntimeError, match=r"zz_score_again: .*'score'"):
        known_columns()
