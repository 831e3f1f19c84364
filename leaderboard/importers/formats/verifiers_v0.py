"""verifiers 0.1: `results.jsonl`, a line per rollout, and `metadata.json` beside it.

Rewards, metrics, usage and errors are imported; prompts and completions are not. Some forks fill
metrics that do not apply with zeros and flag them in `sparse_metrics`: these are undefined.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from hashlib import sha256
from typing import Final

from leaderboard.importers.reading.errors import ImportFailed, Unsafe, problem_of
from leaderboard.importers.reading.imports import Import, ImportedAttempt, Importer
from leaderboard.importers.reading.json_place import Part, parse
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
from leaderboard.importers.tools.verifiers_sparse import sparse_names
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
        return any(map(_is_row, source.rows)) or _is_metadata(source.document)
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


def _is_row(part: Part) -> bool:
    return "example_id" in part and "reward" in part


def _is_metadata(part: Part | None) -> bool:
    return part is not None and "env_id" in part and "rollouts_per_example" in part


def _attempt(
    source: Source, file: str, participant: str, warnings: list[str], flagged: set[str]
) -> ImportedAttempt:
    beside = source.beside(file, METADATA)
    metadata = source.json(beside) if beside else Part({}, METADATA)
    rows, digest = _rows(source, file, metadata, warnings)
    flagged.update(_task(row["example_id"]) for row in rows if row[SPARSE].value)
    samples = without_placeholders(numbered(_sample(row) for row in rows))
    file_metrics, specs = file_metrics_of(metadata, rows, samples)
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
        file_metrics=file_metrics,
        specs=specs,
        submitted_at=_finished(rows),
    )


def _rows(source: Source, file: str, metadata: Part, warnings: list[str]) -> tuple[list[Part], str]:
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


def _kept(row: Part, flags: Part, at: int) -> Part:
    """The used fields of a row, as the others are large and private; metrics only if they apply.

    flags: those of all rows, by metric. at: the place of the row in the file.
    """
    kept = {name: row.value[name] for name in USED if name in row}
    undefined = {*sparse_names(row[SPARSE]), *sparse_names(flags, at)}
    if undefined and isinstance(kept.get("metrics"), dict):
        metrics: JsonObject = kept["metrics"]
        kept["metrics"] = {name: metrics[name] for name in metrics if name not in undefined}
    if REWARD in undefined:
        kept[REWARD] = None
    kept[SPARSE] = sorted(undefined)
    return Part(kept, row.file, row.line)


def _sample(row: Part) -> SampleRow:
    failed = row["error"].value is not None
    rewards = {name: part.reward() for name, part in row["metrics"].fields()}
    rewards[REWARD] = row[REWARD].reward()
    return sample(
        _task(row["example_id"]),
        None if failed else rewards,
        _usage(row),
        _error(row["error"]) if failed else "",
    )


def _task(part: Part) -> str:
    return part.checked(str(part.value)) if type(part.value) is int else part.name()


def _usage(row: Part) -> dict[str, float | int | None]:
    tokens_in = row["token_usage"]["input_tokens"].count()
    tokens_out = row["token_usage"]["output_tokens"].count()
    both = None if tokens_in is None or tokens_out is None else tokens_in + tokens_out
    return {
        "tokens_total": both,
        "input_tokens": tokens_in,
        "output_tokens": tokens_out,
        "elapsed_ms": _elapsed(row["timing"]),
    }


def _elapsed(timing: Part) -> int | None:
    if "total_ms" in timing:
        amount = timing["total_ms"].amount()
        return None if amount is None else round(amount)
    return milliseconds(timing["total"].amount())


def _error(part: Part) -> str:
    if isinstance(part.value, str):
        return failure("", part.value)
    chain = part["error_chain_repr"].value
    kind = part["error"].words()
    text = chain if isinstance(chain, str) else ""
    return failure("" if text.startswith(kind) else kind, text or kind)


def _meta(metadata: Part) -> dict[str, str]:
    version = metadata["version_info"]["vf_version"].words()
    found = {
        "model": metadata["model"].words(),
        "dataset": metadata["env_id"].words(),
        "harness": f"verifiers {version}".strip(),
    }
    return {key: value for key, value in found.items() if value}


def _finished(rows: Iterable[Part]) -> datetime | None:
    times = (row["timing"]["start_time"].moment() for row in rows)
    return max((time for time in times if time), default=None)


IMPORTER = Importer(
    KEY,
    message("verifiers 0.1"),
    message("{results} with {metadata}, as zip or tar", results=RESULTS, metadata=METADATA),
    recognises,
    reads,
)
