"""Import result files: save all of their attempts or none, and each result only once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path

from django.db import transaction
from django.utils.translation import gettext as _

from leaderboard.importers import (
    ColumnMap,
    Import,
    ImportedAttempt,
    ImportFailed,
    Source,
    read,
    under_name,
)
from leaderboard.importers.formats import harpia, outputs
from leaderboard.models import Attempt, Challenge, User
from leaderboard.rules.texts.messages import listed, message
from leaderboard.services.attempts.batches import Batch
from leaderboard.services.attempts.bulk_limits import count_lines
from leaderboard.services.attempts.drafts import Draft
from leaderboard.services.attempts.evidence import may_report
from leaderboard.services.attempts.new_attempts import IMPORTED, NewAttempt
from leaderboard.services.attempts.submit import save_drafted
from leaderboard.services.competition.participants.own_names import OwnName, own_name
from leaderboard.services.errors import ServiceError, invalid
from leaderboard.services.evaluation.submitted_outputs import ReferenceIds, check_document
from leaderboard.services.imports.column_labels import label_columns
from leaderboard.services.imports.previews import (
    FoundAttempt,
    ImportResult,
    notes_on,
    preview_of,
    samples_of,
)
from leaderboard.services.imports.readings import read_once
from leaderboard.services.imports.refusals import failed, refusal
from leaderboard.services.imports.renamed import renamed_rows, told_renamed
from leaderboard.services.imports.reported_metrics import compared
from leaderboard.services.imports.suggestions import suggestion
from leaderboard.services.transactions import retried

TAKEN = ("name", "kind", "note", "phase")
"""The other fields of a submission that a file may set."""


def import_file(
    *,
    challenge: Challenge,
    user: User,
    source: Source,
    participant: str = "",
    format: str = "",  # noqa: A002 - the API's word
    organiser: bool = False,
    dry_run: bool = False,
    columns: Sequence[str] = (),
    show_columns: bool = False,
    remember: Path | None = None,
    sender: str = "",
    received_at: datetime | None = None,
    only_as: int | None = None,
    phase: str = "",
    counted: Callable[[int], None] = lambda attempts: None,
    most_rows: int | None = None,
) -> ImportResult:
    """Submit the attempts of a result file. With `dry_run`, check all of them and save nothing.

    participant: of all attempts; "" to name participants after the agents and models in the file,
    unless the user takes part under one name only. That name is also the one of a file that names
    nobody.
    format: a key of `importers.known_importers()`; "" to detect it. columns: how to use a table's
    columns, `COLUMN=USE` each; the others are guessed. show_columns: let the board show each value
    of a table, which only an organiser may do. remember: a file to store what was read, so that the
    import after a preview does not read the source again. sender: whose attempts count against
    THROTTLE_BULK; "": they do not count, nor do an organiser's. received_at, only_as: as in
    `submit_attempt`. phase: the slug of the phase of all attempts; "" for the phases in the file,
    or the only open phase. The same results may be imported into several phases; otherwise, results
    that exist already are recognised by their id and not submitted again. counted: told the number
    of attempts before they are saved. most_rows: how many of them the result lists; None: all.
    Raises ServiceError: `invalid` with the place in the file, `closed`, `not_open`,
    `permission_denied`, `throttled`, `too_large`.
    """
    if show_columns and not organiser:
        raise not_for_participants()
    own = None if participant else own_name(challenge, user, only_as)
    asked = [participant, format, challenge.newest.pk, own.handle if own else ""]
    reads = partial(_read_for, own, challenge, source, participant, format, columns)
    found = read_once(remember, asked, columns, reads)
    if own and own.is_sole and not organiser:
        found = under_name(found, own.handle)
    attempts = _each_once(found, phase)
    if sender and not organiser and not dry_run:
        count_lines(sender, len(attempts))
    batch = Batch(
        challenge,
        user,
        organiser=organiser,
        lines=len(attempts),
        received_at=received_at,
        only_as=only_as,
    )
    counted(len(attempts))
    there = _saved(batch, found, attempts, dry_run=dry_run)
    result = _result(challenge, found, attempts, there, participant, most_rows)
    if organiser and not dry_run:
        labels = found.suggested.get("columns", ())
        result.warnings.extend(label_columns(challenge, user, labels, show_all=show_columns))
    return result


def not_for_participants() -> ServiceError:
    field, text = "show_columns", _("is for organisers: it changes the board")
    return ServiceError("permission_denied", f"{field}: {text}", {field: [text]})


def _each_once(found: Import, phase: str) -> list[ImportedAttempt]:
    """The attempts of a file in the phase of the request; of those with the same id, the last."""
    attempts = (_in_phase(attempt, phase) for attempt in found.attempts)
    return list({attempt.source_id: attempt for attempt in attempts}.values())


def _saved(
    batch: Batch, found: Import, attempts: Sequence[ImportedAttempt], *, dry_run: bool
) -> dict[str, FoundAttempt]:
    """Submit the attempts; returns them by source id. `map` of an error: the uses of columns."""
    try:
        _check_documents(attempts, batch.challenge.tenant.slug)
        drafted = _Drafted(batch, attempts)
        return retried(partial(_submit, drafted, dry_run))
    except ServiceError as refused:
        refused.map = found.map
        raise


def _result(
    challenge: Challenge,
    found: Import,
    attempts: Sequence[ImportedAttempt],
    there: Mapping[str, FoundAttempt],
    participant: str,
    most_rows: int | None,
) -> ImportResult:
    """What was imported. there: the attempts by source id. participant: the name in the request."""
    held = ReferenceIds(challenge.newest)
    total, attempts = len(attempts), attempts[:most_rows]
    rows = [preview_of(challenge.newest, held, one, there.get(one.source_id)) for one in attempts]
    ids = [row.attempt for row in rows if row.attempt is not None]
    names = {source_id: one.participant for source_id, one in there.items()}
    renamed = list(renamed_rows(attempts, names, participant))
    warnings = [*found.warnings, *notes_on(found, rows, total), *told_renamed(renamed)]
    fields = suggestion(found.suggested)
    known = sum(one.known for one in there.values())
    return ImportResult(found.format, ids, rows, warnings, fields, renamed, found.map, total, known)


def _in_phase(one: ImportedAttempt, phase: str) -> ImportedAttempt:
    """An attempt of a file in a phase that the request names."""
    if not phase:
        return one
    fields = {**one.fields, "phase": phase}
    return replace(one, source_id=f"{one.source_id}@{phase}", fields=fields)


def _read_for(
    own: OwnName | None,
    challenge: Challenge,
    source: Source,
    participant: str,
    format: str,  # noqa: A002 - the API's word
    columns: Sequence[str],
) -> Import:
    """Read a file; under the user's own name if it needs one and has none. Raises ServiceError."""
    try:
        return _read(challenge, source, participant, format, columns)
    except ServiceError as refused:
        if own is None or "participant" not in refused.fields:
            raise
        found = _read(challenge, source, own.handle, format, columns)
        if any(one.sent for one in found.attempts):
            raise  # Only some of its attempts name nobody.
        return found


