"""SWE-bench: the report of a run, the reports of its instances, and reports of sb-cli.

A run's report is called `<model>.<run id>.json`, those of its instances stand in
`logs/run_evaluation/<run id>/<model>/<instance>/report.json`. sb-cli does not say the model.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from leaderboard.importers.reading.errors import legible
from leaderboard.importers.reading.harness import StatedValues, broken, file_stem
from leaderboard.importers.reading.imports import ImportedAttempt
from leaderboard.importers.reading.json_files import JsonFiles
from leaderboard.importers.reading.json_place import JsonValue
from leaderboard.importers.reading.naming import failure
from leaderboard.importers.reading.sample_row import SampleRow
from leaderboard.importers.reading.samples import numbered, sample, spec, suggested
from leaderboard.importers.reading.source import Source
from leaderboard.importers.reading.suggestions import SuggestedFields
from leaderboard.importers.reading.tool import ToolRun, Upload, importer
from leaderboard.rules.texts.messages import message

RESOLVED: Final = "resolved"
APPLIED: Final = "applied"
RATE: Final = "resolved_rate"
REPORT: Final = "report.json"
LOG: Final = "run_instance.log"
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
    report: JsonValue | None = None
    waiting: list[str] = field(default_factory=list)

    @property
    def unlisted(self) -> int:
        """How many instances the report counts and lists nowhere."""
        total = self.report["total_instances"].count() if self.report else None
        return max(0, (total or 0) - len(self.samples) - len(self.waiting))


def _is_report(part: JsonValue) -> bool:
    if "resolved_ids" not in part or "total_instances" not in part:
        return False
    return all(isinstance(part[key].value, list) for key in ("resolved_ids", "submitted_ids"))


def _is_instance(part: JsonValue) -> bool:
    return RESOLVED in part and "patch_successfully_applied" in part


def _instances(part: JsonValue) -> Iterator[JsonValue]:
    if isinstance(part.value, dict) and not _is_report(part):
        for name in list(part.value)[:1]:
            yield part[name]


REPORTS: Final = JsonFiles(_is_report, marks=(b'"resolved_ids"',), looked_at=50)
INSTANCES: Final = JsonFiles(
    lambda part: any(map(_is_instance, _instances(part))),
    (REPORT,),
    (b'"patch_successfully_applied"', b'"resolved"'),
    looked_at=50,
)


def recognises(source: Source) -> bool:
    """A report with lists of ids, or reports of instances."""
    return REPORTS.recognise(source) or INSTANCES.recognise(source)


def runs(upload: Upload) -> Iterator[ToolRun]:
    """One run for each run of a model. Instances that were not run are tasks too."""
    reported = map(_run_of, upload.documents(REPORTS))
    bench_runs = {(run.model, run.run): run for run in reported}
    for logged in _logged(upload.source):
        _join(bench_runs, logged)
    for run in bench_runs.values():
        upload.untried.extend({"name": name, "rewards": [RESOLVED]} for name in run.waiting)
        if run.samples:
            yield _run(run, upload.warnings)


def _suggests(runs: Sequence[ToolRun], attempts: Sequence[ImportedAttempt]) -> SuggestedFields:
    first = "sum" if any("sum" in run.order for run in runs) else "mean"
    metrics = sorted(
        (spec("mean", RESOLVED), spec("sum", RESOLVED)), key=lambda metric: metric["type"] != first
    )
    return suggested(attempts, metrics, (RESOLVED, APPLIED))


def _run_of(part: JsonValue) -> SweBenchRun:
    """The run of a report. Instances without a prediction, or still waiting, were not run."""
    run = SweBenchRun(*_model_and_run(part.file), part.file, report=part)
    for key in LISTS:
        for instance in part[key].items():
            name = instance.name()
            outcome = _outcome(key, name, part)
            if run.samples.setdefault(name, outcome) != outcome:
                raise instance.fail(
                    message(
                        "must have one outcome for {name}; got another than before",
                        name=legible(name),
                    )
                )
    waiting = [instance.name() for key in NOT_RUN for instance in part[key].items()]
    run.waiting = [name for name in dict.fromkeys(waiting) if name not in run.samples]
    return run


def _outcome(key: str, name: str, part: JsonValue) -> SampleRow:
    if key in ("error_ids", "failed_ids"):
        reason = part["failure_reasons"][name].words()
        return broken(name, (RESOLVED,), {}, failure("the evaluation broke", reason))
    return sample(
        name,
        {RESOLVED: float(key == "resolved_ids")},
        {},
        EMPTY if key == "empty_patch_ids" else "",
    )


def _model_and_run(file: str) -> tuple[str, str]:
    """Model and run id from `<model>.<run id>.json`; only the run id of a report of sb-cli."""
    stem = file_stem(file)
    if stem.count("__") >= 2 and stem.startswith(("swe-bench", "swe_bench")):
        return "", stem.split("__", 2)[2]
    model, _, run = stem.rpartition(".")
    return model.replace("__", "/"), run if model else ""


def _logged(source: Source) -> Iterator[SweBenchRun]:
    """The runs whose instances have a folder each, with a report unless the evaluation failed."""
    runs: dict[tuple[str, str], SweBenchRun] = {}
    for name in INSTANCES.marked(source):
        for instance, part in source.json(name).fields():
            if _is_instance(part):
                run, task = _run_at(runs, name), part.checked(instance)
                if task in run.samples:
                    raise part.fail(message("must be there once; got it twice"))
                run.samples[task] = _instance(task, part)
    for name in source.named(LOG) if runs else ():
        task = name.rpartition("/")[0].rpartition("/")[2]
        if task and not source.beside(name, REPORT):
            lost = broken(
                JsonValue(task, name).name(), (RESOLVED,), {}, "the evaluation left no report"
            )
            _run_at(runs, name).samples.setdefault(task, lost)
    yield from runs.values()


def _run_at(runs: dict[tuple[str, str], SweBenchRun], name: str) -> SweBenchRun:
    """The run of `<run id>/<model>/<instance>/report.json`."""
    run, model, _ = ["", "", "", *name.split("/")[:-1]][-3:]
    key = model.replace("__", "/"), run
    return runs.setdefault(key, SweBenchRun(*key, name))


def _instance(task: str, part: JsonValue) -> SampleRow:
    rewards = {RESOLVED: part[RESOLVED].reward()}
    applied = part["patch_successfully_applied"].reward()
    if applied is not None:
        rewards[APPLIED] = applied
    empty = part["patch_exists"].value is False or part["patch_is_None"].value is True
    return sample(task, rewards, {}, EMPTY if empty else "")


def _join(runs: dict[tuple[str, str], SweBenchRun], logged: SweBenchRun) -> None:
    """Add the outcomes of the instances to the run's report, which takes precedence."""
    run = runs.setdefault((logged.model, logged.run), logged)
    if run is logged:
        return
    for task, row in logged.samples.items():
        reported = run.samples.setdefault(task, row)
        rewards = row["rewards"] or {}
        if APPLIED in rewards:
            reported["rewards"] = {APPLIED: rewards[APPLIED], **(reported["rewards"] or {})}


