"""Large result files are read by workers: no request of the web works on thousands of rows.

The row of the job is the queue, as for attempts: a message wakes a worker, which claims the job by
a conditional UPDATE with a lease; the sweeper finds jobs whose message or worker was lost.
"""

from __future__ import annotations

import logging
import subprocess
import sys
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from tempfile import TemporaryFile
from typing import IO, Final
from uuid import UUID, uuid4

from django.db.models import F
from django.db.models.functions import Now
from django.utils.translation import get_language, ngettext, override
from django.utils.translation import gettext as _

from leaderboard.importers import (
    MAX_ATTEMPTS,
    ColumnUse,
    ImportFailed,
    Source,
    each_row_is_an_attempt,
    has_rows_of_attempts,
    recognise,
    rows_in,
)
from leaderboard.languages.translation import translated
from leaderboard.messages import queue
from leaderboard.models import Challenge, ImportJob, User
from leaderboard.rules.json.untyped_dicts import ColumnValues
from leaderboard.rules.json.values import JsonObject
from leaderboard.services.attempts.bulk_limits import count_import
from leaderboard.services.errors import ServiceError, invalid
from leaderboard.services.imports.importing import import_file
from leaderboard.services.imports.previews import ImportResult
from leaderboard.services.standing.reports import finding_json
from leaderboard.settings.variables import PACKAGE_DIR

logger = logging.getLogger(__name__)

MOST_AT_ONCE: Final = 5_000
"""The rows of a file that a request reads itself; one with more becomes a job."""
ROWS_KEPT: Final = 100
"""The attempts that the result of a job lists."""
UNFINISHED: Final = (ImportJob.State.WAITING, ImportJob.State.WORKING)
MOST_UNFINISHED: Final = 3
RETRY_SECONDS: Final = 30
LEASE: Final = timedelta(minutes=10)
KEPT: Final = timedelta(hours=24)
MOST_DELIVERIES: Final = 3
_PIECE: Final = 256 * 1024


@dataclass(frozen=True, slots=True)
class AskedImport:
    """The arguments of `import_file` that a job keeps. sender: counts against THROTTLE_BULK."""

    label: str
    participant: str = ""
    format: str = ""
    phase: str = ""
    columns: Sequence[str] = ()
    show_columns: bool = False
    organiser: bool = False
    sender: str = ""
    only_as: int | None = None
    received_at: str = ""
    language: str = ""


def rows_for_a_worker(source: Source, format: str) -> int:  # noqa: A002 - the API's word
    """The rows of a file that a worker should read, as thousands of them may be attempts; else 0.

    A file that cannot be recognised is for the request, which says what is wrong. Raises
    ServiceError: `too_large`, before anything is read but the ends of lines.
    """
    try:
        rows = rows_in(source, most=MAX_ATTEMPTS + 1)
        key = "" if rows <= MOST_AT_ONCE else format or recognise(source)
        if not key or not has_rows_of_attempts(source, key):
            return 0
    except ImportFailed:
        return 0
    if rows > MAX_ATTEMPTS + 1 and each_row_is_an_attempt(key):
        raise _too_large()
    return rows


def create_job(
    *,
    challenge: Challenge,
    user: User,
    file: IO[bytes],
    asked: AskedImport,
    dry_run: bool,
    rows: int,
) -> ImportJob:
    """Store a file for a worker, and notify one. Raises ServiceError: `throttled`, `too_large`."""
    unfinished = ImportJob.objects.filter(user=user, state__in=UNFINISHED)
    if unfinished.count() >= MOST_UNFINISHED:
        raise _too_many()
    if not asked.organiser:
        count_import(challenge, asked.sender, rows, dry_run=dry_run)
    fields = {**asdict(asked), "language": get_language() or ""}
    job = ImportJob.objects.create(
        challenge=challenge, user=user, dry_run=dry_run, asked=fields, content=_compressed(file)
    )
    queue.notify_of_import(job.pk)
    return job


def read_again(
    job: ImportJob,
    *,
    columns: Sequence[str],
    received_at: datetime,
    dry_run: bool,
    show_columns: bool = False,
) -> bool:
    """Read the file of a preview again, for another preview or to import it.

    columns: the uses of a table's columns. False if it is being read, or is imported already.
    Raises ServiceError: `throttled`, `too_large`.
    """
    if not job.asked["organiser"]:
        count_import(job.challenge, job.asked["sender"], job.attempts or 0, dry_run=dry_run)
    asked = {
        **job.asked,
        "columns": list(columns),
        "show_columns": show_columns,
        "received_at": received_at.isoformat(),
    }
    ended = ImportJob.objects.filter(pk=job.pk, dry_run=True).exclude(state__in=UNFINISHED)
    begun = ended.update(
        state=ImportJob.State.WAITING,
        dry_run=dry_run,
        asked=asked,
        deliveries=0,
        attempts=None,
        result=None,
        error=None,
    )
    if begun:
        queue.notify_of_import(job.pk)
    return begun > 0


def work_on(job_id: UUID) -> None:
    """Read the file of a job that nobody else reads, and store what came of it."""
    token = uuid4()
    claimed = ImportJob.objects.to_do().filter(pk=job_id)
    if not claimed.update(
        state=ImportJob.State.WORKING,
        lease_token=token,
        lease_until=Now() + LEASE,
        deliveries=F("deliveries") + 1,
    ):
        return
    job = ImportJob.objects.select_related("challenge__tenant", "user").get(pk=job_id)
    with override(job.asked["language"] or None):
        ended = _ended(job)
    ImportJob.objects.filter(pk=job_id, lease_token=token).update(lease_token=None, **ended)