def _read(
    challenge: Challenge,
    source: Source,
    participant: str,
    format: str,  # noqa: A002 - the API's word
    columns: Sequence[str],
) -> Import:
    """Read a file. Raises ServiceError, also if it has no attempts."""
    try:
        found = read(
            source,
            format=format,
            participant=participant,
            otherwise=_meant(challenge, source),
            columns=ColumnMap(columns, partial(_is_computed, challenge)),
        )
    except ImportFailed as error:
        raise failed(error) from None
    if found.challenges:
        raise invalid("file", _("must contain attempts; got a registry of challenges"))
    if not found.attempts:
        said = message("must contain attempts; got a file without any")
        raise invalid("file", listed([said, *found.warnings], by="; "))
    return found


def _is_computed(challenge: Challenge, key: str) -> bool:
    """Whether the challenge computes the value of this name, so that no table can report it."""
    return not may_report(challenge.newest, key, challenge.values)


def _meant(challenge: Challenge, source: Source) -> str:
    """The format to assume for a file that fits none, if the challenge evaluates texts."""
    config = challenge.newest
    if config.references_id is not None:
        return outputs.KEY
    return harpia.KEY if config.text_metrics and source.document else ""


def _check_documents(attempts: Sequence[ImportedAttempt], tenant: str) -> None:
    """Check documents before the transaction, because this may ask a sandbox."""
    for position, one in enumerate(attempts):
        try:
            check_document(one.evaluation, tenant)
        except ServiceError as refused:
            raise refusal(attempts, [(position, refused)]) from None


