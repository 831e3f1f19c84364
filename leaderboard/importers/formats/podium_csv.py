"""Podium's own tables, with an attempt or a sample in each row.

With a column `task` each row is a sample and every unknown column is a reward; an empty cell is an
undefined reward, `null` is one that was not scored, and a row without any reward is a failed
sample. Without it each row is an attempt, and unknown columns are values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Final

from leaderboard.importers.reading.amounts import at_most
from leaderboard.importers.reading.errors import ImportFailed
from leaderboard.importers.reading.imports import Import, ImportedAttempt, Importer
from leaderboard.importers.reading.naming import source_id
from leaderboard.importers.reading.samples import suggested
from leaderboard.importers.reading.source import Source
from leaderboard.importers.tables.known_labels import NUMBERING, RANK, TOTALS, word
from leaderboard.importers.tools import podium_fields
from leaderboard.importers.tools.podium_rows import (
    META,
    PERSON,
    TASK,
    TIME,
    PodiumRows,
    header_of,
    meta,
    moment,
    number,
    participant,
    read_cells,
    sent_as,
)
from leaderboard.importers.tools.podium_samples import read_samples
from leaderboard.rules.rewards.documents import ACTUAL, ID
from leaderboard.rules.texts.messages import message
from leaderboard.rules.texts.value_names import is_value_name

KEY: Final = "podium-csv"
NAMES: Final = ("*.csv", "*.tsv")
NO_VALUES: Final = frozenset((*RANK, *NUMBERING))
"""Columns that other tables have, and that are no values."""


def recognises(source: Source) -> bool:
    """A first line that is a header with `participant` or `task`, but not one of outputs."""
    names = source.named(*NAMES)
    if len(names) != 1:
        return False
    first = next(source.lines(names[0]), (0, b""))[1][:10_000]
    columns = header_of(first)[1]
    return columns != [] and not {ID, ACTUAL} <= set(columns)


def reads(source: Source, given: str) -> Import:
    """The attempts of a table, read as a stream. Raises ImportFailed with line and column."""
    names = source.named(*NAMES)
    if len(names) != 1:
        raise ImportFailed(
            message("must hold one table; got {count}", count=len(names)), file=source.label
        )
    rows = PodiumRows(source, names[0])
    attempts = (
        read_samples(KEY, rows, given)
        if TASK in rows.columns
        else list(at_most(_plain(rows, given), names[0]))
    )
    if not attempts:
        raise ImportFailed(message("must have a row below its header; got none"), file=names[0])
    return Import(KEY, attempts, suggested=suggested(attempts))


def is_other_table(result: Import, computed: Callable[[str], bool]) -> bool:
    """Whether a table that could be read as ours is rather another one, whose columns are guessed.

    It is if one of its values has a name that no value can have (`Average ⬆️`), that the challenge
    computes, or that is a rank; or if its last row is a total of the others.
    """
    keys = dict.fromkeys(key for one in result.attempts for key in one.values)
    if any(not is_value_name(key) or computed(key) or word(key) in NO_VALUES for key in keys):
        return True
    last = result.attempts[-1]
    return len(result.attempts) > 1 and bool(last.values) and word(last.participant) in TOTALS


def _plain(rows: PodiumRows, given: str) -> Iterator[ImportedAttempt]:
    """An attempt a row."""
    counts: Counter[str] = Counter()
    columns = (PERSON, TIME, *podium_fields.FACTS)
    for line, cells in rows:
        row = rows.row(line, cells)
        identity = source_id(KEY, {name: cell.value for name, cell in row.items()})
        counts[identity] += 1
        values = {
            name: number(cell).number()
            for name, cell in row.items()
            if name not in columns and not name.startswith(META)
        }
        yield ImportedAttempt(
            participant=given or participant(row),
            sent=sent_as(row),
            source_id=f"{identity}:{counts[identity]}",
            meta=meta(row),
            values={name: value for name, value in values.items() if value is not None},
            metrics=read_cells(row, podium_fields.FACTS),
            submitted_at=moment(row),
        )


IMPORTER = Importer(
    KEY,
    message("Table"),
    message("a CSV with participant and values, or with task, sample and reward"),
    recognises,
    reads,
)
