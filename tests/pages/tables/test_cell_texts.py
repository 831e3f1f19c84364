"""The texts of a table's cells, and that they are translated by the column, not by the cell."""

from __future__ import annotations

import re
from collections import Counter
from datetime import UTC, datetime

import pytest
from django.utils import translation

from leaderboard.columns import Column
from leaderboard.columns.metric import metric_column
from leaderboard.pages.tables.board_table import TableCell, cells
from leaderboard.pages.tables.cell_texts import texts_of
from leaderboard.rules.rewards.cells import BoardCell
from leaderboard.schemas.metrics import parse_metrics

AT = datetime(2026, 11, 3, tzinfo=UTC)
SURE: BoardCell = {"defined": 10, "total": 12, "failed": 2, "interval": [0.25, 0.75]}
UNSURE: BoardCell = {"defined": 3, "total": 3, "failed": 1, "interval_reason": "few_tasks"}
ROWS = ((0.5, SURE), (0.25, UNSURE))


def columns() -> list[Column]:
    (spec,) = parse_metrics([{"type": "mean"}])
    return [metric_column("mean", spec), Column(key="cost_usd", label="Cost", direction="asc")]


def table(count: int) -> list[list[TableCell]]:
    texts = texts_of(columns())
    rows = (ROWS[number % len(ROWS)] for number in range(count))
    return [
        cells(texts, {"mean": value, "cost_usd": 1234.5}, AT, {"mean": state})
        for value, state in rows
    ]


def test_a_cell_has_every_fact_about_its_value() -> None:
    (sure, cost), (unsure, _) = table(2)
    assert (sure.coverage, sure.spread) == ("10/12", "± 0.250")
    assert re.findall(r"[\d.]*\d", sure.hint) == ["95", "0.250", "0.750", "10", "12", "2"]
    assert sure.note == "0.250 to 0.750, 2\N{NO-BREAK SPACE}samples failed"
    assert re.findall(r"\d+", unsure.hint) == ["5", "3", "3", "1"]
    assert re.findall(r"\d+", unsure.note) == ["5", "1"]
    assert (cost.text, cost.hint, cost.note, cost.is_main) == ("1,234.50", "", "", False)


def test_numbers_of_cells_have_the_separators_of_the_language() -> None:
    with translation.override("de"):
        ((sure, cost),) = table(1)
    assert (sure.text, cost.text) == ("0,500", "1.234,50")
    assert "0,250 bis 0,750" in sure.hint


def test_more_rows_need_no_more_translations(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_up = Counter[str]()

    def gettext(text: str) -> str:
        looked_up["texts"] += 1
        return text

    def ngettext(one: str, many: str, number: int) -> str:
        looked_up["texts"] += 1
        return one if number == 1 else many

    monkeypatch.setattr(translation._trans, "gettext", gettext)  # type: ignore[attr-defined]
    monkeypatch.setattr(translation._trans, "ngettext", ngettext)  # type: ignore[attr-defined]

    def needed(count: int) -> int:
        looked_up.clear()
        table(count)
        return looked_up["texts"]

    assert needed(2) == needed(40) > 0
