"""All attempts of a challenge as one zip, for organisers: a folder for each, and a table of all."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Sequence
from io import StringIO
from itertools import chain
from typing import Final, cast
from zipfile import ZIP_DEFLATED, ZipFile

from leaderboard.api.files.boards import interval_of
from leaderboard.api.files.grades import INTERVAL
from leaderboard.api.serializers.attempt import AttemptSerializer
from leaderboard.models import Attempt, Challenge, SubmittedFile, User
from leaderboard.models.attempt import AttemptQuerySet
from leaderboard.rules.json.values import JsonObject
from leaderboard.rules.texts.spreadsheet_cells import guarded
from leaderboard.services.attempts.read import Reading, read_attempts
from leaderboard.services.attempts.submitted import members_of, submitted_files
from leaderboard.services.competition.visible.access import Access
from leaderboard.services.competition.visible.certainty import VisibleCertainty, certainties_in
from leaderboard.services.files.store import open_file

PER_READ: Final = 50
FILE: Final = "file"
"""The folder of the submitted file, whose name is its participant's."""
TABLE: Final = (
    *("folder", "id", "participant", "name", "members", "phase", "submitted_at", "submitted_by"),
    *("status", "counts", "rank", *INTERVAL, "score", "error", "late_by_agreement", "withdrawn"),
)
"""The columns of `attempts.csv`; the ends of the rank interval are named as in other tables."""


class _Pieces:
    """A file that is read away while it is written, so that the archive is never held whole."""

    def __init__(self) -> None:
        self._written: list[bytes] = []

    def write(self, data: bytes, /) -> int:
        self._written.append(bytes(data))
        return len(data)

    def flush(self) -> None: ...

    def close(self) -> None: ...

    def take(self) -> bytes:
        data = b"".join(self._written)
        self._written.clear()
        return data


def attempts_zip(
    challenge: Challenge, attempts: AttemptQuerySet, *, reader: User | None
) -> Iterator[bytes]:
    """The archive in pieces: `attempts.csv`, and a folder for each attempt.

    A folder has `attempt.json`, as the API shows the attempt, with `members`, `submitted_by` and,
    if there are any, `samples.jsonl`, `outputs.jsonl` and the folder `file`.
    """
    pieces, members = _Pieces(), members_of(challenge)
    certainties = certainties_in(challenge, Access(challenge.pk))
    table = StringIO()
    lines = csv.DictWriter(table, TABLE)
    lines.writeheader()
    with ZipFile(pieces, "w", ZIP_DEFLATED) as archive:
        for reading in _readings(challenge, attempts, reader):
            team = members.get(reading.attempt.participant_id, ())
            certainty = certainties.get(reading.attempt.phase_id)
            document, folder = _document(reading, certainty, team), _folder(reading.attempt)
            _write(archive, folder, reading.attempt, document)
            lines.writerow(_line(folder, reading, document, team))
            yield pieces.take()
        archive.writestr("attempts.csv", table.getvalue())
    yield pieces.take()


def _readings(
    challenge: Challenge, attempts: AttemptQuerySet, reader: User | None
) -> Iterator[Reading]:
    ids = list(attempts.values_list("pk", flat=True))
    for start in range(0, len(ids), PER_READ):
        some = ids[start : start + PER_READ]
        related = ("participant", "scoring_config", "phase", "submitted_by")
        attempts_by_pk = Attempt.objects.select_related(*related).in_bulk(some)
        listed = [attempts_by_pk[pk] for pk in some if pk in attempts_by_pk]
        for attempt in listed:
            attempt.challenge = challenge
        yield from read_attempts(
            challenge, listed, reader=reader, organiser=True, access=Access(challenge.pk)
        )


def _document(
    reading: Reading, certainty: VisibleCertainty | None, members: Sequence[str]
) -> JsonObject:
    sender = reading.attempt.submitted_by
    ends = None if reading.rank is None else interval_of(certainty, reading.attempt.pk)
    return {
        **AttemptSerializer(reading).data,
        "rank_interval": ends,
        "members": list(members),
        "submitted_by": sender.username if sender else None,
    }


def _folder(attempt: Attempt) -> str:
    at = attempt.submitted_at.strftime("%Y%m%dT%H%M%SZ")
    return f"{attempt.participant.slug}/{at}-{attempt.pk}"


def _write(archive: ZipFile, folder: str, attempt: Attempt, document: JsonObject) -> None:
    text = json.dumps(document, ensure_ascii=False, indent=1, default=str)
    archive.writestr(f"{folder}/attempt.json", text)
    samples, outputs = submitted_files(attempt)
    _write_lines(archive, f"{folder}/samples.jsonl", samples)
    _write_lines(archive, f"{folder}/outputs.jsonl", outputs)
    submitted = SubmittedFile.objects.filter(pk=attempt.pk).defer("predictions").first()
    if submitted is not None:
        with open_file(submitted.path) as file:
            archive.writestr(f"{folder}/{FILE}/{submitted.name}", file.read())


def _write_lines(archive: ZipFile, name: str, lines: Iterable[JsonObject]) -> None:
    """Write a file of JSON lines, unless there are none."""
    lines = iter(lines)
    first = next(lines, None)
    if first is None:
        return
    with archive.open(name, "w") as file:
        for line in chain([first], lines):
            file.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")


def _line(
    folder: str, reading: Reading, document: JsonObject, members: Sequence[str]
) -> JsonObject:
    attempt, score = reading.attempt, reading.score
    low, high = cast("list[int] | None", document["rank_interval"]) or (None, None)
    line = {name: document.get(name) for name in TABLE} | {
        **dict(zip(INTERVAL, (low, high), strict=True)),
        "folder": folder,
        "name": attempt.participant.shown_name,
        "members": " ".join(members),
        "error": score.error_code or None if score else None,
        "withdrawn": attempt.withdrawn_at is not None,
    }
    return {name: guarded(value) for name, value in line.items()}
