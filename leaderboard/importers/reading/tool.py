"""The reader of the result files of evaluation tools.

A tool declares which files are its own and what a run in them holds; this makes attempts of the
runs and suggests a challenge for them. What a sample is stays code of the tool: a language of paths
for samples would need a hook in each place for all but two tools.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import wraps

from leaderboard.facts import FactValue
from leaderboard.importers.reading.errors import ImportFailed, problem_of
from leaderboard.importers.reading.evidence import EvidencePart
from leaderboard.importers.reading.harness import StatedValues, totals
from leaderboard.importers.reading.imports import Import, ImportedAttempt, Importer
from leaderboard.importers.reading.json_files import JsonFiles, with_first
from leaderboard.importers.reading.json_place import JsonValue
from leaderboard.importers.reading.naming import participant_of, source_id
from leaderboard.importers.reading.reported_numbers import ReportedNumbers, ranked_by
from leaderboard.importers.reading.run_facts import run_of
from leaderboard.importers.reading.sample_row import SampleRow
from leaderboard.importers.reading.samples import reward_names, spec, suggested
from leaderboard.importers.reading.source import Source
from leaderboard.importers.reading.suggestions import (
    SuggestedFields,
    SuggestedMetric,
    SuggestedPolicy,
    SuggestedTask,
)
from leaderboard.rules.texts.messages import message


@dataclass
class Upload:
    """What a tool's runs are read from. participant: the given name, or "".

    A reader may add to the rest: warnings for the user, and tasks that no run has tried. left_out:
    those warnings that explain why there may be no run at all.
    """

    source: Source
    participant: str
    warnings: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    untried: list[SuggestedTask] = field(default_factory=list)

    def documents(self, files: JsonFiles) -> Iterator[JsonValue]:
        """The documents of a format; a warning says which files are left out."""
        return files.documents(self.source, self._leave_out)

    def _leave_out(self, error: ImportFailed) -> None:
        self.left_out.append(message("left out: {error}", error=problem_of(error)))
        self.warnings.append(self.left_out[-1])


@dataclass
class ToolRun:
    """What the files of a tool hold of one attempt.

    file: the one that errors name. identity: plain JSON that is the same for the same results.
    meta: texts about the run, empty ones are left out; its `agent` and `model` name the
    participant, or else `called` does, unless `participant` is the final name. numbers: those that
    are reported, instead of `values`. stated: what the file gives for its metrics. metrics: facts
    of the whole run besides those of its samples. order: its rewards, or types of metrics, with
    the tool's main one first. run: fields of `Run` besides those in `meta`. evidence: as in
    `ImportedAttempt`.
    """

    file: str
    identity: Sequence[object]
    meta: dict[str, str]
    samples: Sequence[SampleRow] = field(default_factory=list)
    values: dict[str, float] = field(default_factory=dict)
    numbers: ReportedNumbers | None = None
    stated: StatedValues = field(default_factory=StatedValues)
    metrics: dict[str, FactValue] = field(default_factory=dict)
    submitted_at: datetime | None = None
    order: Sequence[str] = ()
    called: str = ""
    participant: str = ""
    run: dict[str, object] = field(default_factory=dict)
    evidence: list[EvidencePart] = field(default_factory=list)


Suggests = Callable[[Sequence[ToolRun], Sequence[ImportedAttempt]], SuggestedFields]
"""The fields of a challenge that fits the runs and their attempts."""


def by_means(
    *first: str, failed: SuggestedPolicy | None = None, shares: Iterable[str] = ()
) -> Suggests:
    """Suggest the mean of each reward, of the `first` ones before others; without them in the
    order of the runs.

    failed: how the means treat failed samples. shares: rewards from 0 to 1.
    """

    def suggests(runs: Sequence[ToolRun], attempts: Sequence[ImportedAttempt]) -> SuggestedFields:
        names = reward_names(row for attempt in attempts for row in attempt.samples)
        order = [*dict.fromkeys(first or (name for run in runs for name in run.order))]
        ordered = sorted(names, key=lambda name: order.index(name) if name in order else len(order))
        return suggested(attempts, [spec("mean", name, failed=failed) for name in ordered], shares)

    return suggests


def by_metrics(
    metrics: Callable[[Sequence[ImportedAttempt]], Sequence[SuggestedMetric]],
    shares: Iterable[str] = (),
) -> Suggests:
    """Suggest the metrics that are chosen for the attempts; shares as in `by_means`."""
    return lambda runs, attempts: suggested(attempts, metrics(attempts), shares)


def by_numbers(runs: Sequence[ToolRun], attempts: Sequence[ImportedAttempt]) -> SuggestedFields:
    """Suggest the reported numbers of the first run, which rank by the first of them."""
    return ranked_by(runs[0].numbers.labels if runs[0].numbers else {})


def importer(
    key: str,
    label: str,
    accepts: str,
    recognises: Callable[[Source], bool],
    runs: Callable[[Upload], Iterable[ToolRun]],
    *,
    missing: str,
    suggests: Suggests,
    resembles: Callable[[Source], bool] | None = None,
    once: bool = False,
) -> Importer:
    """The importer of a tool whose `runs` read the runs in an upload.

    key, label, accepts, recognises, resembles: as in `Importer`. missing: the error for an upload
    without a run. once: whether runs with the same identity are one attempt.
    """

    @wraps(runs)
    def reads(source: Source, participant: str) -> Import:
        upload = Upload(source, participant)
        tool_runs = list(runs(upload))
        attempts = [_attempt(key, run, participant) for run in tool_runs]
        if not attempts:
            raise ImportFailed(with_first(missing, upload.left_out), file=source.label)
        if once:
            attempts = list({attempt.source_id: attempt for attempt in attempts}.values())
        fields = suggests(tool_runs, attempts)
        _add_tasks(fields, upload.untried)
        return Import(key, attempts, warnings=upload.warnings, suggested=fields)

    return Importer(key, label, accepts, recognises, reads, resembles=resembles)


def _attempt(key: str, run: ToolRun, participant: str) -> ImportedAttempt:
    agent, model = run.meta.get("agent", ""), run.meta.get("model", "")
    named = (agent, model) if agent or model else (run.called, "")
    return ImportedAttempt(
        participant=run.participant or participant_of(participant, *named, run.file),
        source_id=source_id(key, *run.identity),
        meta={name: text for name, text in run.meta.items() if text},
        samples=run.samples,
        values=run.numbers.values if run.numbers else run.values,
        metrics={**totals(run.samples), **run.metrics},
        file_metrics=run.numbers.rest if run.numbers else run.stated.values,
        specs=run.stated.specs,
        error_specs=run.stated.error_specs,
        submitted_at=run.submitted_at,
        run=run_of(run.meta, key, **run.run),
        evidence=run.evidence,
    )


def _add_tasks(fields: SuggestedFields, tasks: Iterable[SuggestedTask]) -> None:
    """Add the tasks that no attempt has tried."""
    names = {task["name"] for task in fields.get("tasks", ())}
    for task in tasks:
        if task["name"] not in names:
            names.add(task["name"])
            fields["tasks"].append(task)
