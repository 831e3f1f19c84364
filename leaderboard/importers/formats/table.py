"""Any table: a CSV, a TSV, a Markdown table, an Excel sheet or rows as JSON, with a row for each
participant or each sample.

The uses of its columns are guessed from their labels and cells, unless the user gives them
(`leaderboard.importers.tables.uses`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from leaderboard.importers.reading.directions import direction_of, without_arrows
from leaderboard.importers.reading.errors import ImportFailed
from leaderboard.importers.reading.imports import (
    ColumnMap,
    Import,
    ImportedAttempt,
    Importer,
)
from leaderboard.importers.reading.samples import suggested
from leaderboard.importers.reading.source import Source
from leaderboard.importers.reading.suggestions import SuggestedColumn, SuggestedFields
from leaderboard.importers.tables.attempts import KEY, attempts_of
from leaderboard.importers.tables.files import TableFile, holds_table, table_in
from leaderboard.importers.tables.grid import grid_of
from leaderboard.importers.tables.guessing import guessed
from leaderboard.importers.tables.profiles import Profile, profiles_of
from leaderboard.importers.tables.ranking import ranked_column
from leaderboard.importers.tables.reading import TableReader
from leaderboard.importers.tables.told import use_of, warnings_of
from leaderboard.importers.tables.uses import Use, check_uses, parse_map, wrong
from leaderboard.rules.texts.messages import message

MAX_LABEL: Final = 60


def reads(source: Source, participant: str) -> Import:
    """The attempts of a table without given column uses."""
    return reads_mapped(source, participant, ColumnMap())


def reads_mapped(source: Source, participant: str, column_map: ColumnMap) -> Import:
    """The attempts of a table. Raises ImportFailed with line and column, or with `map`."""
    return _read(table_in(source), participant, column_map)


def _read(table: TableFile, participant: str, column_map: ColumnMap) -> Import:
    grid = grid_of(table.rows, table.file, is_headed=table.is_headed)
    profiles = profiles_of(grid, table.decimal)
    given = parse_map(column_map.entries, [profile.label for profile in profiles])
    uses = guessed(profiles, given, column_map.computed, is_whose_known=bool(participant))
    columns = tuple(use_of(profile, uses[profile.label], given) for profile in profiles)
    reader = TableReader(grid, profiles, uses, table.file)
    try:
        _check(uses, participant)
        attempts = attempts_of(reader, participant)
    except ImportFailed as refused:
        refused.map = columns
        raise
    return Import(
        KEY,
        attempts,
        warnings=[*table.notes, *warnings_of(grid, profiles, uses, given), *reader.warnings],
        suggested=_suggested(attempts, profiles, uses),
        map=columns,
    )


def _check(uses: Mapping[str, Use], participant: str) -> None:
    check_uses(uses)
    kinds = {use.kind for use in uses.values()}
    if "participant" not in kinds and not participant:
        columns = ", ".join(map(repr, uses))[:300]
        raise wrong(
            message(
                "must say with COLUMN=participant which column is the participant, or "
                "the upload must give the participant; got the columns {columns}",
                columns=columns,
            )
        )
    if not kinds - {"participant", "ignore", "meta", "name", "kind", "note", "sample", "error"}:
        raise wrong(
            message(
                "must say with COLUMN=value which column is a value, a reward or a fact; got none"
            )
        )


def _suggested(
    attempts: Sequence[ImportedAttempt], profiles: Sequence[Profile], uses: Mapping[str, Use]
) -> SuggestedFields:
    """Fields of a challenge that fit: the columns of its board have the labels of the table."""
    columns: list[SuggestedColumn] = []
    labels: list[str] = []
    for profile in profiles:
        use = uses[profile.label]
        if use.kind == "value":
            column: SuggestedColumn = {
                "key": use.name,
                "label": without_arrows(profile.label)[:MAX_LABEL].strip(),
                "direction": direction_of(profile.label),
            }
            columns.append({**column, "unit": profile.unit[:12]} if profile.unit else column)
            labels.append(profile.label)
    fields = suggested(attempts)
    if not columns:
        return fields
    if "metrics" not in fields:
        _rank(fields, ranked_column(columns, labels, attempts))
    return {**fields, "columns": columns}


def _rank(fields: SuggestedFields, column: SuggestedColumn | None) -> None:
    """Rank by a column; without one, the organiser has to choose what the board ranks by."""
    if column is not None:
        fields["rank_by"] = [{"key": column["key"], "direction": column["direction"]}]
    else:
        fields.pop("rank_by", None)
        fields.pop("scoring_strategy", None)


IMPORTER = Importer(
    KEY,
    message("Table by columns"),
    message(
        "a CSV, TSV, Markdown table, Excel sheet or JSON list of rows, with a row for each "
        "participant or sample, mapped by its columns"
    ),
    holds_table,
    reads,
    reads_mapped,
)
