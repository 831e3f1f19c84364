"""The result of reading a result file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from leaderboard.facts import FactValue, rankable_keys
from leaderboard.importers.reading.column_use import ColumnUse
from leaderboard.importers.reading.evidence import EvidencePart
from leaderboard.importers.reading.sample_row import SampleRow
from leaderboard.importers.reading.source import Source
from leaderboard.importers.reading.suggestions import (
    RegistryChallenge,
    SuggestedFields,
    SuggestedMetric,
)
from leaderboard.rules.rewards.documents import Document
from leaderboard.rules.rewards.instances import Instance
from leaderboard.rules.rewards.runs import AttemptRun


@dataclass(frozen=True)
class ImportedAttempt:
    """One attempt of one participant, as plain values of the kinds that a submission has.

    source_id: the same for the same results, however often and under whatever name they are
    uploaded. metrics: facts of the whole attempt under the names that `usage` has, and `succeeded`,
    `rating`, `created_at` where a file knows them. values: reported values.

    file_metrics: the values that the file itself gives for its metrics. specs: for each of them
    that one of our metrics should equal, that metric's spec (its `name` is the key in
    `file_metrics`). error_specs: the same for values that should equal a metric's standard error.
    The others keep the file's own names and correspond to nothing here. evaluation, outputs: a
    model's outputs, in at most one of the two. lines: the line of each output, if the file has a
    line for each. fields: further fields of a submission (`name`, `kind`, `note`, `phase`). sent:
    the participant as the file writes it, where that is known. run: how it was run, as the files
    say. evidence: which parts of the source show how its samples went.
    """

    participant: str
    source_id: str
    meta: dict[str, str] = field(default_factory=dict)
    samples: Sequence[SampleRow] = field(default_factory=list)
    values: dict[str, float] = field(default_factory=dict)
    metrics: dict[str, FactValue] = field(default_factory=dict)
    file_metrics: dict[str, float] = field(default_factory=dict)
    specs: dict[str, SuggestedMetric] = field(default_factory=dict)
    error_specs: dict[str, SuggestedMetric] = field(default_factory=dict)
    submitted_at: datetime | None = None
    evaluation: Document | None = None
    outputs: list[Instance] | None = None
    lines: list[int] = field(default_factory=list)
    fields: dict[str, str] = field(default_factory=dict)
    sent: str = ""
    run: AttemptRun = field(default_factory=AttemptRun)
    evidence: list[EvidencePart] = field(default_factory=list)


@dataclass(frozen=True)
class Import:
    """A file's attempts, or the challenges of a registry, and the warnings for the user.

    suggested: fields of a challenge (`metrics`, `tasks`, `num_samples`, `text_metrics`, `columns`)
    that fit the attempts. map: the uses of a table's columns.
    """

    format: str
    attempts: list[ImportedAttempt] = field(default_factory=list)
    challenges: list[RegistryChallenge] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    suggested: SuggestedFields = field(default_factory=SuggestedFields)
    map: tuple[ColumnUse, ...] = ()


@dataclass(frozen=True)
class ColumnMap:
    """The uses that a user gave for columns of a table, and the values that a challenge computes
    itself.

    entries: `COLUMN=USE` each. computed: whether no file can report the value of a key.
    """

    entries: Sequence[str] = ()
    computed: Callable[[str], bool] = rankable_keys().__contains__


@dataclass(frozen=True)
class Importer:
    """One format. `accepts`: a line that describes its files.

    recognises: whether a source is of this format, by what is in it. reads: the import; the
    second argument is the participant's name, "" to take it from the file. Raises ImportFailed.
    reads_mapped: the same for a format whose columns can be mapped; such a format is only asked
    for files that no other one recognises. resembles: whether a file that no format recognises is
    meant for this one, so that `reads` finds what is wrong with it.
    """

    key: str
    label: str
    accepts: str
    recognises: Callable[[Source], bool]
    reads: Callable[[Source, str], Import]
    reads_mapped: Callable[[Source, str, ColumnMap], Import] | None = None
    resembles: Callable[[Source], bool] | None = None
