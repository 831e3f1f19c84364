"""Attempts as they are submitted to the API, one JSON object a line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

from leaderboard.importers.reading.amounts import check_amount
from leaderboard.importers.reading.errors import ImportFailed
from leaderboard.importers.reading.imports import Import, ImportedAttempt, Importer
from leaderboard.importers.reading.json_place import JsonValue, parse
from leaderboard.importers.reading.naming import source_id
from leaderboard.importers.reading.sample_row import SampleRow
from leaderboard.importers.reading.samples import suggested
from leaderboard.importers.reading.source import Source
from leaderboard.importers.tools import podium_fields
from leaderboard.rules.texts.messages import message
from leaderboard.rules.texts.misspelt import meant_names
from leaderboard.rules.visibility.families import FAMILY
from leaderboard.schemas.documents import parse_document, parse_outputs
from leaderboard.schemas.runs import parse_run

KEY: Final = "podium-jsonl"
PATTERNS: Final = ("*.jsonl", "*.ndjson")
EVIDENCE: Final = ("metrics", "values", "task_rewards", "samples", "evaluation", "outputs")
KEPT: Final = ("name", "kind", "note", "phase")
ABOUT: Final = (
    "participant",
    "name",
    "kind",
    "meta",
    "family",
    "note",
    "phase",
    "submitted_at",
    "run",
)
FIELDS: Final = (*ABOUT, *EVIDENCE)


def recognises(source: Source) -> bool:
    """Lines with evidence and with no other fields than those of a submission."""
    return any(map(_is_attempt, _first_rows(source)))


def resembles(source: Source) -> bool:
    """Lines that would be attempts without their misspelt or unknown fields."""
    return any(map(_is_nearly_attempt, _first_rows(source)))


def _first_rows(source: Source) -> Iterable[JsonValue]:
    if source.single:
        return source.rows
    names = source.named(*PATTERNS)
    return source.peek(names[0]) if len(names) == 1 else ()


def reads(source: Source, participant: str) -> Import:
    """One attempt for each line. Raises ImportFailed with line and field."""
    names = source.named(*PATTERNS)
    if len(names) != 1:
        raise ImportFailed(
            message("must hold one .jsonl file; got {count}", count=len(names)), file=source.label
        )
    counts: Counter[str] = Counter()
    attempts = []
    for number, line in source.lines(names[0]):
        row = parse(line, names[0], number)
        identity = source_id(KEY, row.plain())
        counts[identity] += 1
        attempts.append(_attempt(row, participant, f"{identity}:{counts[identity]}"))
        check_amount(attempts, names[0])
    if not attempts:
        raise ImportFailed(
            message("must contain an attempt; got a file without any"), file=names[0]
        )
    return Import(KEY, attempts, suggested=suggested(attempts))


def _is_attempt(part: JsonValue) -> bool:
    return any(name in part for name in EVIDENCE) and all(name in FIELDS for name in part.value)


def _is_nearly_attempt(part: JsonValue) -> bool:
    """Whether it has participant and evidence, perhaps misspelt, and a field that is unknown."""
    given = part.value
    meant = {name for _, name in meant_names(given, FIELDS)}.union(given)
    has_both = "participant" in meant and not meant.isdisjoint(EVIDENCE)
    return has_both and any(name not in FIELDS for name in given)


def _attempt(row: JsonValue, participant: str, identity: str) -> ImportedAttempt:
    podium_fields.check_fields(row, FIELDS)
    return ImportedAttempt(
        participant=participant or podium_fields.participant(row["participant"]),
        source_id=identity,
        sent=str(row["participant"].value or ""),
        meta=_meta(row),
        samples=_samples(row),
        values=podium_fields.numbers(row["values"]),
        metrics=podium_fields.read_fields(row["metrics"], podium_fields.FACTS),
        submitted_at=podium_fields.moment(row["submitted_at"]),
        evaluation=podium_fields.parsed(row["evaluation"], parse_document),
        outputs=podium_fields.parsed(row["outputs"], parse_outputs),
        run=podium_fields.parsed(row["run"], parse_run) or {},
        fields={name: row[name].plain() for name in KEPT if row[name].value is not None},
    )


def _meta(row: JsonValue) -> dict[str, str]:
    meta = {name: value.checked(value.name()) for name, value in row["meta"].fields()}
    family = row["family"]
    return meta if family.value is None else {**meta, FAMILY: family.checked(family.name())}


def _samples(row: JsonValue) -> list[SampleRow]:
    if "samples" in row and "task_rewards" in row:
        raise row["task_rewards"].fail(message("must be absent beside samples; got both"))
    if "task_rewards" in row:
        return podium_fields.rewards_of_tasks(row["task_rewards"])
    return podium_fields.samples(row["samples"])


IMPORTER = Importer(
    KEY,
    message("JSON lines"),
    message("attempts as they are submitted, one a line"),
    recognises,
    reads,
    resembles=resembles,
)
