"""Tables within a Markdown text, or drawn with bars in a plain one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from leaderboard.importers.reading.errors import ImportFailed, legible
from leaderboard.importers.tables.header import MAX_TOLD
from leaderboard.importers.tables.texts import TableRow
from leaderboard.rules.texts.messages import listed, message

_RULE: Final = re.compile(r"\s*[|+]?\s*:?[-=]+:?\s*([|+]\s*:?[-=]+:?\s*)*[|+]?\s*")
_HEADING: Final = re.compile(
    r"\s{0,3}#{1,6}\s+(?P<heading>.*?)[\s#]*|\s*\*\*(?P<bold>[^*]+)\*\*[\s:.]*"
    r"|\s*(?P<caption>(?:Table|Tabelle|Tab\.)\s+\d+[:.].*)"
)
_QUOTED: Final = re.compile(r"\s*(>\s?)+(?=\|)")
_BAR: Final = re.compile(r"(?<!\\)\|")
_ESCAPED: Final = re.compile(r"\\([\\`*_{}\[\]()#+\-.!|<>~])")
_EMPHASIS: Final = re.compile(
    r"(?<![\w*_])(\*\*\*|___|\*\*|__|\*|_)(?=[^\s*_])(.*?[^\s*_])\1(?!\w)|~~(.+?)~~"
)
MAX_MARKED: Final = 300


class MarkdownTable(NamedTuple):
    """A table: its heading, the line of its header, and its rows with the header."""

    heading: str
    line: int
    rows: list[TableRow]


def holds_tables(lines: Sequence[str]) -> bool:
    """Whether a text has a table: a row with bars above or below a rule of hyphens."""
    return any(
        _is_rule(lines[at]) and any("|" in line for line in lines[max(0, at - 1) : at + 2])
        for at in range(len(lines))
    )


def only_table(lines: Iterable[str], file: str) -> list[TableRow]:
    """The rows of the table in a text. Raises ImportFailed if there are several."""
    tables = list(_tables(lines))
    if len(tables) > 1:
        raise ImportFailed(
            message(
                "must hold one table; got several tables, of which one can be uploaded alone: "
                "{tables}",
                tables=listed([_described(table) for table in tables]),
            ),
            file=file,
        )
    return tables[0].rows if tables else []


def _described(table: MarkdownTable) -> str:
    """Where a table is, in words: `Ferry desk (line 5)`."""
    labels = " | ".join(table.rows[0][1][: MAX_TOLD + 1]) if table.rows else ""
    return message(
        "{heading} (line {line})", heading=legible(table.heading or labels), line=table.line
    )


def _tables(lines: Iterable[str]) -> Iterator[MarkdownTable]:
    heading, before = "", ""
    table: MarkdownTable | None = None
    above: TableRow | None = None
    for number, raw in enumerate(lines, 1):
        line = _QUOTED.sub("", raw.rstrip("\r\n"))
        if _is_rule(line) and table is None and above is not None:
            table = MarkdownTable(heading, above[0], [above])
        elif table is not None and not _is_rule(line):
            if "|" in line:
                table.rows.append((number, _cells(line)))
            else:
                yield table
                table = None
        above = (number, _cells(line)) if "|" in line and not _is_rule(line) else None
        heading = _heading(line, before) or heading
        before = line
    if table is not None:
        yield table


def _is_rule(line: str) -> bool:
    """`|---|:--:|`, `+----+----+`; a rule below a heading has no bar."""
    return ("|" in line or "+" in line) and _RULE.fullmatch(line) is not None


def _heading(line: str, before: str) -> str:
    """The heading that a line is, or ends; "" for other lines."""
    if re.fullmatch(r"\s{0,3}(=+|-+)\s*", line) and before.strip() and "|" not in before:
        return before.strip()
    match = _HEADING.fullmatch(line)
    if match is None:
        return ""
    return (match["heading"] or match["bold"] or match["caption"] or "").strip()


def _cells(line: str) -> list[str]:
    cells = _BAR.split(line.strip())
    if cells and not cells[0].strip():
        cells = cells[1:]
    if cells and not cells[-1].strip() and line.rstrip().endswith("|"):
        cells = cells[:-1]
    return [_unmarked(cell.strip()) for cell in cells]


def _unmarked(cell: str) -> str:
    """A cell without emphasis, which in Markdown is also written with underscores."""
    if len(cell) > MAX_MARKED:
        return cell
    for _nested in range(2):
        cell = _EMPHASIS.sub(lambda match: match[2] or match[3], cell)
    return _ESCAPED.sub(r"\1", cell)
