"""verifiers 0.1: `results.jsonl`, a line per rollout, and `metadata.json` beside it.

Rewards, metrics, usage and errors are imported; prompts and completions are not. Some forks fill
metrics that do not apply with zeros and flag them in `sparse_metrics`: these are undefined.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from hashlib import sha256
from typing import Final

from leaderboard.importers.reading.errors import ImportFailed, Unsafe, problem_of
from leaderboard.importers.reading.harness import token_usage, words_in
from leaderboard.importers.reading.imports import Import, ImportedAttempt, Importer
from leaderboard.importers.reading.json_place import JsonValue, parse
from leaderboard.importers.reading.naming import failure, participant_name, source_id
from leaderboard.importers.reading.sample_row import SampleRow
from leaderboard.importers.reading.samples import (
    facts,
    milliseconds,
    numbered,
    owing,
    sample,
    spec,
    suggested,
    without_placeholders,
)
from leaderboard.importers.reading.source import Source
from leaderboard.importers.tools.verifiers_file_metrics import file_metrics_of
from leaderboard.rules.json.values import JsonObject
from leaderboard.rules.texts.messages import message

KEY: Final = "verifiers-v0"
RESULTS: Final = "results.jsonl"
METADATA: Final = "metadata.json"
REWARD: Final = "reward"
SPARSE: Final = "sparse_metrics"
USED: Final = ("example_id", REWARD, "metrics", "error", "token_usage", "timing")


def recognises(source: Source) -> bool:
    """Rows with an `example_id` and a `reward`; or the metadata that stands beside them."""
    if source.single:
        if any(map(_is_row, source.rows)):
            return True
        metadata = source.document
        return bool(metadata and "env_id" in metadata and "rollouts_per_example" in metadata)
    return any(_is_row(row) for name in source.named(RESULTS)[:5] for row in source.peek(name))


def reads(source: Source, participant: str) -> Import:
    """One attempt for each `results.jsonl`. Lines that verifiers itself skips are left out."""
    if source.single and not any(map(_is_row, source.rows)):
        raise ImportFailed(
            message(
                "must come with {results}; got the {metadata} alone",
                metadata=METADATA,
                results=RESULTS,
            ),
            file=source.label,
        )
    warnings: list[str] = []
    names = source.named(RESULTS)
    if not names:
        raise ImportFailed(
            message("must contain {results}; got a file without any", results=RESULTS),
            file=source.label,
        )
    flagged: set[str] = set()
    attempts = [_attempt(source, name, participant, warnings, flagged) for name in names]
    rewards = {key for a in attempts for s in a.samples for key in s["rewards"] or ()}
    metrics = [
        spec("mean", name) for name in sorted(rewards, key=lambda name: (name != REWARD, name))
    ]
    fields = suggested(attempts, metrics)
    for task in fields.get("tasks", ()):
        if task["name"] in flagged:
            # Which rewards it has is left open: one that it lacks is undefined, and coverage counts
            # it, 10/12, as the tool does.
            task.pop("rewards", None)
    return Import(KEY, attempts, warnings=warnings, suggested=fields)


def _is_row(part: JsonValue) -> bool:
    return "example_id" in part and "reward" in part


def _attempt(
    source: Source, file: str, participant: str, warnings: list[str], flagged: set[str]
) -> ImportedAttempt:
    beside = source.beside(file, METADATA)
    metadata = source.json(beside) if beside else JsonValue({}, METADATA)
    rows, digest = _rows(source, file, metadata, warnings)
    flagged.update(row["example_id"].name_or_number() for row in rows if row[SPARSE].value)
    samples = without_placeholders(numbered(_sample(row) for row in rows))
    stated = file_metrics_of(metadata, rows, samples)
    model = metadata["model"].words()
    if not participant and not model:
        raise ImportFailed(
            message(
                "must be given, or {metadata} uploaded, which says the model; got neither",
                metadata=METADATA,
            ),
            file=file,
            field="participant",
        )
    return ImportedAttempt(
        participant=participant or participant_name("", model),
        source_id=source_id(KEY, metadata["env_id"].words(), model, digest),
        meta=_meta(metadata),
        samples=owing(samples),
        metrics=facts(samples),
        file_metrics=stated.values,
        specs=stated.specs,
        submitted_at=_finished(rows),
    )


def _rows(
    source: Source, file: str, metadata: JsonValue, warnings: list[str]
) -> tuple[list[JsonValue], str]:
    """The readable rows, in order, without what is private, and a digest of the file."""
    rows, digest = [], sha256()
    for at, (number, line) in enumerate(source.lines(file)):
        digest.update(line.strip() + b"\n")
        try:
            row = parse(line, file, number)
            if row["example_id"].value is None:
                raise row.fail(message("must have an example_id"))
        except Unsafe:
            raise
        except ImportFailed as error:
            warnings.append(message("left out: {error}", error=problem_of(error)))
            continue
        rows.append(_kept(row, metadata[SPARSE], at))
    if not rows:
        raise ImportFailed(
            message("must contain a readable row; got a file without any"), file=file
        )
    return rows, digest.hexdigest()


def _kept(row: JsonValue, flags: JsonValue, at: int) -> JsonValue:
    """The used fields of a row, as the others are large and private; metrics only if they apply.

    flags: those of all rows, by metric. at: the place of the row in the file.
    """
    kept = {name: row.value[name] for name in USED if name in row}
    undefined = {*_sparse_names(row[SPARSE]), *_sparse_names(flags, at)}
    if undefined and isinstance(kept.get("metrics"), dict):
        metrics: JsonObject = kept["metrics"]
        kept["metrics"] = {name: metrics[name] for name in metrics if name not in undefined}
    if REWARD in undefined:
        kept[REWARD] = None
    kept[SPARSE] = sorted(undefined)
    return JsonValue(kept, row.file, row.line)


def _sparse_names(flags: JsonValue, at: int | None = None) -> Iterator[str]:
    """The metrics that do not apply to a rollout. Raises ImportFailed for other flags.

    flags: a list of their names; or for each metric true or false, or, for all rollouts of a file
    together, a list of these. at: the place of the rollout in such a list.
    """
    if isinstance(flags.value, list):
        if at is None:
            yield from (flag.name() for flag in flags.items())
        return
    for name, flag in flags.fields():
        own = flag[at] if at is not None and isinstance(flag.value, list) else flag
        if not isinstance(own.value, bool | None):
            raise own.fail(message("must be true or false"))
        if own.value:
            yield name


def _sample(row: JsonValue) -> SampleRow:
    failed = row["error"].value is not None
    rewards = {name: part.reward() for name, part in row["metrics"].fields()}
    rewards[REWARD] = row[REWARD].reward()
    return sample(
        row["example_id"].name_or_number(),
        None if failed else rewards,
        _usage(row),
        _error(row["error"]) if failed else "",
    )


def _usage(row: JsonValue) -> dict[str, float | int | None]:
    tokens = row["token_usage"]
    return {
        **token_usage(tokens["input_tokens"].count(), tokens["output_tokens"].count()),
        "elapsed_ms": _elapsed(row["timing"]),
    }


def _elapsed(timing: JsonValue) -> int | None:
    if "total_ms" in timing:
        amount = timing["total_ms"].amount()
        return None if amount is None else round(amount)
    return milliseconds(timing["total"].amount())


def _error(part: JsonValue) -> str:
    if isinstance(part.value, str):
        return failure("", part.value)
    text, kind = part["error_chain_repr"].text(), part["error"].words()
    return failure("" if text.startswith(kind) else kind, text or kind)


def _meta(metadata: JsonValue) -> dict[str, str]:
    texts = words_in(metadata, model="model", dataset="env_id")
    harness = f"verifiers {metadata.at('version_info.vf_version').words()}".strip()
    return {name: text for name, text in {**texts, "harness": harness}.items() if text}


def _finished(rows: Iterable[JsonValue]) -> datetime | None:
    times = (row["timing"]["start_time"].moment() for row in rows)
    return max((time for time in times if time), default=None)


IMPORTER = Importer(
    KEY,
    message("verifiers 0.1"),
    message("{results} with {metadata}, as zip or tar", results=RESULTS, metadata=METADATA),
    recognises,
    reads,
)
