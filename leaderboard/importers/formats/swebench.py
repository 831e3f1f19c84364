"""SWE-bench: the report of a run, the reports of its instances, and reports of sb-cli.

A run's report is called `<model>.<run id>.json`, those of its instances stand in
`logs/run_evaluation/<run id>/<model>/<instance>/report.json`. sb-cli does not say the model.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from leaderboard.importers.reading.errors import ImportFailed, shown
from leaderboard.importers.reading.harness import (
    broken,
    challenge_for,
    documents,
    file_stem,
    is_one,
    known,
    marked,
    state,
    whose,
)
from leaderboard.importers.reading.imports import Import, ImportedAttempt, Importer
from leaderboard.importers.reading.json_place import Part
from leaderboard.importers.reading.naming import failure, source_id
from leaderboard.importers.reading.sample_row import SampleRow
from leaderboard.importers.reading.samples import numbered, sample, spec
from leaderboard.importers.reading.source import Source
from leaderboard.importers.reading.suggestions import SuggestedMetric
from leaderboard.rules.texts.messages import message

KEY: Final = "swe-bench"
RESOLVED: Final = "resolved"
APPLIED: Final = "applied"
RATE: Final = "resolved_rate"
REPORT: Final = "report.json"
LOG: Final = "run_instance.log"
MARKS: Final = (b'"resolved_ids"',)
INSTANCE_MARKS: Final = (b'"patch_successfully_applied"', b'"resolved"')
EMPTY: Final = "empty patch"
NOT_RUN: Final = ("incomplete_ids", "pending_ids", "submitted_ids")
"""Lists of instances that were not run, unless another list has their outcome."""
LISTS: Final = ("resolved_ids", "unresolved_ids", "empty_patch_ids", "error_ids", "failed_ids")


@dataclass
class SweBenchRun:
    """What is known of one run of one model: the outcome of each instance, by its id."""

    model: str
    run: str
    file: str
    samples: dict[str, SampleRow] = field(default_factory=dict)
    report: Part | None = None
    waiting: list[str] = field(default_factory=list)

    @property
    def unlisted(self) -> int:
        """How many instances the report counts and lists nowhere."""
        total = self.report["total_instances"].count() if self.report else None
        return max(0, (total or 0) - len(self.samples) - len(self.waiting))


def recognises(source: Source) -> bool:
    """A report with lists of ids, or reports of instances."""
    return is_one(source, "*.json", _is_report, *MARKS) or is_one(
        source, REPORT, _is_instances, *INSTANCE_MARKS
    )


def reads(source: Source, participant: str) -> Import:
    """One attempt for each run of a model."""
    warnings: list[str] = []
    runs = {(each.model, each.run): each for each in _reported(source)}
    for each in _logged(source):
        _join(runs, each)
    attempts = [_attempt(run, participant, warnings) for run in runs.values() if run.samples]
    if not attempts:
        raise ImportFailed(
            message("must contain results of SWE-bench instances; got a file without any"),
            file=source.label,
        )
    waiting = dict.fromkeys(name for run in runs.values() for name in run.waiting)
    metrics = [spec("mean", RESOLVED), spec("sum", RESOLVED)]
    if any(run.unlisted for run in runs.values()):
        metrics.reverse()  # The mean is over what is listed, which would rank such a run too high.
    fields = challenge_for(attempts, metrics, (RESOLVED, APPLIED))
    have = {each["name"] for each in fields["tasks"]}
    fields["tasks"] += [
        {"name": name, "rewards": [RESOLVED]} for name in waiting if name not in have
    ]
    return Import(KEY, attempts, warnings=warnings, suggested=fields)


def _is_report(part: Part) -> bool:
    if "resolved_ids" not in part or "total_instances" not in part:
        return False
    return all(isinstance(part[key].value, list) for key in ("resolved_ids", "submitted_ids"))


def _is_instances(part: Part) -> bool:
    return any(_is_instance(instance) for instance in _instances(part))


def _is_instance(part: Part) -> bool:
    return RESOLVED in part and "patch_successfully_applied" in part


def _instances(part: Part) -> Iterator[Part]:
    if isinstance(part.value, dict) and not _is_report(part):
        for name in list(part.value)[:1]:
            yield part[name]


def _reported(source: Source) -> Iterator[SweBenchRun]:
    for part in documents(source, "*.json", _is_report, *MARKS):
        yield _run_of(part)


def _run_of(part: Part) -> SweBenchRun:
    """The run of a report. Instances without a prediction, or still waiting, were not run."""
    model, run = _named(part.file)
    found = SweBenchRun(model, run, part.file, report=part)
    for key in LISTS:
        for each in part[key].items():
            name = each.name()
            outcome = _outcome(key, name, part)
            if found.samples.setdefault(name, outcome) != outcome:
                raise each.fail(
                    message(
                        "must have one outcome for {name}; got another than before",
                        name=shown(name),
                    )
                )
    known = {*found.samples}
    waiting = [each.name() for key in NOT_RUN for each in part[key].items()]
    found.waiting = [name for name in dict.fromkeys(waiting) if name not in known]
    return found


def _outcome(key: str, name: str, part: Part) -> SampleRow:
    if key in ("error_ids", "failed_ids"):
        reason = part["failure_reasons"][name].words()
        return broken(name, (RESOLVED,), {}, failure("the evaluation broke", reason))
    return sample(
        name,
        {RESOLVED: float(key == "resolved_ids")},
        {},
        EMPTY if key == "empty_patch_ids" else "",
    )


def _named(file: str) -> tuple[str, str]:
    """Model and run id from `<model>.<run id>.json`; only the run id of a report of sb-cli."""
    stem = file_stem(file)
    if stem.count("__") >= 2 and stem.startswith(("swe-bench", "swe_bench")):
        return "", stem.split("__", 2)[2]
    model, _, run = stem.rpartition(".")
    return model.replace("__", "/"), run if model else ""


def _logged(source: Source) -> Iterator[SweBenchRun]:
    """The runs whose instances have a folder each, with a report unless the evaluation failed."""
    found: dict[tuple[str, str], SweBenchRun] = {}
    for name in marked(source, REPORT, *INSTANCE_MARKS):
        part = source.json(name)
        for instance, each in part.fields():
            if _is_instance(each):
                _add(_run_at(found, name), each.checked(instance), each)
    for name in source.named(LOG) if found else ():
        if not source.beside(name, REPORT):
            task = name.split("/")[-2]
            lost = broken(Part(task, name).name(), (RESOLVED,), {}, "the evaluation left no report")
            _run_at(found, name).samples.setdefault(task, lost)
    yield from found.values()


def _run_at(found: dict[tuple[str, str], SweBenchRun], name: str) -> SweBenchRun:
    """The run of `<run id>/<model>/<instance>/report.json`."""
    _, model, run = ["", "", *name.split("/")[:-1]][:-4:-1]
    key = model.replace("__", "/"), run
    return found.setdefault(key, SweBenchRun(*key, name))


def _add(run: SweBenchRun, task: str, part: Part) -> None:
    if task in run.samples:
        raise part.fail(message("must be there once; got it twice"))
    run.samples[task] = _instance(task, part)


def _instance(task: str, part: Part) -> SampleRow:
    rewards = {RESOLVED: part[RESOLVED].reward()}
    applied = part["patch_successfully_applied"].reward()
    if applied is not None:
        rewards[APPLIED] = applied
    empty = part["patch_exists"].value is False or part["patch_is_None"].value is True
    return sample(task, rewards, {}, EMPTY if empty else "")


def _join(runs: dict[tuple[str, str], SweBenchRun], logged: SweBenchRun) -> None:
    """Add the outcomes of the instances to the run's report, which takes precedence."""
    own = runs.setdefault((logged.model, logged.run), logged)
    if own is logged:
        return
    for task, each in logged.samples.items():
        there = own.samples.setdefault(task, each)
        rewards = each["rewards"] or {}
        if APPLIED in rewards:
            there["rewards"] = {APPLIED: rewards[APPLIED], **(there["rewards"] or {})}