class _Drafted:
    """Drafts of a file's attempts, made before the transaction because packing samples is slow."""

    def __init__(self, batch: Batch, attempts: Sequence[ImportedAttempt]) -> None:
        self.batch = batch
        self.attempts = attempts
        known = _known(batch.challenge, [attempt.source_id for attempt in attempts])
        self._drafts: dict[int, Draft] = {}
        for position, one in enumerate(attempts):
            if one.source_id not in known:
                self.draft(position)

    def draft(self, position: int) -> Draft:
        found = self._drafts.get(position)
        if found is None:
            new = _new(self.attempts[position], self.batch.organiser)
            found = self._drafts[position] = self.batch.drafting.draft(position, new)
        return found


def _submit(drafted: _Drafted, dry_run: bool) -> dict[str, FoundAttempt]:
    """Submit new results within a transaction; returns the attempts by source id."""
    batch, attempts = drafted.batch, drafted.attempts
    batch.undo()  # A try before this one was rolled back.
    known = _known(batch.challenge, [attempt.source_id for attempt in attempts])
    fresh = [at for at, one in enumerate(attempts) if one.source_id not in known]
    result = save_drafted(batch, [drafted.draft(at) for at in fresh], atomic=True)
    for _at, wrong in result.rejected:
        if "phase" in wrong.fields:
            raise wrong
    if result.rejected:
        raise refusal(attempts, result.rejected)
    if dry_run:
        transaction.set_rollback(True)
    there = dict(known)
    for at, accepted in zip(fresh, result.accepted, strict=True):
        pk = None if dry_run else accepted.pk
        there[attempts[at].source_id] = FoundAttempt(pk, False, accepted.instances, accepted.handle)
    return there


def _known(challenge: Challenge, source_ids: Sequence[str]) -> dict[str, FoundAttempt]:
    """Attempts at the challenge that any user imported from the same results."""
    keys = {f"{IMPORTED}:{source_id}": source_id for source_id in source_ids}
    found = Attempt.objects.filter(
        challenge=challenge, idempotency_key__in=keys, body_hash=IMPORTED
    ).order_by("-submitted_at")
    rows = found.values_list("idempotency_key", "pk", "instance_count")
    return {keys[key]: FoundAttempt(pk, True, instances) for key, pk, instances in rows}


def _new(one: ImportedAttempt, organiser: bool) -> NewAttempt:
    if extra := set(one.fields) - set(TAKEN):
        raise invalid(
            "file",
            _("{participant}: must have no other fields than {taken}; got {names}").format(
                participant=one.participant, taken=", ".join(TAKEN), names=", ".join(sorted(extra))
            ),
        )
    return NewAttempt(
        participant=one.participant,
        metrics=one.metrics,
        values=one.values,
        samples=samples_of(one),
        evaluation=one.evaluation,
        outputs=one.outputs,
        meta=one.meta,
        submitted_at=one.submitted_at if organiser else None,
        source_id=one.source_id,
        file_metrics=[each.as_json() for each in compared(one)],
        name=one.fields.get("name", ""),
        kind=one.fields.get("kind", ""),
        note=one.fields.get("note", ""),
        phase=one.fields.get("phase", ""),
    )
