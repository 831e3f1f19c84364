"""Attempts that waited before the queue had an order of its own keep theirs."""

from __future__ import annotations

from datetime import UTC, datetime
from importlib import import_module

import pytest
from django.apps import apps
from django.db import connection

from leaderboard.models import Attempt, Tenant, User
from leaderboard.services.attempts.submit import NewAttempt, submit_attempt
from leaderboard.services.challenges.challenges import create_challenge
from tests.people import tenant

__all__ = ["tenant"]

pytestmark = pytest.mark.django_db


def test_waiting_attempts_keep_their_order(tenant: Tenant) -> None:
    """The order was that of `submitted_at`."""
    user = User.objects.create_user("alice")
    fields = {"name": "Sprint", "scoring_strategy": "fastest"}
    challenge = create_challenge(tenant=tenant, user=user, fields=fields)
    for at in (3, 1, 2):
        new = NewAttempt(f"p{at}", {}, submitted_at=datetime(2024, 1, at, tzinfo=UTC))
        submit_attempt(challenge=challenge, user=user, new=new, organiser=True)
    migration = import_module("leaderboard.migrations.0015_fair_queue")
    migration.take_places(apps, connection.schema_editor())
    rows = Attempt.objects.order_by("due_at").values_list("participant__handle", "tenant")
    assert list(rows) == [("p1", tenant.pk), ("p2", tenant.pk), ("p3", tenant.pk)]
