"""Excel sheets that are odd or malicious."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from typing import Any
from unittest.mock import Mock

import pytest
from openpyxl import Workbook

from leaderboard.importers import ImportFailed
from leaderboard.importers.tables import sheets, workbook_parts
from leaderboard.importers.tables.grid import MAX_ABOVE
from tests.importers.tables import EXAMPLES, read_as, rows_in, workbook
from tests.importers.uploads import imported, refusal, zipped

SHEET = "xl/worksheets/sheet1.xml"
TEXTS = "xl/sharedStrings.xml"


def changed(part: str, change: Callable[[str], str]) -> bytes:
    """Return a valid workbook with one of its parts changed."""
    with zipfile.ZipFile(io.BytesIO(EXAMPLES["an Excel sheet"][0])) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    return zipped({**parts, part: change(parts.get(part, b"<sst></sst>").decode()).encode()})


def more_rows(xml: str) -> Callable[[str], str]:
    return lambda sheet: sheet.replace("</sheetData>", f"{xml}</sheetData>")


HOSTILE = {
    "a row of many cells": (
        SHEET,
        more_rows("<row>" + "<c><v>1</v></c>" * 20_000 + "</row>"),
        "at most 16384 cells",
    ),
    "a row with a prefix": (
        SHEET,
        more_rows('<x:row xmlns:x="x">' + "<x:c/>" * 20_000 + "</x:row>"),
        "at most 16384 cells",
    ),
    "millions of texts": (
        TEXTS,
        lambda xml: xml.replace("</sst>", "<si/>" * 1_100_000 + "</sst>"),
        "at most 1048576 texts",
    ),
    "a tower of elements": (
        SHEET,
        lambda xml: xml.replace("<sheetData>", "<a>" * 200 + "</a>" * 200 + "<sheetData>"),
        "at most 100 levels",
    ),
    "a sheet with entities": (
        SHEET,
        lambda xml: '<!DOCTYPE x [<!ENTITY a "aaaa">]>' + xml[xml.index("<worksheet") :],
        "a workbook",
    ),
}


def test_a_workbook_that_would_fill_the_memory_is_refused() -> None:
    for name in HOSTILE:
        part, change, why = HOSTILE[name]
        assert why in refusal(changed(part, change), "x.xlsx")


def test_the_number_of_cells_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workbook_parts, "MAX_CELLS", 6)
    with pytest.raises(ImportFailed, match=r"sheet1\.xml: .* 6 cells"):
        imported(EXAMPLES["an Excel sheet"][0], "x.xlsx")


def test_empty_cells_count_towards_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sheets, "MAX_FILLED_UP", 11)
    assert "at most 11 cells" in refusal(EXAMPLES["an Excel sheet"][0], "x.xlsx")


def test_short_rows_are_not_filled_up_beyond_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    text_of = Mock(wraps=sheets._text)
    monkeypatch.setattr(sheets, "_text", text_of)
    rows = [[f"m{number}", number] for number in range(100)]
    assert len(imported(workbook(rows_in(["model", "acc"], *rows)), "x.xlsx").attempts) == 100
    assert text_of.call_count == 101 * 3 + MAX_ABOVE * (sheets.MAX_COLUMNS + 1)


def test_a_note_beside_the_table_is_a_column_without_a_label() -> None:
    def beside(sheet: Any) -> None:
        rows_in(["Model", "Acc"], ["a", 1], ["b", 2])(sheet)
        sheet["E2"] = "see the paper"

    contents = imported(workbook(beside), "x.xlsx")
    assert read_as(contents) == {"a": {"Acc": 1.0}, "b": {"Acc": 2.0}}
    assert [use.column for use in contents.map][2:] == ["column 3", "column 4", "column 5"]


def test_errors_name_a_cell_beyond_the_width_of_the_table() -> None:
    rows = [[f"m{number}", number] for number in range(40)]
    with pytest.raises(ImportFailed, match=r"line 42: .* cells"):
        imported(workbook(rows_in(["model", "acc"], *rows, ["n", 1, 2])), "x.xlsx")


def test_formulas_without_values_are_reported() -> None:
    book = Workbook()
    rows_in(["model", "a", "b"], ["x", 1, "=B2*2"], ["y", 2, "=B3*2"])(book.active)
    kept = io.BytesIO()
    book.save(kept)
    contents = imported(kept.getvalue(), "x.xlsx")
    assert read_as(contents) == {"x": {"a": 1.0}, "y": {"a": 2.0}}
    (warning,) = contents.warnings
    assert warning.startswith("2 formulas have no value")


def test_formulas_with_a_value_are_numbers() -> None:
    name, number = '<c r="A9" t="str"><f>"n"</f><v>n</v></c>', '<c r="B9"><f>1+1</f><v>2</v></c>'
    formula = f'<row r="9">{name}{number}</row>'
    contents = imported(changed(SHEET, more_rows(formula)), "x.xlsx")
    assert read_as(contents)["n"] == {"Score": 2.0}
    assert contents.warnings == []
