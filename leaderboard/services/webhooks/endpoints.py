"""The webhooks of a challenge: making, changing, trying and removing them, and their deliveries."""

from __future__ import annotations

from datetime import timedelta
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from leaderboard.models import Challenge, EventLog, User, Webhook, WebhookDelivery, WebhookPlace
from leaderboard.operating.sealing import sealed
from leaderboard.rules.event_chain import written_at
from leaderboard.rules.ids import uuid7
from leaderboard.rules.json.values import JsonObject
from leaderboard.schemas.webhooks import NEW_WEBHOOK, WEBHOOK_CHANGE
from leaderboard.services.competition.audit import MASK, AuditKind, record
from leaderboard.services.competition.clock import received_now
from leaderboard.services.errors import ServiceError, invalid, validated
from leaderboard.services.webhooks.deliver import PURPOSE
from leaderboard.services.webhooks.formats import WebhookMessage, body_of
from leaderboard.services.webhooks.guarded import AddressRefused, checked_address
from leaderboard.services.webhooks.relay import PING, TYPES
from leaderboard.services.webhooks.signing import new_secret

MOST: Final = 10
"""The most webhooks of a challenge."""
ROTATION: Final = timedelta(days=1)
"""How long the secret before signs as well."""


def webhooks_of(challenge: Challenge, *, tenants: bool = True) -> QuerySet[Webhook]:
    """The webhooks that were made in a challenge.

    tenants: with those of the whole tenant, which are for its organisers alone.
    """
    rows = Webhook.objects.filter(challenge=challenge)
    return rows if tenants else rows.filter(whole_tenant=False)


def create_webhook(
    challenge: Challenge, fields: object, *, by: User, tenants: bool = True
) -> tuple[Webhook, str]:
    """A webhook for events from now on, and its secret. fields: as in `NewWebhook`.

    tenants: whether the request may make one of the whole tenant. Raises ServiceError.
    """
    new = validated(NEW_WEBHOOK, fields)
    if new.whole_tenant and not (tenants and by.organises(challenge.tenant_id)):
        text = _("Only organisers of the tenant may do this, without a token of one challenge.")
        raise ServiceError("permission_denied", text)
    host = _host(new.url)
    _check_types(new.types)
    secret = new_secret()
    with transaction.atomic():
        Challenge.objects.lock_challenge(challenge.pk)
        if webhooks_of(challenge).count() >= MOST:
            text = _("A challenge has at most {most} webhooks.")
            raise ServiceError("conflict", text.format(most=MOST))
        log = EventLog.objects.filter(pk=challenge.pk).first()
        webhook = Webhook.objects.create(
            challenge=challenge,
            created_by=by,
            address=sealed(new.url, PURPOSE),
            host=host,
            view=new.view,
            whole_tenant=new.whole_tenant,
            format=new.format,
            types=new.types,
            secret=sealed(secret, PURPOSE),
            after=log.seq if log else 0,
        )
        if new.whole_tenant:
            _begin_in_others(webhook)
        _record(webhook, None, _facts(webhook), by)
    webhook.refresh_from_db()
    return webhook, secret


def _begin_in_others(webhook: Webhook) -> None:
    """Begin after the last event of each other challenge of the tenant."""
    logs = EventLog.objects.filter(challenge__tenant=webhook.challenge.tenant_id)
    logs = logs.exclude(pk=webhook.challenge_id)
    WebhookPlace.objects.bulk_create(
        WebhookPlace(webhook=webhook, challenge_id=log.pk, after=log.seq) for log in logs
    )


