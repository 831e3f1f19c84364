"""Checks the chain of a log, and the anchors that were published."""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import sha256
from typing import Final
from uuid import UUID

from leaderboard.models import Event, EventLog, LogAnchor
from leaderboard.rules.event_chain import (
    FIRST_LINK,
    alias,
    blind_of,
    commitment,
    leaf,
    next_link,
    written_at,
)

AT_ONCE: Final = 2000


def faults_of(challenge: UUID) -> Iterator[str]:
    """What is wrong with the log of a challenge, each with the seq where it shows; at most one
    fault of the chain, because everything after it would be wrong as well.

    Events that are added meanwhile are left for the next check.
    """
    log = EventLog.objects.filter(pk=challenge).first()
    events = Event.objects.filter(challenge=challenge).order_by("seq")
    seq, link, at = 0, FIRST_LINK, None
    for event in events.iterator(chunk_size=AT_ONCE):
        if log is not None and event.seq > log.seq and _has_grown(log):
            break
        if fault := _fault(event, seq, link) or _fault_of_participant(event, log):
            yield f"{event.seq}: {fault}"
            return
        seq, link, at = event.seq, bytes(event.link), event.at
    if log is None and seq:
        yield f"{seq}: the log has no end"
    elif log is not None and (log.seq, bytes(log.link)) != (seq, link):
        yield f"{log.seq}: the log ends at {seq}, with another link"
    elif log is not None and at is not None and log.at != at:
        yield f"{log.seq}: the log ends at another time than its last event"
    yield from _faults_of_anchors(challenge)


def _has_grown(log: EventLog) -> bool:
    """Whether events have been added since its end was read, which each of them moves."""
    return EventLog.objects.filter(pk=log.pk, seq__gt=log.seq).exists()


def _fault(event: Event, seq: int, link: bytes) -> str:
    """What is wrong with an event after the link before; "" for nothing."""
    if event.seq != seq + 1:
        return f"the event before it is {seq}"
    blind = bytes(event.blind)
    if event.salt is not None and blind_of(bytes(event.salt), event.secret) != blind:
        return "its secret has been changed"
    if event.salt is None and event.secret:
        return "its secret has no salt"
    try:
        code = event.code
    except ValueError:
        return f"it has an unknown kind, {event.kind}"
    committed = commitment(blind, event.body)
    if next_link(link, event.seq, written_at(event.at), code, committed) != bytes(event.link):
        return "its link does not follow from the one before"
    return ""


def _fault_of_participant(event: Event, log: EventLog | None) -> str:
    """Whether the column by which secrets are erased names another participant than the body."""
    named = json.loads(event.body).get("participant")
    stored = event.participant_id
    own = None if stored is None or log is None else alias(bytes(log.key), stored)
    return "" if own == named else "its participant or the key of the log has been changed"


def _faults_of_anchors(challenge: UUID) -> Iterator[str]:
    """The anchors that do not contain the end that the log had."""
    for anchor in LogAnchor.objects.order_by("day"):
        if root_of(anchor.leaves) != anchor.root:
            yield f"the root of the anchor of {anchor.day} has been changed"
        if len(anchor.heads) != len(anchor.leaves) or anchor.at.date() != anchor.day:
            yield f"the heads or the time of the anchor of {anchor.day} have been changed"
        seq = anchor.heads.get(str(challenge))
        if seq is None:
            continue
        event = Event.objects.filter(challenge=challenge, seq=seq).first()
        if event is None or leaf(str(challenge), seq, bytes(event.link)) not in anchor.leaves:
            yield f"{seq}: differs from the anchor of {anchor.day}"


def root_of(leaves: list[str]) -> str:
    """The root of an anchor: SHA-256 of its leaves, each with a line feed."""
    return sha256("".join(f"{line}\n" for line in leaves).encode()).hexdigest()
