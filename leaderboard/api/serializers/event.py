from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

from leaderboard.models import Event


class EventSerializer(serializers.Serializer[Any]):
    """What happened in a challenge; docs/log.md has the kinds and how to check the links."""

    seq = serializers.IntegerField(help_text="1, 2, … without gaps.")
    at = serializers.DateTimeField()
    kind = serializers.CharField()
    blind = serializers.CharField(help_text="Hides the body until it is published.")
    link = serializers.CharField(help_text="Ties the event to all before it.")
    body = serializers.DictField(help_text="Numbers and codes, by the kind.")


class EventPageSerializer(serializers.Serializer[Any]):
    results = EventSerializer(many=True)
    after = serializers.IntegerField(help_text="What to send as `after` next time.")


def event_json(event: Event) -> Mapping[str, object]:
    return {
        "seq": event.seq,
        "at": event.at,
        "kind": event.code,
        "blind": bytes(event.blind).hex(),
        "link": bytes(event.link).hex(),
        "body": json.loads(event.body),
    }
