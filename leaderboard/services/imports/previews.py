"""What an import would save, or has saved: a row for each attempt of a file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from leaderboard.facts import FactValue
from leaderboard.importers import ColumnUse, Import, ImportedAttempt
from leaderboard.importers.reading.packed_samples import PackedSamples
from leaderboard.importers.reading.suggestions import SuggestedFields
from leaderboard.models import ScoringConfig
from leaderboard.rules.admission.verdicts import Finding, shown_findings
from leaderboard.rules.rewards.evidence import DeclaredTask, RewardEvidence, Sample
from leaderboard.rules.rewards.reductions import MetricValue, metric_values
from leaderboard.rules.texts.messages import counted, message
from leaderboard.services.evaluation.metrics import built_in
from leaderboard.services.evaluation.submitted_outputs import ReferenceIds
from leaderboard.services.imports.recognised import Recognised, recognised_in
from leaderboard.services.imports.renamed import RenamedRow
from leaderboard.services.imports.reported_metrics import FileMetric, compared
from leaderboard.services.plugins.metric_registry import reduce_of
from leaderboard.services.scripts.running import script_of
from leaderboard.services.standing.judging import Judgement


@dataclass(frozen=True, slots=True)
class Preview:
    """An attempt of a file, saved or to be saved.

    attempt: its id, None before it is saved. known: it was imported before and stays unchanged.
    failed: the number of failed samples. recognised: the model's outputs in it. metric_values: the
    values of the challenge's built-in metrics for its samples. stated: the metric values in the
    file, compared with ours; empty for a challenge with private tasks. verdict, findings: what the
    rules of the challenge say of it; "" without rules.
    """

    participant: str
    attempt: UUID | None
    known: bool
    tasks: int
    samples: int
    failed: int
    rewards: tuple[str, ...]
    instances: int | None
    recognised: Recognised
    metrics: Mapping[str, FactValue]
    values: Mapping[str, float]
    meta: Mapping[str, str]
    metric_values: Mapping[str, MetricValue]
    stated: Sequence[FileMetric]
    verdict: str = ""
    findings: Sequence[Finding] = ()


@dataclass(slots=True)
class ImportResult:
    """The result of an import. attempts: the ids of saved attempts. rows: one for each attempt.

    total, known: how many attempts the file has, and how many of them were there before. verdicts:
    how many of the new ones have each verdict of the rules; empty without rules.

    renamed: the rows whose participants are stored in another spelling than in the file. suggested:
    fields of a challenge (`metrics`, `tasks`, `num_samples`, `columns`) that would fit the file.
    map: the uses of a table's columns.
    """

    format: str
    attempts: list[UUID]
    rows: list[Preview]
    warnings: list[str]
    suggested: SuggestedFields
    renamed: Sequence[RenamedRow] = ()
    map: Sequence[ColumnUse] = ()
    total: int = 0
    known: int = 0
    verdicts: Mapping[str, int] = field(default_factory=dict)

    @property
    def differences(self) -> list[str]:
        """A line for each value that differs between the file and our own metrics."""
        return [
            _difference(row.participant, value)
            for row in self.rows
            for value in row.stated
            if value.differs
        ]


def verdict_in_words(row: Preview) -> str:
    """What the rules say of an attempt of the file: "" if they have nothing against it."""
    reasons = "; ".join(f"{finding.rule}: {finding.text}" for finding in row.findings)
    if not reasons:
        return ""
    return message(
        "{verdict} by the rules of admission ({reasons})", verdict=row.verdict, reasons=reasons
    )


def _difference(participant: str, value: FileMetric) -> str:
    return message(
        "{participant}: {metric} is {stated:g} there, {ours} here",
        participant=participant,
        metric=value.name,
        stated=value.stated,
        ours=message("nothing") if value.ours is None else message("{value:g}", value=value.ours),
    )


@dataclass(frozen=True, slots=True)
class SavedAttempt:
    """The attempt made from an imported result. attempt: its id, None in a dry run.

    known: whether it existed before. instances: the number of instances to evaluate. participant:
    the stored name, "" if the attempt existed before.
    """

    attempt: UUID | None
    known: bool
    instances: int | None
    participant: str = ""
    judgement: Judgement | None = None


def samples_of(one: ImportedAttempt) -> Sequence[Sample]:
    """The samples of an attempt; those of a large table are created on demand."""
    if isinstance(one.samples, PackedSamples):
        return one.samples.tuples
    return [
        Sample(
            row["task"],
            row["sample"],
            row["rewards"],
            row["usage"] or None,
            row["error"],
            row.get("run"),
        )
        for row in one.samples
    ]


def preview_of(
    config: ScoringConfig, held: ReferenceIds, one: ImportedAttempt, saved: SavedAttempt | None
) -> Preview:
    judgement = saved.judgement if saved else None
    is_known, total = bool(saved and saved.known), saved.instances if saved else None
    samples = [row for row in samples_of(one) if config.knows_task(row.task)]
    evidence = _counted(config, samples)
    specs = [spec for spec in config.metric_specs if built_in(spec)]
    return Preview(
        participant=one.participant,
        attempt=saved.attempt if saved else None,
        known=is_known,
        tasks=len({row.task for row in samples}),
        samples=len(samples),
        failed=sum(map(_has_failed, samples)),
        rewards=tuple(evidence.rewards),
        instances=total,
        recognised=recognised_in(one, config, held, total, existed=is_known),
        metrics=one.metrics,
        values=one.values,
        meta=one.meta,
        metric_values=metric_values(evidence, specs, reduce_of, script_of) if samples else {},
        stated=compared(one) if config.parts is None else (),
        verdict=judgement.verdict or "" if judgement else "",
        findings=[
            finding._replace(other="")
            for finding in shown_findings(judgement.findings, config.shows(None))
        ]
        if judgement
        else (),
    )


def _counted(config: ScoringConfig, samples: Sequence[Sample]) -> RewardEvidence:
    """The evidence from the samples that count before the end of a phase."""
    declared: Sequence[DeclaredTask] = config.declared_tasks
    if (counts := config.counts(None)) is not None:
        declared = [task for task in declared if counts(task.name)]
        samples = [row for row in samples if counts(row.task)]
    return RewardEvidence(samples, declared, bounds=config.reward_intervals)


def _has_failed(sample: Sample) -> bool:
    """Whether a sample failed: it has none of its rewards."""
    rewards = sample.rewards
    return rewards is None or (bool(rewards) and all(reward is None for reward in rewards.values()))


def notes_on(contents: Import, rows: Sequence[Preview], total: int) -> Iterator[str]:
    """What to say of some rows of a file. total: how many attempts are there once."""
    if twice := len(contents.attempts) - total:
        yield counted(
            "{count} of the attempts in it is there twice, and is taken once",
            "{count} of the attempts in it are there twice, and are taken once",
            twice,
        )
    for row in rows:
        if row.known:
            yield message(
                "{participant}: these results are here already, as attempt {attempt}",
                participant=row.participant,
                attempt=row.attempt,
            )
