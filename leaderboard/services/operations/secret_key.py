"""Finds the secret key that a backup has to contain."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.core import signing

from leaderboard.services.operations.backup_format import KEY_FILE


def key_file() -> Path | None:
    """The file of the secret key in force; None if the key comes from the environment.

    A file may also hold a former key, which the environment has replaced.
    """
    path = Path(settings.KEY_DIR, KEY_FILE)
    is_in_force = path.is_file() and path.read_text().strip() == settings.SECRET_KEY
    return path if is_in_force else None


def signed_newest_session() -> bool:
    """Whether the key in force is that of the web, as far as the sessions tell.

    Workers, and commands that are run beside them, generate a key that signs nothing.
    """
    newest = Session.objects.order_by("-expire_date").values_list("session_data", flat=True).first()
    if newest is None:
        return True
    store = SessionStore()
    try:
        signing.loads(newest, salt=store.key_salt, serializer=store.serializer)
    except signing.BadSignature:
        return False
    return True