def work_apart(job_id: UUID) -> None:
    """Read the file of a job in a process of its own, whose memory ends with it.

    A process that has ended by an error, such as for want of memory, gives its job back.
    """
    words = [sys.executable, "-m", "leaderboard.services.imports.apart", str(job_id)]
    done = subprocess.run(words, cwd=PACKAGE_DIR.parent, check=False)
    if done.returncode:
        logger.warning("import %s ended with status %d", job_id, done.returncode)
        lost = ImportJob.objects.filter(pk=job_id, state=ImportJob.State.WORKING)
        lost.update(lease_until=Now())


def work_on_waiting() -> None:
    """Notify workers of jobs that wait, and delete old ones; without a broker, read them here."""
    ImportJob.objects.filter(created_at__lt=Now() - KEPT).delete()
    for job_id in ImportJob.objects.to_do().order_by("created_at").values_list("pk", flat=True):
        if not queue.notify_of_import(job_id):
            work_apart(job_id)


def too_many_rows(rows: int) -> ServiceError:
    """Refuses a file that a worker would read, where no worker does."""
    text = _("file: must have at most {most} rows of attempts here; got {rows}")
    return ServiceError("too_large", text.format(most=MOST_AT_ONCE, rows=rows))


def _too_large() -> ServiceError:
    text = _("file: must hold at most {most} attempts, so split it; got more")
    return ServiceError("too_large", text.format(most=MAX_ATTEMPTS))


def _too_many() -> ServiceError:
    text = ngettext(
        "At most {count} large file of a user is read at a time. Try again later.",
        "At most {count} large files of a user are read at a time. Try again later.",
        MOST_UNFINISHED,
    )
    refused = ServiceError("throttled", text.format(count=MOST_UNFINISHED))
    refused.retry_after = RETRY_SECONDS
    return refused


def _ended(job: ImportJob) -> ColumnValues:
    """The columns of a job that has ended. An error that is no refusal leaves it to be retried."""
    if job.deliveries > MOST_DELIVERIES:
        lost = ServiceError("unavailable", _("The file could not be read, three times."))
        return {"state": ImportJob.State.FAILED, "error": _error(lost), "content": b""}
    content = {} if job.dry_run else {"content": b""}
    try:
        result = _imported(job)
    except ServiceError as refused:
        return {"state": ImportJob.State.FAILED, "error": _error(refused), **content}
    return {"state": ImportJob.State.DONE, "result": _plain(result), **content}


def _imported(job: ImportJob) -> ImportResult:
    asked = AskedImport(**job.asked)

    def counted(attempts: int) -> None:
        ImportJob.objects.filter(pk=job.pk).update(attempts=attempts, lease_until=Now() + LEASE)

    with _file_of(job) as file, _opened(file, asked.label) as source:
        return import_file(
            challenge=job.challenge,
            user=job.user,
            source=source,
            participant=asked.participant,
            format=asked.format,
            phase=asked.phase,
            columns=asked.columns,
            show_columns=asked.show_columns and not job.dry_run,
            organiser=asked.organiser,
            dry_run=job.dry_run,
            only_as=asked.only_as,
            received_at=datetime.fromisoformat(asked.received_at),
            counted=counted,
            most_rows=ROWS_KEPT,
        )


def _opened(file: IO[bytes], label: str) -> Source:
    try:
        return Source.open(file, label)
    except ImportFailed as error:
        raise invalid("file", error.text) from None


def _plain(result: ImportResult) -> JsonObject:
    """What the page and the API say of an import."""
    return {
        "format": result.format,
        "attempts": result.total,
        "ids": [str(pk) for pk in result.attempts],
        "known": result.known,
        "verdicts": dict(result.verdicts),
        "warnings": [translated(warning) for warning in result.warnings],
        "map": _uses(result.map),
        "rows": [
            {
                "participant": row.participant,
                "attempt": row.attempt and str(row.attempt),
                "known": row.known,
                "values": dict(row.values),
                "metrics": dict(row.metrics),
                "verdict": row.verdict,
                "findings": [finding_json(finding) for finding in row.findings],
            }
            for row in result.rows
        ],
    }


def _error(refused: ServiceError) -> JsonObject:
    fields: Mapping[str, Sequence[str]] = refused.fields
    return {
        "code": refused.code,
        "message": refused.message,
        "fields": {name: [*texts] for name, texts in fields.items()},
        "map": _uses(refused.map),
    }


def _uses(columns: Sequence[ColumnUse]) -> list[JsonObject]:
    return [{**asdict(column), "note": translated(column.note)} for column in columns]


def _compressed(file: IO[bytes]) -> bytes:
    compressor, pieces = zlib.compressobj(1), []
    file.seek(0)
    while piece := file.read(_PIECE):
        pieces.append(compressor.compress(piece))
    return b"".join([*pieces, compressor.flush()])


def _file_of(job: ImportJob) -> IO[bytes]:
    """The file of a job, as it was sent."""
    file, inflating = TemporaryFile(), zlib.decompressobj()  # noqa: SIM115 - closed by its reader
    rest = bytes(job.content)
    while rest:
        file.write(inflating.decompress(rest, _PIECE))
        rest = inflating.unconsumed_tail
    file.write(inflating.flush())
    file.seek(0)
    return file