def _run(run: SweBenchRun, warnings: list[str]) -> ToolRun:
    samples = numbered(run.samples[name] for name in sorted(run.samples))
    if run.waiting:
        warnings.append(
            message(
                "{file}: {waiting} of {samples} instances were not run: they count in "
                "SWE-bench's resolved rate and not in the mean here",
                file=legible(run.file),
                waiting=len(run.waiting),
                samples=len(samples) + len(run.waiting),
            )
        )
    values: dict[str, float] = {}
    if run.unlisted:
        total = len(samples) + len(run.waiting) + run.unlisted
        warnings.append(
            message(
                "{file}: {unlisted} of {total} instances are not listed: they count in SWE-bench's "
                "resolved rate, which is the reported value {rate}, and not in the mean here; rank "
                "by the number of resolved instances",
                file=legible(run.file),
                unlisted=run.unlisted,
                total=total,
                rate=RATE,
            )
        )
        if run.report and (resolved := run.report["resolved_instances"].count()) is not None:
            values[RATE] = resolved / total
    return ToolRun(
        run.file,
        (run.model, run.run, samples),
        {"model": run.model, "job": run.run, "harness": "SWE-bench"},
        samples=samples,
        values=values,
        stated=_stated(run, len(samples)),
        # The mean is over what is listed, which would rank such a run too high.
        order=["sum"] if run.unlisted else [],
    )


def _stated(run: SweBenchRun, count: int) -> StatedValues:
    """The number of resolved instances, and the rate if every instance was run."""
    stated = StatedValues()
    resolved = run.report["resolved_instances"].count() if run.report else None
    total = run.report["total_instances"].count() if run.report else None
    if resolved is None:
        return stated
    stated.add(spec("sum", RESOLVED), float(resolved))
    if total and total == count:
        stated.add(spec("mean", RESOLVED), resolved / total)
    elif total:
        stated.values["resolved/total"] = resolved / total
    return stated


IMPORTER = importer(
    "swe-bench",
    message("SWE-bench"),
    message(
        "the report of a run (<model>.<run id>.json) or of sb-cli, or the folder "
        "logs/run_evaluation"
    ),
    recognises,
    runs,
    missing=message("must contain results of SWE-bench instances; got a file without any"),
    suggests=_suggests,
)
