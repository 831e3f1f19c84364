from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy

from leaderboard.models.challenge import Challenge
from leaderboard.rules.ids import uuid7
from leaderboard.schemas.choices import WebhookFormat, WebhookReader


class Webhook(models.Model):
    """An address that is called with the events of a challenge.

    address, secret, old_secret: encrypted, because who knows them could post as this server, or in
    the chat. whole_tenant: it gets the events of all challenges of the tenant, and belongs to the
    challenge where it was made. host: what people are shown of the address. old_secret: signs as
    well until `old_secret_until`. after: the last event of the log for which there are deliveries.
    failing_since: of the first failure after the last success. disabled_reason: why it is no longer
    called; "" if it is.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    challenge = models.ForeignKey(Challenge, models.CASCADE, related_name="webhooks")
    whole_tenant = models.BooleanField(default=False, db_default=False)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )
    created_at = models.DateTimeField(db_default=Now())
    address = models.TextField()
    host = models.CharField(max_length=255)
    view = models.CharField(max_length=10, choices=[(view, view) for view in WebhookReader])
    format = models.CharField(max_length=10, choices=[(form, form) for form in WebhookFormat])
    types = models.JSONField(default=list)
    secret = models.TextField()
    old_secret = models.TextField(blank=True, default="")
    old_secret_until = models.DateTimeField(null=True)
    after = models.PositiveBigIntegerField(default=0)
    failing_since = models.DateTimeField(null=True)
    disabled_reason = models.CharField(max_length=20, blank=True, default="")

    class Meta:
        verbose_name = gettext_lazy("webhook")
        verbose_name_plural = gettext_lazy("webhooks")
        ordering = ["created_at", "id"]

    def __str__(self) -> str:
        return f"{self.host} for {self.challenge_id}"


class WebhookPlace(models.Model):
    """How far a webhook of a tenant has come in the log of another challenge than its own.

    after: as in `Webhook`. A challenge that was published later has no row before its first event.
    """

    webhook = models.ForeignKey(Webhook, models.CASCADE, related_name="places")
    challenge = models.ForeignKey(Challenge, models.CASCADE, related_name="+")
    after = models.PositiveBigIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["webhook", "challenge"], name="one_place_in_a_log")
        ]

    def __str__(self) -> str:
        return f"{self.webhook_id} at {self.after} in {self.challenge_id}"


class WebhookDelivery(models.Model):
    """A message for a webhook, and what became of it.

    event_id: the id that receivers get, the same in every try and replay. body: the message in the
    format of the webhook. due_at: of the next try; empty when none follows. lease_until: a process
    is sending it until then. status: the last answer; empty without one. error: why there was none.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    webhook = models.ForeignKey(Webhook, models.CASCADE, related_name="deliveries")
    event_id = models.CharField(max_length=64)
    type = models.CharField(max_length=60)
    body = models.TextField()
    created_at = models.DateTimeField(db_default=Now())
    due_at = models.DateTimeField(null=True, db_default=Now())
    lease_until = models.DateTimeField(null=True)
    tries = models.PositiveSmallIntegerField(default=0)
    is_replay = models.BooleanField(default=False)
    done_at = models.DateTimeField(null=True)
    status = models.PositiveSmallIntegerField(null=True)
    error = models.CharField(max_length=200, blank=True, default="")
    answer = models.CharField(max_length=1024, blank=True, default="")
    took_ms = models.PositiveIntegerField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["webhook", "event_id"], name="one_delivery_of_an_event")
        ]
        indexes = [
            models.Index(
                fields=["due_at"], name="deliveries_due", condition=Q(due_at__isnull=False)
            )
        ]

    def __str__(self) -> str:
        return f"{self.type} {self.event_id}"
