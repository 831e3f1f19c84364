"""The log of decisions: who decided what about an attempt, a participant or a sample, and why.

`decide` is the only place that writes one, in the transaction of the change that follows from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final
from uuid import UUID

from django.db.models import Q, QuerySet

from leaderboard.models import Attempt, Challenge, Decision, Participant, Registration, User
from leaderboard.rules.json.values import JsonObject
from leaderboard.services.events.record import EventKind, record_event

DecisionKind: Final = Decision.Kind

_EVENTS: Final = {
    DecisionKind.ACCEPTED: EventKind.ACCEPTED,
    DecisionKind.RETURNED: EventKind.RETURNED,
    DecisionKind.JUDGED: EventKind.JUDGED,
    DecisionKind.APPEALED: EventKind.APPEALED,
    DecisionKind.ANSWERED: EventKind.ANSWERED,
    DecisionKind.UNDONE: EventKind.UNDONE,
    **dict.fromkeys(Decision.RULINGS, EventKind.RULED),
}
"""The events that `decide` adds to the log; the verbs of other kinds add their own."""


def decide(
    kind: Decision.Kind,
    *,
    attempt: Attempt | None = None,
    registration: Registration | None = None,
    by: User | None,
    reason: str = "",
    note: str = "",
    task: str = "",
    sample: int | None = None,
    undoes: Decision | None = None,
    before: Mapping[str, object] | None = None,
    after: Mapping[str, object] | None = None,
) -> Decision:
    """Add a decision about an attempt, or about a participant of a challenge.

    task, sample: for a ruling, which sample it is about. Call it in the transaction of the change.
    """
    about = attempt or registration
    if about is None:
        raise ValueError("a decision is about an attempt or a participant")
    if kind in Decision.RULINGS:  # rows are marked
        Challenge.objects.filter(pk=about.challenge_id).update(has_marks=True)
    if kind in _EVENTS:
        body: JsonObject = {"after": dict(after)} if after else {}
        secret: JsonObject = {"reason": reason} if reason else {}
        if kind in Decision.RULINGS:
            body |= {"ruling": kind.value}
            # A private task has no name for readers until the end of its phase.
            secret |= {"task": task, "sample": sample}
        record_event(
            about.challenge_id,
            _EVENTS[kind],
            body,
            attempt=attempt.pk if attempt else None,
            participant=about.participant_id,
            secret=secret or None,
        )
    return Decision.objects.create(
        challenge_id=about.challenge_id,
        attempt=attempt,
        participant_id=about.participant_id,
        kind=kind,
        by=by,
        reason=reason,
        note=note,
        task=task,
        sample=sample,
        undoes=undoes,
        before=before,
        after=after,
    )


def decide_each(kind: Decision.Kind, rows: Iterable[tuple[UUID, int, UUID]]) -> None:
    """Add the same decision about many attempts. rows: challenge, participant and attempt."""
    Decision.objects.bulk_create(
        (
            Decision(
                challenge_id=challenge, participant_id=participant, attempt_id=attempt, kind=kind
            )
            for challenge, participant, attempt in rows
        ),
        batch_size=500,
    )


def decisions_about(attempt: Attempt) -> QuerySet[Decision]:
    """The decisions about an attempt and about its participant in the challenge, oldest first."""
    about_participant = Q(
        attempt=None, participant=attempt.participant_id, challenge=attempt.challenge_id
    )
    decisions = Decision.objects.filter(Q(attempt=attempt.pk) | about_participant)
    return decisions.select_related("by").order_by("at", "pk")


def forget_texts(participant: Participant) -> None:
    """Delete what was written in decisions about a participant, whose account is erased."""
    written = Decision.objects.filter(participant=participant)
    written.exclude(reason="").update(reason="–")
    written.exclude(note="").update(note="")