def change_webhook(webhook: Webhook, fields: object, *, by: User) -> Webhook:
    """Change the fields that are sent, as in `WebhookChange`. Raises ServiceError.

    One that is enabled again gets the events that it has missed.
    """
    change, before = validated(WEBHOOK_CHANGE, fields), _facts(webhook)
    if change.url is not None:
        webhook.host, webhook.address = _host(change.url), sealed(change.url, PURPOSE)
    if change.types is not None:
        _check_types(change.types)
        webhook.types = change.types
    if change.view is not None:
        webhook.view = change.view
    if change.enabled is not None:
        webhook.disabled_reason = "" if change.enabled else "off"
        webhook.failing_since = None
    names = ["host", "address", "types", "view", "disabled_reason", "failing_since"]
    with transaction.atomic():
        webhook.save(update_fields=names)
        _record(webhook, before, _facts(webhook), by)
    return webhook


def remove_webhook(webhook: Webhook, *, by: User) -> None:
    """Delete a webhook with its deliveries."""
    with transaction.atomic():
        _record(webhook, _facts(webhook), None, by)
        webhook.delete()


def rotate_secret(webhook: Webhook, *, by: User) -> str:
    """A new secret; the one before signs as well for a day."""
    secret = new_secret()
    facts = _facts(webhook)
    with transaction.atomic():
        Webhook.objects.filter(pk=webhook.pk).update(
            old_secret=webhook.secret,
            old_secret_until=Now() + ROTATION,
            secret=sealed(secret, PURPOSE),
        )
        _record(webhook, facts, {**facts, "secret": MASK}, by)
    return secret


def ping(webhook: Webhook) -> WebhookDelivery:
    """Send a message of the type `ping`."""
    challenge = webhook.challenge
    data: dict[str, object] = {"challenge": challenge.slug}
    text = f"{challenge.name}: {PING}"
    now = written_at(received_now())
    message = WebhookMessage(PING, now, data, text, challenge.get_absolute_url())
    return WebhookDelivery.objects.create(
        webhook=webhook,
        event_id=f"evt_{uuid7().hex}",
        type=PING,
        body=body_of(message, webhook.format),
        is_replay=True,
    )


def deliveries_of(webhook: Webhook) -> QuerySet[WebhookDelivery]:
    """The deliveries of the last thirty days, the newest first."""
    return WebhookDelivery.objects.filter(webhook=webhook).order_by("-created_at", "-pk")


def replay(webhook: Webhook, pk: UUID) -> WebhookDelivery:
    """Send a delivery once more, with the same id. Raises ServiceError (`not_found`)."""
    rows = deliveries_of(webhook).filter(pk=pk)
    if not rows.filter(due_at=None).update(due_at=Now(), is_replay=True):
        rows.update(due_at=Now())
    delivery = rows.first()
    if delivery is None:
        raise ServiceError("not_found", _("There is no such delivery."))
    return delivery


def _facts(webhook: Webhook) -> JsonObject:
    """What the log of changes says of a webhook: not the address, which may hold a secret."""
    return {
        "host": webhook.host,
        "view": str(webhook.view),
        "types": list(webhook.types),
        "enabled": not webhook.disabled_reason,
        "whole_tenant": webhook.whole_tenant,
    }


def _record(
    webhook: Webhook, before: JsonObject | None, after: JsonObject | None, by: User
) -> None:
    """Write a change into the log, as a webhook tells a host what only organisers may read."""
    record(
        webhook.challenge_id,
        AuditKind.CHALLENGE,
        by=by,
        before={"webhook": before},
        after={"webhook": after},
        is_told=False,
    )


def _host(url: str) -> str:
    """The host of an address that may be called. Raises ServiceError."""
    try:
        return checked_address(url).hostname or ""
    except AddressRefused as error:
        raise invalid("url", str(error), got=url) from None


def _check_types(types: list[str]) -> None:
    known_types = sorted({*TYPES.values(), PING})
    plural = {name.replace("attempt.", "attempts.") for name in known_types}
    if wrong := next((name for name in types if name not in {*known_types, *plural}), None):
        text = _("must be types of messages, such as {some}")
        raise invalid("types", text.format(some=", ".join(known_types[:3])), got=wrong)
