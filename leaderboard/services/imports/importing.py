"""Import result files: save all of their attempts or none, and each result only once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from leaderboard.importers import Import, ImportedAttempt, Source
from leaderboard.importers.reading.suggestions import SuggestedFields, SuggestedKey
from leaderboard.models import Attempt, Challenge, User
from leaderboard.schemas.errors import SchemaError
from leaderboard.schemas.text_metrics import TextMetricEntry, enabled, parse_text_metrics
from leaderboard.services.attempts.batches import Batch
from leaderboard.services.attempts.bulk_limits import count_import
from leaderboard.services.attempts.drafts import Draft
from leaderboard.services.attempts.new_attempts import IMPORTED, NewAttempt
from leaderboard.services.attempts.submit import save_drafted
from leaderboard.services.competition.participants.own_names import own_name
from leaderboard.services.errors import ServiceError, invalid
from leaderboard.services.evaluation.submitted_outputs import ReferenceIds, check_document
from leaderboard.services.imports.column_labels import label_columns
from leaderboard.services.imports.contents import SentResults
from leaderboard.services.imports.evidence import evidence_notes, keep_evidence, kinds_of
from leaderboard.services.imports.previews import (
    ImportResult,
    SavedAttempt,
    notes_on,
    preview_of,
    samples_of,
)
from leaderboard.services.imports.refusals import refusal
from leaderboard.services.imports.renamed import renamed_rows, told_renamed
from leaderboard.services.imports.reported_metrics import compared
from leaderboard.services.plugins.text_metrics import find_text_metric
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

    participant, format, columns: as in `SentResults`. remember: as in `SentResults.contents`.
    phase: the slug of the phase of all attempts; "" for the phases in the file, or the only open
    phase. The same results may be imported into several phases; otherwise, results that exist
    already are recognised by their id and not submitted again.
    sender: whose attempts count against THROTTLE_BULK; "": they do not count, nor do an
    organiser's. received_at, only_as: as in `submit_attempt`.
    show_columns: let the board show each value of a table, which only an organiser may do.
    counted: told the number of attempts before they are saved. most_rows: how many of them the
    result lists; None: all.
    Raises ServiceError: `invalid` with the place in the file, `closed`, `not_open`,
    `permission_denied`, `throttled`, `too_large`.
    """
    if show_columns and not organiser:
        raise not_for_participants()
    own = None if participant else own_name(challenge, user, only_as)
    sent = SentResults(challenge, source, participant, format, columns, own)
    contents = sent.contents(remember, organiser=organiser)
    attempts = _each_once(contents, phase)
    if sender and not organiser:
        count_import(challenge, sender, len(attempts), dry_run=dry_run)
    batch = Batch(
        challenge,
        user,
        organiser=organiser,
        lines=len(attempts),
        received_at=received_at,
        only_as=only_as,
    )
    counted(len(attempts))
    saved = _save(batch, contents, attempts, dry_run=dry_run)
    new = [one for one in attempts if not saved[one.source_id].known]
    notes = list(evidence_notes(challenge, new))
    if not dry_run:
        notes.extend(keep_evidence(challenge, source, attempts, saved, by=user))
    result = _result(challenge, contents, attempts, saved, participant, most_rows)
    result.warnings.extend(notes)
    if organiser and not dry_run:
        labels = contents.suggested.get("columns", ())
        result.warnings.extend(label_columns(challenge, user, labels, show_all=show_columns))
    return result


def not_for_participants() -> ServiceError:
    field, text = "show_columns", _("is for organisers: it changes the board")
    return ServiceError("permission_denied", f"{field}: {text}", {field: [text]})


def _each_once(contents: Import, phase: str) -> list[ImportedAttempt]:
    """The attempts of a file in the phase of the request; of those with the same id, the last."""
    attempts = (_in_phase(attempt, phase) for attempt in contents.attempts)
    return list({attempt.source_id: attempt for attempt in attempts}.values())


def _save(
    batch: Batch, contents: Import, attempts: Sequence[ImportedAttempt], *, dry_run: bool
) -> dict[str, SavedAttempt]:
    """Submit the attempts; returns them by source id. `map` of an error: the uses of columns."""
    try:
        _check_documents(attempts, batch.challenge.tenant.slug)
        drafted = _Drafted(batch, attempts)
        return retried(partial(_submit, drafted, dry_run))
    except ServiceError as refused:
        refused.map = contents.map
        raise


