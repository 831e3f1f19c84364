"""Sends deliveries. Any process may be killed at any line: a lease expires, and the next sends.

So a receiver gets each message at least once, always with the same id.
"""

from __future__ import annotations

import http.client
import random
import time
from datetime import datetime, timedelta
from typing import Final
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from cryptography.fernet import InvalidToken
from django.db.models import Count, F, Q
from django.db.models.functions import Now

from leaderboard.models import Webhook, WebhookDelivery
from leaderboard.operating.sealing import unsealed
from leaderboard.schemas.choices import WebhookFormat
from leaderboard.services.competition.clock import received_now
from leaderboard.services.competition.mail.webhooks import tell_of_disabled
from leaderboard.services.webhooks.guarded import (
    SECONDS,
    AddressRefused,
    WebhookAnswer,
    sent_request,
)
from leaderboard.services.webhooks.relay import relay
from leaderboard.services.webhooks.signing import signature_headers

PAUSES: Final = tuple(
    timedelta(seconds=seconds)
    for seconds in (5, 300, 1800, 7200, 5 * 3600, 10 * 3600, 14 * 3600, 14 * 3600)
)
"""The pauses after the first, second, … failed try; ± 20 %."""
LONGEST_WAIT: Final = 3600
"""The most seconds that a receiver may ask to wait."""
LEASE: Final = timedelta(seconds=3 * SECONDS)
PATIENCE: Final = timedelta(days=5)
"""A webhook that has failed for so long, and never answered meanwhile, is no longer called."""
LOG_DAYS: Final = 30
MOST_AT_ONCE: Final = 50
AT_ONCE_PER_WEBHOOK: Final = 2
PURPOSE: Final = "webhooks"


def deliver_waiting() -> int:
    """Make deliveries of new events, send those that are due, and prune the log of deliveries.

    Returns how many were sent.
    """
    relay()
    sent = 0
    for _ in range(MOST_AT_ONCE):
        delivery = _claimed()
        if delivery is None:
            break
        _send(delivery)
        sent += 1
    old = Now() - timedelta(days=LOG_DAYS)
    WebhookDelivery.objects.filter(created_at__lt=old, due_at=None).delete()
    return sent


def _claimed() -> WebhookDelivery | None:
    """Claim the delivery that has waited longest, by one conditional UPDATE."""
    free = Q(lease_until=None) | Q(lease_until__lt=Now())
    busy = (
        WebhookDelivery.objects.filter(due_at__isnull=False, lease_until__gte=Now())
        .values("webhook")
        .annotate(number=Count("pk"))
        .filter(number__gte=AT_ONCE_PER_WEBHOOK)
    )
    due = WebhookDelivery.objects.filter(free, due_at__lte=Now(), webhook__disabled_reason="")
    due = due.exclude(webhook__in=list(busy.values_list("webhook", flat=True)))
    for pk in due.order_by("due_at").values_list("pk", flat=True)[:8]:
        rows = WebhookDelivery.objects.filter(free, pk=pk, due_at__isnull=False)
        if rows.update(lease_until=Now() + LEASE, tries=F("tries") + 1):
            return WebhookDelivery.objects.select_related("webhook__challenge").get(pk=pk)
    return None


def _send(delivery: WebhookDelivery) -> None:
    webhook, began = delivery.webhook, time.monotonic()
    answer, error = None, ""
    try:
        answer = _answer(delivery)
    except AddressRefused as refused:
        error = f"refused address: {refused}"
    except InvalidToken:
        error = "stored under another SECRET_KEY"
    except (OSError, http.client.HTTPException, ValueError) as failed:
        error = f"{type(failed).__name__}"
    is_done = answer is not None and 200 <= answer.status < 300
    now = received_now()
    ends = is_done or delivery.is_replay or delivery.tries > len(PAUSES)
    WebhookDelivery.objects.filter(pk=delivery.pk).update(
        status=answer.status if answer else None,
        answer=answer.text[:1024] if answer else "",
        error=error[:200],
        took_ms=int((time.monotonic() - began) * 1000),
        lease_until=None,
        done_at=now if is_done else None,
        due_at=None if ends else now + _pause(delivery.tries, answer),
    )
    if not delivery.is_replay:
        _judge(webhook, answer, now, is_done=is_done)


def _answer(delivery: WebhookDelivery) -> WebhookAnswer:
    webhook, body = delivery.webhook, delivery.body.encode()
    url = unsealed(webhook.address, PURPOSE)
    headers = {"Content-Type": "application/json", "User-Agent": "Podium-Webhooks"}
    if webhook.format == WebhookFormat.MATRIX:
        url, headers["Authorization"] = _of_matrix(url, delivery.event_id)
        return sent_request(url, "PUT", body, headers)
    if webhook.format == WebhookFormat.STANDARD:
        headers |= signature_headers(delivery.event_id, int(time.time()), body, _secrets(webhook))
    return sent_request(url, "POST", body, headers)


def _of_matrix(url: str, event_id: str) -> tuple[str, str]:
    """The address of a message in a room, which Matrix takes once for each id, and the token.

    url: that of the room, such as `…/_matrix/client/v3/rooms/!id/send/m.room.message`.
    """
    parts = urlsplit(url)
    query = dict(parse_qsl(parts.query))
    token = query.pop("access_token", "")
    path = f"{parts.path.rstrip('/')}/{event_id}"
    address = urlunsplit((parts.scheme, parts.netloc, path, urlencode(query), ""))
    return address, f"Bearer {token}"


def _secrets(webhook: Webhook) -> list[str]:
    """The secrets that sign now: two while they are rotated."""
    until = webhook.old_secret_until
    old = [webhook.old_secret] if webhook.old_secret and until and until > received_now() else []
    return [unsealed(secret, PURPOSE) for secret in (webhook.secret, *old)]


def _pause(tries: int, answer: WebhookAnswer | None) -> timedelta:
    pause = PAUSES[min(tries, len(PAUSES)) - 1] * random.uniform(0.8, 1.2)  # noqa: S311 - no secret
    if answer is None or answer.status not in (429, 503):
        return pause
    return max(pause, timedelta(seconds=min(answer.retry_after, LONGEST_WAIT)))


def _judge(webhook: Webhook, answer: WebhookAnswer | None, now: datetime, *, is_done: bool) -> None:
    """Note whether the webhook works; disable it after 410, or after days of failures alone."""
    rows = Webhook.objects.filter(pk=webhook.pk, disabled_reason="")
    if is_done:
        if webhook.failing_since is not None:
            rows.update(failing_since=None)
        return
    rows.filter(failing_since=None).update(failing_since=now)
    is_gone = answer is not None and answer.status == 410
    if is_gone or (webhook.failing_since and webhook.failing_since < now - PATIENCE):
        reason = "gone" if is_gone else "failing"
        if rows.update(disabled_reason=reason):
            tell_of_disabled(webhook.challenge, webhook.created_by, webhook.host)
