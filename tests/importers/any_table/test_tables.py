"""Tables that people write: each is read with the right participants and numbers."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from leaderboard.importers import ImportFailed
from tests.importers.tables import EXAMPLES, TABLE, read_as, rows_in, text, workbook
from tests.importers.uploads import imported, only_attempt, refusal, zipped


def test_ordinary_tables_are_read_with_ids_that_do_not_depend_on_the_file_name() -> None:
    for name, (upload, expected) in EXAMPLES.items():
        first, again = imported(upload, "a.csv"), imported(upload, "b.csv")
        assert read_as(first) == expected, name
        ids = [attempt.source_id for attempt in first.attempts]
        assert ids == [attempt.source_id for attempt in again.attempts], name
        assert len(set(ids)) == len(ids), name


def test_a_warning_names_numbers_of_which_some_have_a_unit() -> None:
    contents = imported(text("model,acc", "a,0.712", "b,71.2%"))
    (warning,) = contents.warnings
    assert warning.startswith("acc: some cells have %")


def test_a_participant_in_several_rows_is_reported() -> None:
    contents = imported(text("model,acc", "a,1", "b,3", "a,2"))
    assert [(attempt.participant, attempt.values) for attempt in contents.attempts] == [
        ("a", {"acc": 1}),
        ("b", {"acc": 3}),
        ("a", {"acc": 2}),
    ]
    assert [warning.partition(": ")[2] for warning in contents.warnings] == ["'a'"]


def test_a_long_cell_is_read() -> None:
    """With a search of quadratic time this test would take an hour."""
    for repeated in ("[", "1, ", "<a ", "1", "*"):
        cell = repeated * (200_000 // len(repeated))
        contents = imported(text("model,acc,note", f'a,1,"{cell}"'))
        assert contents.attempts[0].values["acc"] == 1, repeated


def test_an_odd_cell_is_reported_and_undefined() -> None:
    contents = imported(text("model,acc", "a,1", "b,2", "c,soon"))
    assert read_as(contents) == {"a": {"acc": 1}, "b": {"acc": 2}, "c": {}}
    (warning,) = contents.warnings
    assert warning.startswith("acc: 1 cell ")
    assert warning.endswith("'soon'")


def test_skipped_rows_are_reported() -> None:
    (headings,) = imported(EXAMPLES["headings and footnotes among the rows"][0]).warnings
    assert headings.endswith(
        ": 'Open models' in line 2, 'Closed models' in line 4, '* as published' in line 6"
    )
    (average,) = imported(EXAMPLES["an average and blank lines below"][0]).warnings
    assert average.endswith(": Average in line 5")
    (above,) = imported(EXAMPLES["groups of columns above the header"][0]).warnings
    assert above.startswith("1 row above")


def test_dates_are_read() -> None:
    cases: list[tuple[list[str], datetime]] = [
        (["2025-01-05"], datetime(2025, 1, 5, tzinfo=UTC)),
        (["05.01.2025"], datetime(2025, 1, 5, tzinfo=UTC)),
        (["01/05/2025"], datetime(2025, 1, 5, tzinfo=UTC)),
        (["05/01/2025", "31/01/2025"], datetime(2025, 1, 5, tzinfo=UTC)),
        (["2025/1/5"], datetime(2025, 1, 5, tzinfo=UTC)),
        (["Jan 5, 2025"], datetime(2025, 1, 5, tzinfo=UTC)),
        (["5 January 2025"], datetime(2025, 1, 5, tzinfo=UTC)),
        (["2025-01-05 12:30:00"], datetime(2025, 1, 5, 12, 30, tzinfo=UTC)),
        (["2025-01-05T12:30:00+01:00"], datetime(2025, 1, 5, 11, 30, tzinfo=UTC)),
        (["2025-01-05 12:30:00 UTC"], datetime(2025, 1, 5, 12, 30, tzinfo=UTC)),
    ]
    for cells, moment in cases:
        rows = (f'm{number},{number},"{cell}"' for number, cell in enumerate(cells, 3))
        contents = imported(text("model,acc,date", *rows))
        assert contents.attempts[0].submitted_at == moment, cells


def test_the_error_names_a_row_of_another_width() -> None:
    with pytest.raises(ImportFailed, match=r"a\.csv, line 3: .* got 4"):
        imported(text("model,x,y", "a,1,2", "b,1,2,3"), "a.csv")


def test_the_error_names_the_row_without_a_participant() -> None:
    assert "line 3, model: " in refusal(text("model,x", "a,1", ",2", "c,3"))


def test_a_table_may_be_in_an_archive() -> None:
    for name, upload in (("x.csv", TABLE), ("x.xlsx", EXAMPLES["an Excel sheet"][0])):
        assert imported(zipped({name: upload}), "x.zip").format == "table"


def test_a_workbook_that_is_a_bomb_is_refused() -> None:
    upload = EXAMPLES["an Excel sheet"][0]
    with_bomb = {"xl/workbook.xml": b"<a/>", "xl/styles.xml": b" " * (5 << 20)}
    for files in (with_bomb, {"xl/workbook.xml": b"", "xl/sharedStrings.xml": b" " * (129 << 20)}):
        assert "must inflate to at most" in refusal(zipped(files), "x.xlsx")
    assert "a workbook" in refusal(zipped({"xl/workbook.xml": b"<!DOCTYPE x []><x/>"}), "x.xlsx")
    assert imported(upload, "x.xlsx").format == "table"


def test_the_error_for_a_csv_without_numbers_says_what_is_missing() -> None:
    cases: list[tuple[bytes, str]] = [
        (b"model,score\n", "row below its header"),
        (b"Model;MMLU;ARC", "row below its header"),
        (b"model,score\n,\n", "row below its header"),
        (b"model\nalpha\nbeta\n", "at least two columns"),
        (b"", "got an empty table"),
        (b"\n \n", "got an empty table"),
        (b"model,score\nx,n/a\n", "a row with a number"),
    ]
    for upload, why in cases:
        text = refusal(upload, "results.csv")
        assert why in text
        assert "comes nearest" not in text


def test_a_day_in_a_sheet_is_read_without_a_time() -> None:
    """Excel stores days as midnight."""
    day, moment = datetime(2025, 1, 5), datetime(2025, 1, 5, 10, 30)  # noqa: DTZ001
    sheet = workbook(rows_in(["Model", "Accuracy", "From", "Until"], ["a", 0.712, day, moment]))
    meta = only_attempt(sheet, "results.xlsx").meta
    assert (meta["From"], meta["Until"]) == ("2025-01-05", "2025-01-05T10:30:00")
