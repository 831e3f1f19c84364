"""A Parquet file of every type of column, whose values pyarrow reads as they were."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest

from leaderboard.api.files.parquet_fields import DAY, MOMENT, NUMBER, TEXT, TRUTH, WHOLE, FileField
from leaderboard.api.files.parquet_file import parquet_file
from leaderboard.services.board.reading.rows import BoardRow
from tests.parquet_files import read_file, rows_in

PARIS = timezone(timedelta(hours=2))


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (TEXT, ["", "=1+1", "Ünï\x00 \U0001f3c6", None]),
        (WHOLE, [0, -(2**63), 2**63 - 1, None]),
        (NUMBER, [0.1, -1e308, 5e-324, 3, None]),
        (TRUTH, [True, False, None]),
        (DAY, [date(1, 1, 1), date(1969, 12, 31), date(2024, 2, 29), date(9999, 12, 31), None]),
        (
            MOMENT,
            [
                datetime(1, 1, 1, tzinfo=UTC),
                datetime(1969, 12, 31, 23, 59, 59, 999_999, UTC),
                datetime(2026, 3, 29, 2, 30, 0, 1, PARIS),
                datetime(9999, 12, 31, 23, 59, 59, 999_999, UTC),
                None,
            ],
        ),
    ],
)
def test_values_come_back_as_they_were(kind: str, values: list[Any]) -> None:
    rows: Any = iter(values)
    fields = [FileField(kind, lambda row: row)]
    body = b"".join(parquet_file(["value"], fields, rows, {}))
    assert [row["value"] for row in rows_in(body)] == values


def test_values_that_are_all_missing_keep_their_types() -> None:
    kinds = (TEXT, WHOLE, NUMBER, TRUTH, DAY, MOMENT)
    rows: Any = iter([None, None])
    fields = [FileField(kind, lambda _row: None) for kind in kinds]
    file = read_file(b"".join(parquet_file(kinds, fields, rows, {})))
    assert [str(kind) for kind in file.schema_arrow.types] == [
        "string",
        "int64",
        "double",
        "bool",
        "date32[day]",
        "timestamp[us, tz=UTC]",
    ]
    assert file.read().to_pylist() == [dict.fromkeys(kinds)] * 2


def test_an_error_among_the_rows_reaches_the_caller() -> None:
    def failing(_row: BoardRow) -> float:
        raise ValueError("no such value")

    rows: Any = iter([None])
    with pytest.raises(Exception, match="no such value"):
        list(parquet_file(["value"], [FileField(NUMBER, failing)], rows, {}))
