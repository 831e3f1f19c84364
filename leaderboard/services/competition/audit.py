"""The audit log: who changed what of a challenge, before and after.

Each verb that changes a challenge for its organisers writes its entry in its own transaction, and
with it the event for the log that others can check, as far as `_EVENTS` names its kind. An
entry about a participant points to it and does not store its name, and a scoring version is named
by its number, because its config may hold secrets.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final
from uuid import UUID

from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import Q, QuerySet

from leaderboard.models import Attempt, AuditEntry, Participant, Registration, User
from leaderboard.rules.json.values import JsonObject
from leaderboard.services.events.record import EventKind, record_event

AuditKind: Final = AuditEntry.Kind
REASON: Final = "withdrawn_reason"
LONGEST: Final = 2_000
"""Characters of a value as JSON that an entry keeps."""

SECRETS: Final = {AuditKind.RULES: frozenset({"code"})}
"""Fields whose values the log never has: the code of the registration."""
MASK: Final = "•••"

AuditFields = Mapping[str, object]

_EVENTS: Final = {
    AuditKind.ANNOUNCEMENT: EventKind.ANNOUNCEMENT,
    AuditKind.CHALLENGE: EventKind.CHANGED,
    AuditKind.GRANT: EventKind.GRANT,
    AuditKind.PHASE: EventKind.PHASE,
    AuditKind.ROLE: EventKind.ROLE,
    AuditKind.RULES: EventKind.REGISTRATION_RULES,
}
"""The events of changes of settings; what is about attempts and participants has its own."""
_PEOPLE: Final = (AuditKind.ROLE, AuditKind.RULES)
"""Changes of which an event only names the fields."""
_TEXTS: Final = frozenset(("name",))


def record(
    challenge: UUID,
    kind: AuditEntry.Kind,
    *,
    by: User | None,
    before: AuditFields | None,
    after: AuditFields | None,
    named: str = "",
    participant: Participant | None = None,
    public: bool = False,
    is_told: bool = True,
) -> bool:
    """Write what has changed, if anything has; returns whether it has.

    challenge: its id. named: the object. before, after: fields by their names in the API; None
    where the object is new or was removed. is_told: False for what only organisers may know of, so
    that there is no event. Call it in the transaction of the change.
    """
    entry = _entry(challenge, kind, by, before, after)
    if entry is None:
        return False
    entry.object, entry.participant, entry.public = named, participant, public
    entry.save()
    if is_told and kind in _EVENTS:
        about = participant.pk if participant else None
        body, secret = _event(entry)
        record_event(challenge, _event_kind(entry), body, participant=about, secret=secret)
    return True


def _event_kind(entry: AuditEntry) -> EventKind:
    changed = (entry.after or {}).keys() if entry.kind == AuditKind.PHASE else ()
    if "reveals_at" in changed and "freezes_at" not in changed:
        return EventKind.REVEAL
    return EventKind.FREEZE if "freezes_at" in changed else _EVENTS[AuditKind(entry.kind)]


def _event(entry: AuditEntry) -> tuple[JsonObject, JsonObject | None]:
    """The body of the event for an entry, and its secret: phases have codes, the others texts."""
    before, after = entry.before or {}, entry.after or {}
    change = "new" if entry.before is None else "removed" if entry.after is None else "changed"
    body: JsonObject = {"change": change, "fields": sorted(before.keys() | after.keys())}
    if entry.kind != AuditKind.PHASE:
        return body, None if entry.kind in _PEOPLE else after or None
    texts = {name: after[name] for name in _TEXTS & after.keys()}
    values = {name: value for name, value in after.items() if name not in _TEXTS}
    return {**body, "phase": entry.object, "after": values}, texts or None


def record_attempt(
    attempt: Attempt, before: AuditFields | None, after: AuditFields | None, *, by: User | None
) -> None:
    """Write a change of an attempt into the log of its challenge, unless nothing has changed."""
    record(
        attempt.challenge_id,
        AuditKind.ATTEMPT,
        by=by,
        before=before,
        after=after,
        named=str(attempt.pk),
        participant=attempt.participant,
    )


def forget_reasons(participant: Participant) -> None:
    """Delete the reasons why attempts of a participant were withdrawn from all logs."""
    entries = AuditEntry.objects.filter(kind=AuditKind.ATTEMPT, participant=participant)
    for entry in entries.filter(Q(before__has_key=REASON) | Q(after__has_key=REASON)):
        for fields in (entry.before, entry.after):
            if fields and REASON in fields:
                fields[REASON] = ""
        entry.save(update_fields=["before", "after"])


def record_new(
    challenge: UUID,
    kind: AuditEntry.Kind,
    rows: Iterable[tuple[int, AuditFields]],
    *,
    by: User | None,
) -> None:
    """Write an entry for each of several participants. rows: their ids, and what is new."""
    entries = (
        AuditEntry(
            challenge_id=challenge, kind=kind, actor=by, participant_id=pk, after=_kept(after)
        )
        for pk, after in rows
    )
    AuditEntry.objects.bulk_create(entries, batch_size=500)


def record_participant(
    participant: Participant, before: AuditFields, after: AuditFields, *, by: User | None
) -> None:
    """Write a change of a participant into the log of each challenge that it takes part in."""
    places = Registration.objects.filter(participant=participant).order_by("challenge")
    changes = (
        _entry(challenge, AuditKind.PARTICIPANT, by, before, after)
        for challenge in places.values_list("challenge", flat=True)
    )
    entries = [change for change in changes if change is not None]
    for entry in entries:
        entry.participant = participant
    AuditEntry.objects.bulk_create(entries, batch_size=500)


def entries_of(challenge: UUID, kind: str = "") -> QuerySet[AuditEntry]:
    """The log of a challenge, the newest first; of one kind if that is given."""
    entries = AuditEntry.objects.filter(challenge=challenge).select_related("actor", "participant")
    return entries.filter(kind=kind) if kind else entries


def _entry(
    challenge: UUID,
    kind: AuditEntry.Kind,
    by: User | None,
    before: AuditFields | None,
    after: AuditFields | None,
) -> AuditEntry | None:
    """An unsaved log entry with the fields that differ; None if all are equal."""
    old, new = before or {}, after or {}
    names = {name for name in old.keys() | new.keys() if old.get(name) != new.get(name)}
    if not names and (before is None) == (after is None):
        return None
    return AuditEntry(
        challenge_id=challenge,
        kind=kind,
        actor=by,
        before=None if before is None else _masked(_kept(before, names), kind),
        after=None if after is None else _masked(_kept(after, names), kind),
    )


def _kept(fields: AuditFields, names: Iterable[str] | None = None) -> JsonObject:
    """The named fields as plain JSON; a long value is cut."""
    wanted = fields.keys() if names is None else names & fields.keys()
    return {name: _cut(fields[name]) for name in sorted(wanted)}


def _masked(fields: JsonObject, kind: AuditEntry.Kind) -> JsonObject:
    """The fields with a mask for secrets: the log says that they have changed, and no more."""
    secrets = SECRETS.get(kind, frozenset())
    return {name: MASK if name in secrets and value else value for name, value in fields.items()}


def _cut(value: Any) -> Any:
    text = json.dumps(value, cls=DjangoJSONEncoder, ensure_ascii=False)
    if len(text) <= LONGEST:
        return json.loads(text)
    return f"{value if isinstance(value, str) else text}"[:LONGEST] + "…"
