"""Turns events of the log into deliveries, once for each webhook.

Numbers of events have no gaps, so one number says how far a webhook has come. Where nobody listens,
nothing is read or written.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import groupby, starmap
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import F, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.urls import reverse

from leaderboard.http.links import public_address
from leaderboard.models import (
    Challenge,
    Event,
    EventLog,
    Participant,
    Webhook,
    WebhookDelivery,
    WebhookPlace,
)
from leaderboard.rules.event_chain import written_at
from leaderboard.rules.json.values import JsonObject
from leaderboard.schemas.choices import WebhookReader
from leaderboard.services.competition.visible.log import all_events, public_events
from leaderboard.services.events.record import EventKind
from leaderboard.services.webhooks.formats import WebhookMessage, body_of

AT_ONCE: Final = 500
"""How many events one transaction reads."""
BULK: Final = 20
"""So many events of one kind in a row become one message."""
_OF_ATTEMPTS: Final = (
    *(EventKind.RECEIVED, EventKind.SCORED, EventKind.FAILED, EventKind.RETRIED),
    *(EventKind.WITHDRAWN, EventKind.RESTORED, EventKind.CHOSEN, EventKind.UNCHOSEN),
    *(EventKind.VERIFIED, EventKind.UNVERIFIED, EventKind.JUDGED, EventKind.ACCEPTED),
    *(EventKind.RETURNED, EventKind.RULED, EventKind.EVIDENCE),
)
_OF_PARTICIPANTS: Final = (
    *(EventKind.DISQUALIFIED, EventKind.REINSTATED, EventKind.ROW_KIND, EventKind.MERGED),
    *(EventKind.RENAMED, EventKind.ERASED, EventKind.APPEALED, EventKind.ANSWERED),
    *(EventKind.UNDONE, EventKind.REGISTERED),
)
_OTHERS: Final = {
    EventKind.PUBLISHED: "challenge.published",
    EventKind.CHANGED: "challenge.changed",
    EventKind.PHASE: "phase.changed",
    EventKind.OPENED: "phase.opened",
    EventKind.CLOSED: "phase.closed",
    EventKind.FREEZE: "phase.freeze",
    EventKind.REVEAL: "phase.reveal",
    EventKind.VERSION: "scoring.version",
    EventKind.RESCORE_BEGUN: "rescore.begun",
    EventKind.SHOWN: "rescore.finished",
    EventKind.ANNOUNCEMENT: "announcement.published",
    EventKind.REGISTRATION_RULES: "registration.rules",
    EventKind.DECIDED: "registration.decided",
    EventKind.ROLE: "role.given",
    EventKind.GRANT: "grant.given",
    EventKind.CONDITIONS: "conditions.changed",
}
TYPES: Final = {
    **{kind: f"attempt.{kind.label}" for kind in _OF_ATTEMPTS},
    **{kind: f"participant.{kind.label}" for kind in _OF_PARTICIPANTS},
    **_OTHERS,
}
"""The types of messages by kinds of events; other kinds, such as parts of rescores, have none."""
PING: Final = "ping"


def relay() -> int:
    """Make the deliveries for all events that no webhook has got yet; returns how many."""
    enabled = Webhook.objects.filter(disabled_reason="")
    own = enabled.filter(challenge__event_log__seq__gt=F("after"))
    waiting = list(own.values_list("pk", "challenge"))
    for webhook in enabled.filter(whole_tenant=True).select_related("challenge"):
        waiting += [(webhook.pk, challenge) for challenge in _others_waiting(webhook)]
    return sum(starmap(_relay_one, waiting))


def _others_waiting(webhook: Webhook) -> QuerySet[EventLog, UUID]:
    """The other challenges of its tenant with events that a webhook has not got."""
    place = WebhookPlace.objects.filter(webhook=webhook, challenge=OuterRef("pk")).values("after")
    logs = EventLog.objects.filter(challenge__tenant=webhook.challenge.tenant_id)
    behind = logs.filter(seq__gt=Coalesce(Subquery(place), 0)).exclude(pk=webhook.challenge_id)
    return behind.values_list("pk", flat=True)


def _relay_one(pk: UUID, challenge_id: UUID) -> int:
    with transaction.atomic():
        rows = Webhook.objects.select_for_update(of=("self",))
        webhook = rows.filter(pk=pk, disabled_reason="").first()
        if webhook is None:
            return 0
        place: Webhook | WebhookPlace = webhook
        if challenge_id != webhook.challenge_id:
            place, _new = WebhookPlace.objects.get_or_create(
                webhook=webhook, challenge_id=challenge_id
            )
        challenge = Challenge.objects.get(pk=challenge_id)
        is_public = webhook.view == WebhookReader.PUBLIC
        visible = public_events(challenge) if is_public else all_events(challenge)
        events = list(visible.filter(seq__gt=place.after).select_related("participant")[:AT_ONCE])
        if not events:
            return 0
        deliveries = [
            WebhookDelivery(
                webhook=webhook,
                event_id=event_id(some[-1]),
                type=message.type,
                body=body_of(message, webhook.format),
            )
            for some, message in _messages(webhook, challenge, events)
        ]
        WebhookDelivery.objects.bulk_create(deliveries, ignore_conflicts=True)
        place.after = events[-1].seq
        place.save(update_fields=["after"])
    return len(deliveries)


def event_id(event: Event) -> str:
    """The id of an event for receivers: from its link, so that nobody can count hidden events."""
    return f"evt_{bytes(event.link)[:16].hex()}"


def _messages(
    webhook: Webhook, challenge: Challenge, events: Sequence[Event]
) -> Iterator[tuple[Sequence[Event], WebhookMessage]]:
    """The messages for events, each with the events that it is about."""
    for kind, run in groupby(events, key=lambda event: event.kind):
        some = list(run)
        name = TYPES.get(EventKind(kind))
        if name is None:
            continue
        is_bulk = len(some) >= BULK and name.startswith("attempt.")
        name = name.replace("attempt.", "attempts.") if is_bulk else name
        if webhook.types and name not in webhook.types:
            continue
        make = partial(_message, challenge, name)
        yield from [(some, make(some))] if is_bulk else [([event], make([event])) for event in some]


def _message(challenge: Challenge, name: str, events: Sequence[Event]) -> WebhookMessage:
    event, bodies = events[-1], [json.loads(event.body) for event in events]
    url = public_address(reverse("board", args=[challenge.slug]))
    data: JsonObject = {"challenge": challenge.slug, "url": url}
    if len(events) > 1:
        data |= {"count": len(events), "first": bodies[0]["attempt"], "last": bodies[-1]["attempt"]}
        text = f"{challenge.name}: {name}, {len(events)}"
    else:
        data |= bodies[0]
        if attempt := bodies[0].get("attempt"):
            data["url"] = url = public_address(reverse("attempt", args=[attempt]))
        text = f"{challenge.name}: {_name(event.participant)}{name}{_values(bodies[0])}"
    return WebhookMessage(name, written_at(event.at), data, text, url)


def _name(participant: Participant | None) -> str:
    return f"{participant.shown_name}, " if participant else ""


def _values(body: JsonObject) -> str:
    values = body.get("values")
    given = values.values() if isinstance(values, dict) else ()
    return "".join(f", {value:.6g}" for value in given if isinstance(value, int | float))
