from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

from leaderboard.models import Webhook, WebhookDelivery
from leaderboard.schemas.choices import WebhookFormat, WebhookReader


class WebhookSerializer(serializers.Serializer[Any]):
    """An address that is called with the events of a challenge."""

    id = serializers.UUIDField()
    host = serializers.CharField(help_text="Of the address, which is not shown again.")
    view = serializers.ChoiceField([*WebhookReader], help_text="Whose view messages have.")
    format = serializers.ChoiceField([*WebhookFormat], help_text="Of the messages.")
    whole_tenant = serializers.BooleanField(
        help_text="Whether it gets the events of all challenges of the tenant."
    )
    types = serializers.ListField(child=serializers.CharField(), help_text="Empty: all.")
    created_at = serializers.DateTimeField()
    enabled = serializers.BooleanField(help_text="Whether it is called.")
    disabled_reason = serializers.CharField(
        allow_blank=True, help_text="`gone` after a 410, `failing` after five days, or `off`."
    )
    failing_since = serializers.DateTimeField(allow_null=True, help_text="Null: it works.")


class NewWebhookSerializer(WebhookSerializer):
    secret = serializers.CharField(help_text="Signs the messages; it is not shown again.")


class WebhookSecretSerializer(serializers.Serializer[Any]):
    secret = serializers.CharField(help_text="The one before signs as well for a day.")


class WebhookDeliverySerializer(serializers.Serializer[Any]):
    """A message for a webhook, and the last answer."""

    id = serializers.UUIDField()
    event_id = serializers.CharField(help_text="The header `webhook-id`, the same in every try.")
    type = serializers.CharField()
    created_at = serializers.DateTimeField()
    due_at = serializers.DateTimeField(allow_null=True, help_text="Null: no try follows.")
    done_at = serializers.DateTimeField(allow_null=True, help_text="When it was taken.")
    tries = serializers.IntegerField(help_text="So far.")
    status = serializers.IntegerField(allow_null=True)
    error = serializers.CharField(allow_blank=True)
    answer = serializers.CharField(allow_blank=True, help_text="The first KiB of the last one.")
    took_ms = serializers.IntegerField(allow_null=True, help_text="The last try.")


class WebhookListSerializer(serializers.Serializer[Any]):
    results = WebhookSerializer(many=True)


class WebhookDeliveryListSerializer(serializers.Serializer[Any]):
    results = WebhookDeliverySerializer(many=True)


def webhook_json(webhook: Webhook) -> Mapping[str, object]:
    names = ("id", "host", "view", "format", "whole_tenant", "types", "created_at")
    state = ("disabled_reason", "failing_since")
    fields = {name: getattr(webhook, name) for name in (*names, *state)}
    return WebhookSerializer({**fields, "enabled": not webhook.disabled_reason}).data


def delivery_json(delivery: WebhookDelivery) -> Mapping[str, object]:
    return WebhookDeliverySerializer(delivery).data
