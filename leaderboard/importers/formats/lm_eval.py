"""lm-evaluation-harness: `results_*.json`, with `samples_*.jsonl` where they were logged.

Each document of a task set is a task here, its metrics are rewards called `set.metric` (with the
filter's name behind it, unless that is `none`). If a metric gives a document no single number, such
as a log-likelihood with a count of words, the document lacks the reward. Only what the harness
averages is a reward: for a perplexity it logs log-likelihoods, whose mean is another number. Values
without a reward, such as those of perplexities and groups, become reported values.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from leaderboard.importers.reading.errors import ImportFailed, legible
from leaderboard.importers.reading.imports import Import, ImportedAttempt, Importer
from leaderboard.importers.reading.json_place import MAX_FIELD, JsonValue, parse
from leaderboard.importers.reading.naming import participant_name, source_id
from leaderboard.importers.reading.run_facts import conditions_of, run_of, sample_run
from leaderboard.importers.reading.sample_row import SampleRow
from leaderboard.importers.reading.samples import (
    NOT_SCORED,
    numbered,
    reward_names,
    sample,
    spec,
    suggested,
)
from leaderboard.importers.reading.source import Source
from leaderboard.importers.tools.lm_eval_metrics import (
    aggregation_of,
    averaged,
    directed,
    directions_of,
)
from leaderboard.rules.texts.messages import message

KEY: Final = "lm-eval"
RESULTS: Final = "results*.json"
SAMPLES: Final = "samples_*.jsonl"
NO_FILTER: Final = "none"

_DATED = re.compile(r"samples_(?P<set>.+)_(?P<date>\d{4}-\d\d-\d\dT[\d.:-]+)\.jsonl")
_STDERR = re.compile(r"_stderr(\.|$)")


def recognises(source: Source) -> bool:
    """Results with `n-shot` or `versions` of their task sets, or rows of logged documents."""
    if source.single:
        document = source.document
        return (document is not None and _is_results(document)) or any(map(_is_row, source.rows))
    return any(_is_results_file(source, name) for name in source.named(RESULTS)[:5])


def reads(source: Source, participant: str) -> Import:
    """One attempt for each results file."""
    if source.single and source.document is None:
        raise ImportFailed(
            message("must come with its results_*.json, as zip or tar; got logged samples alone"),
            file=source.label,
        )
    warnings: list[str] = []
    files = [name for name in source.named(RESULTS) if _is_results_file(source, name)]
    attempts = [_attempt(source, source.json(name), participant, warnings) for name in files]
    if not attempts:
        raise ImportFailed(
            message("must contain results; got a file without any"), file=source.label
        )
    metrics = [spec("mean", name) for a in attempts[:1] for name in reward_names(a.samples)]
    fields = suggested(attempts, metrics)
    directions = directions_of(source.json(name) for name in files)
    return Import(
        KEY, attempts, warnings=warnings, suggested=directed(fields, attempts, directions)
    )


def _is_results(part: JsonValue) -> bool:
    return "results" in part and "configs" in part and ("n-shot" in part or "versions" in part)


def _is_results_file(source: Source, name: str) -> bool:
    return (part := source.try_json(name)) is not None and _is_results(part)


def _is_row(part: JsonValue) -> bool:
    return "doc_id" in part and ("filtered_resps" in part or "resps" in part)


def _attempt(
    source: Source, results: JsonValue, participant: str, warnings: list[str]
) -> ImportedAttempt:
    file_metrics = _file_metrics(results)
    logged = _samples(source, results, warnings)
    samples = averaged(logged, results, file_metrics)
    scored = reward_names(samples)
    means = {name: spec("mean", name) for name in scored if aggregation_of(results, name) == "mean"}
    model = results["model_name"].words() or results["config"]["model"].words()
    if not samples and logged:
        text = message(
            "{file}: none of its values is a mean over the logged samples; they become reported "
            "values",
            file=legible(results.file),
        )
        warnings.append(text)
    elif not samples:
        warnings.append(
            message(
                "{file}: no samples were logged; its values become reported values",
                file=legible(results.file),
            )
        )
    meta = _meta(results, model)
    return ImportedAttempt(
        participant=participant or participant_name("", model),
        source_id=source_id(KEY, model, results["date"].number(), sorted(file_metrics.items())),
        meta=meta,
        samples=numbered(samples),
        values={
            name: value
            for name, value in file_metrics.items()
            if name not in scored and not _STDERR.search(name)
        },
        file_metrics={
            name if name not in means else means[name]["name"]: file_metrics[name]
            for name in file_metrics
        },
        specs={one["name"]: one for name, one in means.items() if name in file_metrics},
        submitted_at=results["date"].moment(),
        run=run_of(
            meta,
            "lm-eval",
            tool_version=results["lm_eval_version"].words(),
            conditions=conditions_of(results["config"], frozenset({"model"})),
        ),
    )


def _file_metrics(results: JsonValue) -> dict[str, float]:
    """`set.metric` of each number that the results state, standard errors included."""
    values = {}
    for name, part in results["results"].fields():
        for key in part.value if isinstance(part.value, dict) else ():
            metric, comma, chosen = key.partition(",")
            # A group that sums up nothing has the key " ".
            # Without enough documents a standard error is "N/A" or NaN.
            if comma and (value := part[key].finite()) is not None:
                part.checked(key, MAX_FIELD)
                values[_reward(name, metric, chosen)] = value
    return values


def _reward(task_set: str, metric: str, chosen: str) -> str:
    return ".".join((task_set, metric, *((chosen,) if chosen != NO_FILTER else ())))


def _samples(source: Source, results: JsonValue, warnings: list[str]) -> list[SampleRow]:
    rewards_of: dict[tuple[str, str], dict[str, float | None] | None] = {}
    for task_set, file in _sample_files(source, results).items():
        for number, line in source.lines(file):
            _take(task_set, parse(line, file, number), rewards_of)
        _count(results, task_set, sum(key[0] == task_set for key in rewards_of), warnings)
    return [
        sample(
            f"{task_set}/{doc}",
            rewards,
            {},
            NOT_SCORED if rewards is None else "",
            sample_run(task_digest=results["task_hashes"][task_set].words()),
        )
        for (task_set, doc), rewards in rewards_of.items()
    ]


def _sample_files(source: Source, results: JsonValue) -> Mapping[str, str]:
    """The logged samples of each task set, by the date in the names and the folder."""
    if source.single:
        return {}
    folder, _, own = results.file.rpartition("/")
    sets = {name for name, _ in results["configs"].fields()}
    files = {}
    for name in source.named(SAMPLES):
        dated = _DATED.fullmatch(name.rpartition("/")[2])
        beside = name.rpartition("/")[0] == folder
        if beside and dated and dated["set"] in sets and dated["date"] in own:
            files[dated["set"]] = name
    return files


def _take(
    task_set: str, row: JsonValue, rewards_of: dict[tuple[str, str], dict[str, float | None] | None]
) -> None:
    """The rewards of a row; rows of one document differ in their filter.

    None if nothing was scored; {} if no score is a single number.
    """
    doc, chosen = row["doc_id"], row["filter"].words() or NO_FILTER
    if (number := doc.count()) is None:
        raise doc.fail(message("must be a whole number"))
    key = task_set, str(number)
    rewards = dict(rewards_of.setdefault(key, None) or {})
    for metric in row["metrics"].items():
        name = metric.checked(_reward(task_set, metric.name(), chosen), MAX_FIELD)
        if name in rewards:
            raise row.fail(
                message("must have the document {number} once; got it twice", number=key[1])
            )
        value = row[metric.name()]
        if value.value is None or value.value != value.value:  # NaN: undefined for this document
            continue
        if type(value.value) in (int, float, bool):
            rewards[name] = value.reward()
        rewards_of[key] = rewards


def _count(results: JsonValue, task_set: str, count: int, warnings: list[str]) -> None:
    wanted = results["n-samples"][task_set]["effective"].count()
    if wanted is not None and wanted != count:
        warnings.append(
            message(
                "{task_set}: {found} of {wanted} documents are in its samples",
                task_set=legible(task_set),
                found=count,
                wanted=wanted,
            )
        )


def _meta(results: JsonValue, model: str) -> dict[str, str]:
    sets = ", ".join(name for name, _ in results["configs"].fields())
    meta = {
        "model": model,
        "model_type": results["model_source"].words(),
        "dataset": sets[:200],
        "harness": f"lm-eval {results['lm_eval_version'].words()}".strip(),
    }
    return {key: value for key, value in meta.items() if value}


IMPORTER = Importer(
    KEY,
    message("lm-evaluation-harness"),
    message("a results_*.json, better with its samples_*.jsonl as zip or tar"),
    recognises,
    reads,
)