def _result(
    challenge: Challenge,
    contents: Import,
    attempts: Sequence[ImportedAttempt],
    saved: Mapping[str, SavedAttempt],
    participant: str,
    most_rows: int | None,
) -> ImportResult:
    """What was imported. saved: the attempts by source id. participant: the name in the request."""
    held = ReferenceIds(challenge.newest)
    all_saved = (saved[one.source_id] for one in attempts if one.source_id in saved)
    ids = [one.attempt for one in all_saved if one.attempt is not None]
    total, attempts = len(attempts), attempts[:most_rows]
    rows = [preview_of(challenge.newest, held, one, saved.get(one.source_id)) for one in attempts]
    names = {source_id: one.participant for source_id, one in saved.items()}
    renamed = list(renamed_rows(attempts, names, participant))
    warnings = [*contents.warnings, *notes_on(contents, rows, total), *told_renamed(renamed)]
    fields = _suggestion(contents.suggested)
    known_count = sum(one.known for one in saved.values())
    return ImportResult(
        contents.format,
        ids,
        rows,
        warnings,
        fields,
        renamed,
        contents.map,
        total,
        known_count,
        Counter(
            judgement.verdict
            for one in saved.values()
            if (judgement := one.judgement) and judgement.verdict
        ),
    )


def _suggestion(fields: SuggestedFields) -> SuggestedFields:
    """The fields that an importer suggests, and a ranking by the first text metric if there is one.

    Leaves out fields of a document's metrics that a challenge does not accept.
    """
    metrics = _accepted_fields(fields.get("text_metrics"))
    if not metrics:
        return fields
    fields = {**fields, "text_metrics": metrics}
    if "rank_by" in fields:
        return fields
    try:
        specs = enabled(parse_text_metrics(metrics, lambda name: find_text_metric(name).name))
    except SchemaError:
        return fields
    if not specs:
        return fields
    rank_by: list[SuggestedKey] = [
        {"key": specs[0].name, "direction": find_text_metric(specs[0].id).direction}
    ]
    return {**fields, "scoring_strategy": "metric", "rank_by": rank_by}


def _accepted_fields(metrics: Any) -> Any:
    if not isinstance(metrics, list):
        return metrics
    return [
        {name: metric[name] for name in metric if name in TextMetricEntry.model_fields}
        if isinstance(metric, Mapping)
        else metric
        for metric in metrics
    ]


def _in_phase(one: ImportedAttempt, phase: str) -> ImportedAttempt:
    """An attempt of a file in a phase that the request names."""
    if not phase:
        return one
    fields = {**one.fields, "phase": phase}
    return replace(one, source_id=f"{one.source_id}@{phase}", fields=fields)


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
        existing = _existing(batch.challenge, [attempt.source_id for attempt in attempts])
        self._drafts: dict[int, Draft] = {}
        for position, one in enumerate(attempts):
            if one.source_id not in existing:
                self.draft(position)

    def draft(self, position: int) -> Draft:
        draft = self._drafts.get(position)
        if draft is None:
            new = _new(self.attempts[position], self.batch.organiser)
            draft = self._drafts[position] = self.batch.drafting.draft(position, new)
        return draft


def _submit(drafted: _Drafted, dry_run: bool) -> dict[str, SavedAttempt]:
    """Submit new results within a transaction; returns the attempts by source id."""
    batch, attempts = drafted.batch, drafted.attempts
    batch.undo()  # A try before this one was rolled back.
    existing = _existing(batch.challenge, [attempt.source_id for attempt in attempts])
    fresh = [at for at, one in enumerate(attempts) if one.source_id not in existing]
    result = save_drafted(batch, [drafted.draft(at) for at in fresh], atomic=True)
    for _at, wrong in result.rejected:
        if "phase" in wrong.fields:
            raise wrong
    if result.rejected:
        raise refusal(attempts, result.rejected)
    if dry_run:
        transaction.set_rollback(True)
    saved = dict(existing)
    for at, accepted in zip(fresh, result.accepted, strict=True):
        pk = None if dry_run else accepted.pk
        saved[attempts[at].source_id] = SavedAttempt(
            pk, False, accepted.instances, accepted.handle, accepted.judgement
        )
    return saved


def _existing(challenge: Challenge, source_ids: Sequence[str]) -> dict[str, SavedAttempt]:
    """Attempts at the challenge that any user imported from the same results."""
    keys = {f"{IMPORTED}:{source_id}": source_id for source_id in source_ids}
    attempts = Attempt.objects.filter(
        challenge=challenge, idempotency_key__in=keys, body_hash=IMPORTED
    ).order_by("-submitted_at")
    rows = attempts.values_list("idempotency_key", "pk", "instance_count")
    return {keys[key]: SavedAttempt(pk, True, instances) for key, pk, instances in rows}


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
        file_metrics=[value.as_json() for value in compared(one)],
        name=one.fields.get("name", ""),
        kind=one.fields.get("kind", ""),
        note=one.fields.get("note", ""),
        phase=one.fields.get("phase", ""),
        run=one.run,
        evidence=kinds_of(one),
    )
