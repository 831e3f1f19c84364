"""What a challenge may change about its columns, and how errors name a wrong entry."""

from typing import Any

from leaderboard.columns import Column, apply_overrides, check_overrides, columns_for
from tests.schemas.refusals import refused


def board() -> list[Column]:
    return columns_for([("score", "desc")])


def changed(entry: dict[str, Any]) -> Column:
    """Return the column that results from a single entry."""
    (column,) = [
        column for column in apply_overrides(board(), [entry]) if column.key == entry["key"]
    ]
    return column


def test_no_entry_changes_nothing() -> None:
    assert apply_overrides(board(), []) == board()


def test_a_known_column_is_changed_in_its_position() -> None:
    columns = apply_overrides(board(), [{"key": "rating", "label": "Jury", "decimals": 0}])
    assert [column.key for column in columns] == [column.key for column in board()]
    (rating,) = [column for column in columns if column.key == "rating"]
    assert (rating.label, rating.text(8.0), rating.direction) == ("Jury", "8", "desc")


def test_another_key_is_added_at_the_end() -> None:
    entry = {"key": "physics", "label": "Physics", "unit": "%", "decimals": 1, "direction": "asc"}
    last = apply_overrides(board(), [entry])[-1]
    assert (last.key, last.label, last.direction) == ("physics", "Physics", "asc")
    assert last.text(66.2) == "66.2%"


def test_the_kind_of_a_column_cannot_change() -> None:
    assert changed({"key": "cost_usd", "decimals": 2}).text(0.04) == "$0.04"
    assert changed({"key": "cost_usd", "decimals": 2}).text(0.000012) == "$0.000012"
    assert changed({"key": "cost_usd", "decimals": 2}).text(0.0) == "$0.00"
    assert (
        changed({"key": "elapsed_ms", "label": "Duration", "decimals": 2}).text(12_340) == "12.34 s"
    )
    assert changed({"key": "submitted_at", "label": "First seen"}).text(0) == "1970-01-01 00:00:00"


def test_a_unit_may_be_empty_and_a_fixed_one_repeated() -> None:
    assert changed({"key": "physics", "unit": ""}).unit == ""
    assert changed({"key": "elapsed_ms", "unit": "ms"}).unit == "ms"


def test_a_direction_opposite_to_the_ranking_is_refused_when_saved() -> None:
    check_overrides(board(), [{"key": "score", "direction": "desc"}])
    check_overrides(board(), [{"key": "rating", "direction": "asc"}])
    error = refused(
        check_overrides, board(), [{"key": "rating"}, {"key": "score", "direction": "asc"}]
    )
    assert error.field == "columns.1.direction"
    assert "must be desc" in error.message


def test_an_impossible_column_is_refused_when_saved() -> None:
    check_overrides(board(), [{"key": "submitted_at"}])
    check_overrides(columns_for([("solved", "desc")]), [{"key": "solved"}])
    error = refused(check_overrides, board(), [{"key": "solved or not"}])
    assert error.field == "columns.0.key"
    assert "one of cost_per_task, " in error.message


def test_a_stored_direction_opposite_to_the_ranking_is_shown() -> None:
    overrides = [{"key": "rating", "direction": "asc", "label": "Jury"}]
    check_overrides(columns_for([("score", "desc")]), overrides)
    rating = apply_overrides(columns_for([("rating", "desc")]), overrides)[0]
    assert (rating.key, rating.label, rating.direction) == ("rating", "Jury", "desc")

    solved = [{"key": "solved"}]
    check_overrides(columns_for([("solved", "desc")]), solved)
    assert apply_overrides(board(), solved)[-1].text(None) == "–"


def test_a_wrong_entry_is_refused_by_name() -> None:
    cases: list[tuple[object, str, str]] = [
        ({}, "columns", "list"),
        (None, "columns", "list"),
        ([7], "columns.0", "object"),
        ([{}], "columns.0.key", "is required; got nothing"),
        ([{"key": ""}], "columns.0.key", "text"),
        ([{"key": 3}], "columns.0.key", "text"),
        ([{"key": "x" * 121}], "columns.0.key", "120"),
        ([{"key": "a"}, {"key": "a"}], "columns.1.key", "twice"),
        ([{"key": "score", "label": ""}], "columns.0.label", "1 to 60"),
        ([{"key": "score", "label": None}], "columns.0.label", "text"),
        ([{"key": "score", "label": "two\nlines"}], "columns.0.label", "text"),
        ([{"key": "score", "label": " padded"}], "columns.0.label", "text"),
        ([{"key": "score", "unit": 5}], "columns.0.unit", "text"),
        ([{"key": "score", "unit": "u" * 13}], "columns.0.unit", "12"),
        (
            [{"key": "a"}, {"key": "elapsed_ms", "unit": "s"}],
            "columns.1.unit",
            "the unit of elapsed_ms",
        ),
        ([{"key": "score", "decimals": True}], "columns.0.decimals", "0 to 9"),
        ([{"key": "score", "decimals": 1.0}], "columns.0.decimals", "0 to 9"),
        ([{"key": "score", "decimals": -1}], "columns.0.decimals", "0 to 9"),
        ([{"key": "score", "decimals": 10}], "columns.0.decimals", "0 to 9"),
        ([{"key": "rating", "direction": "up"}], "columns.0.direction", "asc or desc"),
        ([{"key": "rating", "direction": ["asc"]}], "columns.0.direction", "asc or desc"),
        ([{"key": "score", "colour": "red"}], "columns.0.colour", "(key, label"),
        ([{"key": "rating", "position": 0}], "columns.0.position", "from 1 to 100"),
        ([{"key": "rating", "position": True}], "columns.0.position", "from 1 to 100"),
        ([{"key": "rating", "hidden": 1}], "columns.0.hidden", "true or false"),
    ]
    for overrides, field, message in cases:
        for refuse in (apply_overrides, check_overrides):
            error = refused(refuse, board(), overrides)
            assert str(error) == f"{field}: {error.message}"
            assert message in error.message
