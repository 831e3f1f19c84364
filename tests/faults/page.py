"""The table of faults in docs/reliability.md."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from tests.processes import ROOT

PAGE = ROOT / "docs" / "reliability.md"
TABLE = re.compile(r"(\| fault \|.*\n\|[-|]+\|\n)((?:\|.*\n)*)")


def faults_of(page: str) -> set[str]:
    """Return the names of the faults that have a row."""
    return {fault for fault, _ in _rows(page)}


def with_figures(page: str, records: Iterable[dict[str, Any]]) -> str:
    """Return the page with the figures of a run in the rows of its table."""
    figures = {record["fault"]: record for record in records}

    def row(fault: str, means: str) -> str:
        record = figures.get(fault)
        cells = (record["attempts"], f"{record['seconds']} s") if record else ("", "")
        return f"| {fault} | {means} | {cells[0]} | {cells[1]} |\n"

    rows = "".join(row(*columns) for columns in _rows(page))
    return TABLE.sub(lambda table: table[1] + rows, page)


def _rows(page: str) -> Iterator[tuple[str, str]]:
    """Yield each fault, and what it means."""
    [table] = TABLE.finditer(page)
    for line in table[2].splitlines():
        fault, means, *_ = (cell.strip() for cell in line.strip("|").split("|"))
        yield fault, means
