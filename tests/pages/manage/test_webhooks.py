"""Organisers add webhooks, and see what they have answered."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from leaderboard.models import Challenge, Webhook, WebhookDelivery
from leaderboard.rules.addresses import allowed_targets
from tests.pages.reading import get, words

pytestmark = pytest.mark.django_db
PAGE = "/c/sprint/manage/webhooks/"
URL = "https://chat.example.org/secret-path"


def test_a_webhook_is_added_tried_and_removed(
    sprint: Challenge, as_ann: Client, settings: Any
) -> None:
    sent = {"action": "add", "url": URL, "format": "slack", "view": "public"}
    assert as_ann.post(PAGE, sent).status_code == 422
    settings.WEBHOOK_ALLOW = allowed_targets("chat.example.org")
    assert "whsec_" in as_ann.post(PAGE, sent).content.decode()
    page = get(as_ann, PAGE)
    assert "chat.example.org" in words(page)
    assert "secret-path" not in page
    assert "whsec_" not in page
    webhook = {"webhook": str(Webhook.objects.get().pk)}
    assert as_ann.post(PAGE, {"action": "ping", **webhook}).status_code == 302
    assert WebhookDelivery.objects.get().type == "ping"
    assert "whsec_" in as_ann.post(PAGE, {"action": "rotate", **webhook}).content.decode()
    assert as_ann.post(PAGE, {"action": "remove", **webhook}).status_code == 302
    assert not Webhook.objects.exists()
    assert as_ann.post(PAGE, {"action": "remove", **webhook}).status_code == 404
