"""A session is read as Django reads it, and not after its end."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.conf import settings
from django.contrib.sessions.models import Session
from django.utils import timezone

from leaderboard.auth.sessions import SessionStore

pytestmark = pytest.mark.django_db


@pytest.fixture
def key() -> str:
    store = SessionStore()
    store["colour"] = "green"
    store.save()
    assert store.session_key
    return store.session_key


def test_the_product_uses_it() -> None:
    assert SessionStore.__module__ == settings.SESSION_ENGINE


def test_a_stored_session_is_read(key: str) -> None:
    assert SessionStore(key)["colour"] == "green"


def test_an_ended_session_is_not_read(key: str) -> None:
    Session.objects.filter(pk=key).update(expire_date=timezone.now() - timedelta(seconds=1))
    read = SessionStore(key)
    assert read.get("colour") is None
    assert read.session_key is None


def test_an_unknown_key_is_not_kept() -> None:
    read = SessionStore("unknown-and-long")
    assert read.get("colour") is None
    assert read.session_key is None