def _attempt(one: SweBenchRun, participant: str, warnings: list[str]) -> ImportedAttempt:
    samples = numbered(one.samples[name] for name in sorted(one.samples))
    if one.waiting:
        warnings.append(
            message(
                "{file}: {waiting} of {samples} instances were not run: they count in "
                "SWE-bench's resolved rate and not in the mean here",
                file=shown(one.file),
                waiting=len(one.waiting),
                samples=len(samples) + len(one.waiting),
            )
        )
    values: dict[str, float] = {}
    if one.unlisted:
        total = len(samples) + len(one.waiting) + one.unlisted
        warnings.append(
            message(
                "{file}: {unlisted} of {total} instances are not listed: they count in SWE-bench's "
                "resolved rate, which is the reported value {rate}, and not in the mean here; rank "
                "by the number of resolved instances",
                file=shown(one.file),
                unlisted=one.unlisted,
                total=total,
                rate=RATE,
            )
        )
        if one.report and (resolved := one.report["resolved_instances"].count()) is not None:
            values[RATE] = resolved / total
    file_metrics, specs = _file_metrics(one, samples)
    return ImportedAttempt(
        participant=whose(participant, "", one.model, one.file),
        source_id=source_id(KEY, one.model, one.run, samples),
        meta=known(model=one.model, job=one.run, harness="SWE-bench"),
        samples=samples,
        values=values,
        file_metrics=file_metrics,
        specs=specs,
    )


def _file_metrics(
    one: SweBenchRun, samples: list[SampleRow]
) -> tuple[dict[str, float], dict[str, SuggestedMetric]]:
    """The number of resolved instances, and the rate if every instance was run."""
    values: dict[str, float] = {}
    specs: dict[str, SuggestedMetric] = {}
    if one.report is None:
        return values, specs
    resolved = one.report["resolved_instances"].count()
    total = one.report["total_instances"].count()
    if resolved is None:
        return values, specs
    state(values, specs, spec("sum", RESOLVED), float(resolved))
    if total and total == len(samples):
        state(values, specs, spec("mean", RESOLVED), resolved / total)
    elif total:
        values["resolved/total"] = resolved / total
    return values, specs


IMPORTER = Importer(
    KEY,
    message("SWE-bench"),
    message(
        "the report of a run (<model>.<run id>.json) or of sb-cli, or the folder "
        "logs/run_evaluation"
    ),
    recognises,
    reads,
)
